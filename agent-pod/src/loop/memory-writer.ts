/**
 * The one writer of memory: a table says which kinds each of its principals may write, and nothing else is written.
 *
 * I1  A kind that the row of a writer does not name is a type error, and is refused at run time: nothing is written then.
 *
 * Source: artoo C (one writer, typed commands, a list of who may write what), A.11 (only the steering step, and the Dreamer after it,
 * write megrams).
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { NewRecord } from '@retainer/journal/journal';
import { affectKinds } from '@retainer/mind/affect/affect';
import { dreamKinds } from '@retainer/mind/archive/dream-event';
import { artifactKinds } from '@retainer/mind/memory/artifacts';
import { caseKinds } from '@retainer/mind/memory/cases';
import { factKinds } from '@retainer/mind/memory/facts';
import { fileKinds } from '@retainer/mind/memory/files';
import { megramKinds } from '@retainer/mind/memory/megrams';
import { narrativeKinds } from '@retainer/mind/memory/narrative';
import { threadKinds } from '@retainer/mind/memory/threads';
import { commandKinds } from '@retainer/mind/run/inbox';
import type { z } from 'zod';
import { humanPrincipal } from './principal.ts';
import { agentKinds } from './stores.ts';

/** Kinds of the stores that are written here; runs and cycles write their own. */
const kinds = {
  agent: agentKinds,
  inbox: commandKinds,
  fact: factKinds,
  file: fileKinds,
  artifact: artifactKinds,
  megram: megramKinds,
  narrative: narrativeKinds,
  affect: affectKinds,
  thread: threadKinds,
  case: caseKinds,
  dream: dreamKinds,
} as const;

type Kinds = typeof kinds;
type Store = keyof Kinds;

interface Row {
  /** In the record, where no person caused the command. */
  readonly principal: 'agent' | 'operator' | 'archivist' | 'appraiser' | 'dreamer';
  readonly writes: { readonly [S in Store]?: readonly (keyof Kinds[S] & string)[] };
}

export const memoryWriters = {
  /** Arrivals of programs and people. */
  Inbox: { principal: 'operator', writes: { inbox: ['CommandAccepted'] } },
  /** What the agent's own machines did with them, and with runs that cannot go on. */
  Runtime: {
    principal: 'agent',
    writes: {
      inbox: ['CommandDone', 'CommandSetAside'],
      affect: ['AffectMeasured'],
      file: ['FileForgotten', 'ScratchCleared'],
      agent: ['GatesIntervened', 'RunSetAside', 'RunTriedAgain', 'RunGivenUp', 'GivenUpDelivered'],
    },
  },
  /** Calls of the model, after the gate. */
  Tools: {
    principal: 'agent',
    writes: {
      fact: ['FactWritten'],
      file: ['FileRecorded', 'FileForgotten', 'ProgramAdded'],
      artifact: ['ArtifactKept'],
    },
  },
  /** The steering step, and the planner's question to memory, which restarts the decay of what it was told. */
  Steerer: { principal: 'agent', writes: { megram: ['MegramWritten', 'MegramRecalled'] } },
  Archivist: {
    principal: 'archivist',
    writes: {
      narrative: ['RunRemembered', 'RunReflected'],
      thread: ['ThreadJoined'],
      case: ['CaseWritten', 'CaseUsed'],
    },
  },
  /** Makes a lesson of a report on a run that was given up. */
  Appraiser: { principal: 'appraiser', writes: { case: ['CaseWritten'] } },
  /** What its passes want, and what it tells of them. */
  Dreamer: {
    principal: 'dreamer',
    writes: {
      megram: [
        'MegramWritten',
        'MegramPromoted',
        'MegramDoubted',
        'MegramConsolidated',
        'MegramDemoted',
        'MegramForgotten',
      ],
      case: ['CaseMerged', 'CasePruned'],
      thread: ['ThreadNamed', 'ThreadDormant'],
      fact: ['FactSuperseded'],
      dream: ['DreamBegun', 'DreamAsked', 'DreamAnswered', 'PassEnded', 'DreamEnded'],
    },
  },
  /** The operator's manifests. */
  Manifests: { principal: 'operator', writes: { file: ['FileRecorded'] } },
  /** Whoever gave the command by name. */
  Person: {
    principal: 'operator',
    writes: {
      file: ['FileTrusted'],
      agent: ['FalsePositiveReported'],
      fact: ['FactWritten', 'FactCleared'],
      megram: ['MegramLearned', 'MegramForgotten', 'MegramEndorsed'],
      narrative: ['RunAmended', 'RunImported'],
      case: ['CaseCurated'],
      dream: ['DreamWanted'],
    },
  },
} as const satisfies Readonly<Record<string, Row>>;

type Writers = typeof memoryWriters;
export type Writer = keyof Writers;

type Payload<S extends Store, K extends keyof Kinds[S]> = Kinds[S][K] extends z.ZodType ? z.infer<Kinds[S][K]> : never;

type CommandOf<S extends Store, Names> = Names extends readonly (infer K)[]
  ? K extends keyof Kinds[S]
    ? {
        readonly store: S;
        readonly kind: K;
        readonly payload: Payload<S, K>;
        /** The bare name of the person who caused it. */
        readonly by?: string;
        readonly runId?: string;
        readonly cycleId?: string;
      }
    : never
  : never;

/** What a writer may ask for. */
export type MemoryCommand<W extends Writer> = W extends Writer
  ? { [S in Store & keyof Writers[W]['writes']]: CommandOf<S, Writers[W]['writes'][S]> }[Store &
      keyof Writers[W]['writes']]
  : never;

export class MemoryWriter {
  readonly #append: (records: readonly NewRecord[]) => Promise<unknown>;

  constructor(append: (records: readonly NewRecord[]) => Promise<unknown>) {
    this.#append = append;
  }

  /** Resolves when all commands are recorded; throws before anything is written if one is not the writer's. */
  async write<W extends Writer>(writer: W, commands: readonly MemoryCommand<W>[]): Promise<void> {
    const { principal, writes }: Row = memoryWriters[writer];
    const records = commands.map(({ by, runId, cycleId, store, kind, payload }): NewRecord => {
      const allowed: readonly string[] = writes[store] ?? [];
      invariant(allowed.includes(kind), `memory takes no ${kind} of store ${store} from ${writer}`);
      return {
        store,
        kind,
        principal: by === undefined ? principal : humanPrincipal(by),
        payload,
        ...(runId === undefined ? {} : { runId }),
        ...(cycleId === undefined ? {} : { cycleId }),
      };
    });
    if (records.length > 0) await this.#append(records);
  }
}
