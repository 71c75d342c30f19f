/** What the agent recorded about a run beside the run's own records. */
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { Telling } from './story.ts';

type Payload = Readonly<Record<string, unknown>>;
type Teller = (payload: Payload, shortId: (id: string) => string) => Omit<Telling, 'live'>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(text) : []);

const tellers: Readonly<Record<string, Teller>> = {
  GatesIntervened: ({ cycleId, intervention, detectors }, shortId) => ({
    actor: 'gate',
    tone: 'Warning',
    text: `the observer of the gates, after ${shortId(text(cycleId))}: ${text(intervention)} (${list(detectors).join(', ')})`,
  }),
  RunSetAside: ({ where, version }) => ({
    actor: 'agent',
    tone: 'Bad',
    text: `set aside: version ${text(version)} of the program failed here with ${list(where)[0] ?? 'an error'}`,
    details: list(where).slice(1),
  }),
  RunTriedAgain: ({ version, by }) => ({
    actor: 'agent',
    tone: 'Warning',
    text: by === undefined ? `tried again by version ${text(version)}` : `tried again, as ${text(by)} asked`,
  }),
  RunGivenUp: ({ by, reason }) => ({
    actor: 'agent',
    tone: 'Bad',
    text: `${text(by)} gave the run up: ${text(reason)}`,
  }),
};

/** @returns none for a record that is not about the run's course */
export function tellAgentRecord(
  { kind, payload }: Pick<JournalRecord, 'kind' | 'payload'>,
  shortId: (id: string) => string,
): readonly Telling[] {
  const teller = tellers[kind];
  return teller === undefined ? [] : [{ ...teller(payload as Payload, shortId), live: true }];
}
