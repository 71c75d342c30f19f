/**
 * Thinks about work before and after it: a pre-mortem for what is worked on, a post-mortem for what ended, and the case that it becomes.
 *
 * I1  The case is written before the post-mortem. A crash between the two writes the case again, and the store of cases takes its id once.
 * I2  What is due follows from the record: a start makes up for what a crash left.
 *
 * Source: springdrift 8.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { recordIn } from '@retainer/mind/part/record-in';
import {
  caseOf,
  idOf,
  postMortemByCode,
  postMortemsDue,
  preMortemByCode,
  preMortemsDue,
  type Subject,
} from '@retainer/mind/parts/work/appraise';
import { caseStore } from '@retainer/mind/parts/cases/part';
import { workStore } from '@retainer/mind/parts/work/store';
import type { Work } from '@retainer/mind/parts/work/work-state';
import type { Component } from '../../ports/component.ts';
import type { JobRunsPort } from '../../ports/job-runs.ts';
import type { AppraisingPort } from '../../ports/appraising.ts';
import { whileWorking } from '../jobs/while-working.ts';

interface Appraising {
  readonly clock: Clock;
  readonly appraising: AppraisingPort;
  readonly jobs: Pick<JobRunsPort, 'isWorking'>;
}

export function appraiser({ clock, appraising, jobs }: Appraising): Component {
  const { parts } = appraising;
  const pass = async (): Promise<void> => {
    const { work } = parts.known();
    for (const subject of postMortemsDue(work)) await learn(appraising, subject);
    await parts.write(preMortemRecords(work));
  };
  return {
    name: 'appraiser',
    restart: 'Permanent',
    run: (signal) =>
      whileWorking({ clock, jobs, signal }, async () => {
        await pass();
        await appraising.changed(signal);
      }),
  };
}

function preMortemRecords(work: Work): readonly ReturnType<typeof recordIn>[] {
  return preMortemsDue(work).map((item) => {
    const payload = { itemId: item.itemId, preMortem: preMortemByCode(item, work), label: item.label };
    return recordIn(workStore, 'PreMortemAdded', payload);
  });
}

async function learn({ parts }: AppraisingPort, subject: Subject): Promise<void> {
  const { of } = subject;
  const postMortem = postMortemByCode(subject);
  await parts.write([recordIn(caseStore, 'CaseWritten', caseOf(subject, postMortem))]);
  const told = { subject: subject.subject, id: idOf(subject), title: of.title, label: of.label };
  await parts.write([recordIn(workStore, 'PostMortemAdded', { ...told, postMortem })]);
}
