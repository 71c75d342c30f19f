/**
 * Says in a restored record that it was restored, and holds back the work that was open in it.
 *
 * The agent went on after the commit, so what a run did then is unknown: a call that is open here may have run, a run that is open here
 * may have ended. So none of them goes on by itself, and no Task that waited here begins, until a person says so. Only a run that has
 * its result goes on: what is left of it is to deliver that, under the same id as before.
 */
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Head, Journal, JournalReader, NewRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import type { Projection } from '@retainer/mind/part/projection';
import type { AsideRuns, Held } from '@retainer/mind/parts/aside/set-aside';
import { runs as runsProjection } from '@retainer/mind/projections/open-work';
import { inbox as inboxProjection, type Command, type Inbox } from '@retainer/mind/run/inbox';
import { asideProjection, nameRun } from '../loop/aside-runs.ts';
import { agentStores } from '../loop/stores.ts';
import { readRecorded } from './recorded.ts';

export interface Restoring {
  readonly commit: string;
  /** Of the commit, milliseconds since 1970. */
  readonly atMs: number;
  /** Of the commit. */
  readonly heads: readonly Head[];
  /** The person. */
  readonly by: string;
  /** Of this program. */
  readonly version: string;
  readonly clock: Clock;
}

/** @returns the runs that wait for a person now. @throws the journal's own error where it takes no records */
export async function markRestored(dataDirectory: string, restoring: Restoring): Promise<readonly string[]> {
  const directory = join(dataDirectory, 'journal');
  const { clock, by } = restoring;
  const { agent: agentUid, characterDigest = '' } = await readRecorded(directory, clock);
  const journal = await openJournal({ directory, stores: agentStores, agentUid, clock });
  try {
    const lastOrder = await lastOrderIn(journal, restoring.heads);
    const { runIds, originIds } = await openWork(journal);
    const principal = `human:${by}`;
    const holds: NewRecord[] = [];
    for (const runId of runIds) {
      const named = await nameRun(journal, runId);
      const held = holdOf(runId, characterDigest, restoring);
      const payload = { runId, ...named, where: [], version: restoring.version, held: { ...held, parts: [] } };
      holds.push({ store: 'agent', kind: 'RunSetAside', principal, runId, payload });
    }
    const { commit: from, atMs: at, heads } = restoring;
    const payload = { from, at, lastOrder, heads: heads.map((head) => ({ ...head })), by };
    await journal.append([{ store: 'agent', kind: 'Restored', principal, payload }, ...holds]);
    const done = originIds.map((originId) => ({
      store: 'inbox',
      kind: 'CommandDone',
      principal,
      payload: { originId },
    }));
    if (done.length > 0) await journal.append(done);
    return runIds;
  } finally {
    await journal.close();
  }
}

/** Another one at each restoring, so that no earlier word of a person counts for it. */
function holdOf(runId: string, characterDigest: string, { commit, clock }: Restoring): Held {
  const to = `sha256:${sha256Hex(`${commit} ${runId} ${clock.nowMs()}`)}`;
  return { from: characterDigest, to, parts: [], because: 'Restored' };
}

interface OpenWork {
  readonly runIds: readonly string[];
  /** Of commands that nobody carries out any more. */
  readonly originIds: readonly string[];
}

async function openWork(journal: Journal): Promise<OpenWork> {
  const { open, ids } = await folded(journal, runsProjection);
  const aside: AsideRuns = new Map();
  await folded(journal, asideProjection(aside));
  const asked = commandsOfRuns(await folded(journal, inboxProjection));
  const isUndecided = (runId: string): boolean => aside.get(runId)?.isGivenUp !== true;
  const underWay = [...open].flatMap(([runId, events]) =>
    events.some(({ kind }) => kind === 'RunConcluded') ? [] : [runId],
  );
  // A crash may have come between the beginning of a run and the end of its command.
  const wanted = asked.flatMap(([, command]) => (command.type === 'StartRun' ? [command.spec.runId] : []));
  const unbegun = wanted.filter((runId) => !ids.has(runId));
  const runIds = [...new Set([...underWay, ...aside.keys(), ...unbegun])].filter(isUndecided);
  return { runIds, originIds: asked.map(([originId]) => originId) };
}

/** Commands that would begin a run, or let one go on: in the first life they may have done so. What a person tells memory stays. */
const OF_RUNS: ReadonlySet<Command['type']> = new Set([
  'StartRun',
  'RetryRun',
  'DecideCommand',
  'DecideApproval',
  'AnswerQuestion',
]);

function commandsOfRuns({ open, aside }: Inbox): readonly (readonly [originId: string, command: Command])[] {
  const commands = [...open, ...[...aside].map(([originId, { command }]) => [originId, command] as const)];
  return commands.filter(([, { type }]) => OF_RUNS.has(type));
}

async function folded<State>(journal: Pick<JournalReader, 'read'>, projection: Projection<State>): Promise<State> {
  const state = projection.start();
  for await (const record of journal.read(projection.store)) projection.take(state, record);
  return state;
}

async function lastOrderIn(journal: Pick<JournalReader, 'read'>, heads: readonly Head[]): Promise<number> {
  let last = 0;
  for (const { store, seq } of heads)
    for await (const { order } of journal.read(store, { fromSeq: seq })) {
      last = Math.max(last, order);
      break;
    }
  return last;
}
