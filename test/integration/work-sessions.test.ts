/** A work session is a job: its run ends where the tokens of the session end. */
import { describe, expect } from 'vitest';
import { recordIn } from '@retainer/mind/part/record-in';
import { scheduleSession, createEndeavour } from '@retainer/mind/parts/work/decide-endeavour';
import { workStore } from '@retainer/mind/parts/work/store';
import type { Making, Operation } from '@retainer/mind/parts/work/operation';
import { inTemporaryDirectory } from '../support/agents.ts';
import { JobLife } from '../support/job-life.ts';
import { OF_PERSON } from '../support/job-words.ts';
import { verifies } from '../verifies.ts';

/** As few as a session may have: one answer of the model takes more. */
const TOKENS = 1_000;

async function write(life: JobLife, operation: (making: Making) => Operation, callId: string): Promise<void> {
  const parts = life.agent.runtime.partsFor('Tools');
  const of = { callId, runId: 'r', cycleId: 'r-c1', label: OF_PERSON, atMs: Date.now() };
  const made = operation({ work: parts.known().work, ...of });
  if (!made.ok) throw new Error(made.error);
  await parts.write(made.value);
}

/** @returns the id of the endeavour, which has a session for the job `session` */
async function scheduled(life: JobLife, atMs: number): Promise<string> {
  const words = { title: 'A survey', description: 'A survey of prices.', goal: 'A page.' };
  await write(life, (making) => createEndeavour(making, words), 'c1');
  const [endeavourId = ''] = life.agent.runtime.parts.known().work.endeavours.keys();
  const session = { endeavourId, atMs, focus: 'Look.', maxTokens: TOKENS };
  await write(life, (making) => scheduleSession(making, session, 'session'), 'c2');
  return endeavourId;
}

describe('the run of a work session', () => {
  for (const isOver of [false, true])
    verifies(
      'work:session-tokens',
      `ends at the tokens of its session${isOver ? ', of an ended endeavour too' : ''}`,
      () =>
        inTemporaryDirectory(async (directory) => {
          const life = await JobLife.begin({
            directory,
            spec: { scheduler: { idleAfter: '0s', cyclesPerHour: 100, tokensPerHour: 0 } },
          });
          const atMs = Date.now() + 1_000;
          const endeavourId = await scheduled(life, atMs);
          const ended = { endeavourId, status: 'Abandoned', reason: 'x', label: OF_PERSON };
          if (isOver)
            await life.agent.runtime.partsFor('Tools').write([recordIn(workStore, 'EndeavourEdited', ended as never)]);
          await life.make('session', { for: 'Agent', when: { type: 'Moment', atMs } });
          await life.make('other', { for: 'Agent', when: { type: 'Moment', atMs } });
          await life.until('RunClosed', 2);
          await life.end();
          const ends = Object.fromEntries(life.all('JobEnded').map((it) => [it['jobId'], it['outcome']]));
          expect(ends).toEqual({ session: 'Abandoned', other: 'Succeeded' });
          expect(life.all('RunAdmitted')).toContainEqual(
            expect.objectContaining({
              spec: expect.objectContaining({ budget: expect.objectContaining({ tokens: TOKENS }) }),
            }),
          );
        }),
    );
});
