/** Letters to the agent and mails of it: who wrote, how that is known, what became of each. */
import { z } from 'zod';
import { appliedChanges } from '../../part/applied-changes.ts';
import { defineCommand, definePart, fieldOf, Reason } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { mailKinds } from './mail-records.ts';
import { mailStore } from './mail-store.ts';
import { mail, type MailState } from './mail-state.ts';
import { runIdOfLetter } from './run-of-letter.ts';
import { mailEvents, mailTellers } from './tell.ts';

interface Known {
  readonly mail: MailState;
  readonly mailChanges: ReadonlySet<string>;
}

/** Mails by what came of them, and letters by what became of them. */
const RESULTS = ['Sent', 'Failed', 'Unknown', 'Bounced', 'Withheld'] as const;
const DECISIONS = ['Admitted', 'Held', 'Dropped', 'Released'] as const;

const inKind = (kind: string, names: readonly string[]): string | undefined =>
  names.find((name) => kind === `Mail${name}`);

export const mailPart = definePart({
  name: 'mail',
  stores: [mailStore],
  projections: { mail, mailChanges: appliedChanges('mail', mailKinds) },
  commands: {
    ReleaseMail: defineCommand({
      schema: z.object({ letterId: z.string().min(1), reason: Reason }),
      isOverPodsExec: true,
      decide: (known: Known, { letterId, reason, by }, { originId }) => {
        const letter = known.mail.letters.get(letterId);
        if (letter?.status !== 'Held' || known.mailChanges.has(originId)) return [];
        const payload = { letterId, runId: runIdOfLetter(letterId), reason, by, originId };
        return [recordIn(mailStore, 'MailReleased', payload, { by })];
      },
    }),
  },
  tell: mailTellers,
  events: mailEvents,
  gauges: [
    {
      name: 'mail_held',
      help: 'Letters that wait for a person.',
      of: ({ mail: { letters } }: Known) => [...letters.values()].filter(({ status }) => status === 'Held').length,
    },
    {
      name: 'mail_unknown',
      help: 'Mails of which nobody knows whether they were sent.',
      of: ({ mail: { outgoing } }: Known) => [...outgoing.values()].filter(({ status }) => status === 'Unknown').length,
    },
    {
      name: 'mail_tripped',
      help: 'Peers whose letters are held, because the two agents went in circles.',
      of: ({ mail: { pairs } }: Known) => [...pairs.values()].filter(({ tripped }) => tripped !== undefined).length,
    },
  ],
  counters: [
    {
      name: 'letters_total',
      help: 'Letters, by what became of them.',
      labelNames: ['decision'],
      from: DECISIONS.map((decision) => ({ decision })),
      count: ({ kind }) => {
        const decision = inKind(kind, DECISIONS);
        return decision === undefined ? [] : [{ labels: { decision } }];
      },
    },
    {
      name: 'mails_total',
      help: 'Mails of the agent, by what came of them.',
      labelNames: ['result'],
      from: RESULTS.map((result) => ({ result })),
      count: ({ kind, payload }) => {
        const result = inKind(kind, RESULTS);
        // A refusal that passes is no end.
        const isPassing = kind === 'MailFailed' && fieldOf(payload, 'isPermanent') !== true;
        return result === undefined || isPassing ? [] : [{ labels: { result } }];
      },
    },
  ],
  isAbout: ({ payload }, id) => fieldOf(payload, 'letterId') === id || fieldOf(payload, 'mailId') === id,
  fields: ['Agent spec.channels.email', 'Agent spec.budgets.hopsMax', 'Agent spec.budgets.pairExchangesMax'],
});
