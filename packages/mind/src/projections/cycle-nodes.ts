/**
 * Runs as trees of their cycles: who worked for whom, what was called, what the gates decided, what it took. A projection of the
 * stores `run`, `cycle` and `archive`, made when somebody asks.
 *
 * I1  Totals are sums over every answer of every model, those of the gates included: what is under way counts as far as it came.
 * I2  A tree belongs to its run, not to a day: midnight divides nothing.
 * I3  It contains names, numbers and rules; no word of a model, a page or a gate.
 *
 * Source: springdrift 4 (cycle nodes). Differs: totals are sums, calls have their own outcome, and what is under way is Pending until
 * the record says otherwise.
 */
import { roleName } from '@retainer/contract/api/roles';
import type { ArchiveEvent } from '../archive/event.ts';
import type { CycleEvent } from '../cycle/event.ts';
import { addUsage, noUsage } from '../cycle/state.ts';
import { fromTable, type EventTable } from '../part/event-table.ts';
import { eventOf, type Recorded } from '../part/projection.ts';
import type { RunEvent } from '../run/event.ts';

type Usage = typeof noUsage;

export interface CycleNode {
  /** Of the cycle, the run, or the archiving. */
  readonly id: string;
  readonly runId: string;
  /** Who caused it; absent for a run. */
  readonly parentId?: string;
  readonly type: 'Run' | 'Role' | 'Worker' | 'Archive';
  /** The Task of a run; otherwise the role, as models and metrics name it. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Absent: it is under way. */
  readonly endedAtMs?: number;
  /** `Pending` while it is under way, then the record's own word: `Replied`, `Accepted`, `Fallback`. */
  readonly outcome: string;
  /** Ids of the models that answered, in the order of their first answers. */
  readonly models: readonly string[];
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly status: string }[];
  readonly gates: readonly {
    readonly gate: string;
    readonly verdict: string;
    readonly rule: string;
    readonly score?: number;
  }[];
  /** Its own, without that of its children. */
  readonly own: Spent;
  /** With that of all below it. */
  readonly total: Spent;
}

export interface Spent {
  /** Answers of models. */
  readonly answers: number;
  readonly usage: Usage;
  /** US dollars. */
  readonly costUsd: number;
  /** Whether the price of every answer was known. */
  readonly isCostComplete: boolean;
}

/** Both canaries are one question. */
const PROBES = 2;

const nothing: Spent = { answers: 0, usage: noUsage, costUsd: 0, isCostComplete: true };

type Node = Omit<CycleNode, 'total'>;
type Change = (node: Node) => Node;

/** What the fold knows so far. */
interface Known {
  /** By id, in the order of their beginning. */
  readonly nodes: Map<string, Node>;
  /** The cycle that sent each message, and the message that caused it. */
  readonly messages: Map<string, { readonly cycleId?: string; readonly causationId?: string }>;
}

/**
 * @param records  of these stores, of any runs; in the order of each store
 * @returns the nodes in the order of their beginning, parents first
 */
export function nodesOf(records: Iterable<Recorded>): readonly CycleNode[] {
  const trees = cycleTrees();
  for (const record of records) trees.take(record);
  return trees.nodes();
}

/** For records that come one by one, and are not kept. */
export interface CycleTrees {
  /** Takes records of these stores, of any runs; in the order of each store, those of `run` first or merged with the others. */
  take(record: Recorded): void;
  /** As {@link nodesOf} returns them. */
  nodes(): readonly CycleNode[];
}

export function cycleTrees(): CycleTrees {
  const known: Known = { nodes: new Map(), messages: new Map() };
  return { take: (record) => take(known, record), nodes: () => withTotals([...known.nodes.values()]) };
}

function take(known: Known, record: Recorded): void {
  const { store, runId, cycleId = '', timeMs } = record;
  if (runId === undefined) return;
  if (store === 'run') fromTable(ofRun, eventOf<RunEvent>(record), known, { runId, id: runId, timeMs });
  if (store === 'cycle') fromTable(ofCycle, eventOf<CycleEvent>(record), known, { runId, id: cycleId, timeMs });
  if (store === 'archive')
    fromTable(ofArchive, eventOf<ArchiveEvent>(record), known, { runId, id: `${runId}-archive`, timeMs });
}

/** The place of a record. */
interface At {
  readonly runId: string;
  /** Of its node. */
  readonly id: string;
  readonly timeMs: number;
}

const ofRun: EventTable<RunEvent, [known: Known, at: At], void> = {
  RunAdmitted: ({ spec, atMs }, known, { runId }) =>
    begin(known, { id: runId, runId, type: 'Run', name: spec.task.name, startedAtMs: atMs }),
  MessageSent: (event, { messages }) => {
    for (const { id, cycleId, causationId } of event.messages)
      messages.set(id, {
        ...(cycleId === undefined ? {} : { cycleId }),
        ...(causationId === undefined ? {} : { causationId }),
      });
  },
  CycleRequested: ({ spec: { cycleId, role, worker }, purpose }, known, { runId, timeMs }) => {
    const parentId = senderOf(known, purpose.causationId) ?? runId;
    const type = worker === undefined ? 'Role' : 'Worker';
    begin(known, { id: cycleId, runId, parentId, type, name: roleName(worker ?? role), startedAtMs: timeMs });
  },
  CycleAbandoned: ({ cycleId }, known) => change(known, cycleId, (node) => ({ ...node, outcome: 'Abandoned' })),
  RunConcluded: ({ outcome }, known, { id }) => change(known, id, (node) => ({ ...node, outcome })),
  RunClosed: (_event, known, { id, timeMs }) => change(known, id, (node) => ({ ...node, endedAtMs: timeMs })),
};

/** Stations pass messages on: whoever asked a model for it caused it. */
function senderOf({ messages }: Known, messageId: string): string | undefined {
  const seen = new Set<string>();
  for (let id: string | undefined = messageId; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const message = messages.get(id);
    if (message?.cycleId !== undefined) return message.cycleId;
    id = message?.causationId;
  }
  return undefined;
}

const ofCycle: EventTable<CycleEvent, [known: Known, at: At], void> = {
  CycleStarted: ({ atMs }, known, { id }) => change(known, id, (node) => ({ ...node, startedAtMs: atMs })),
  ModelAnswered: ({ answer: { model, usage }, costUsd }, known, { id }) =>
    change(known, id, answered({ model, usage, costUsd })),
  GateScored: (event, known, { id }) => change(known, id, answered(event)),
  GateProbed: (event, known, { id }) => change(known, id, answered(event, PROBES)),
  TextRead: (event, known, { id }) => change(known, id, answered(event)),
  GateDecided: ({ gate, verdict, rule, record }, known, { id }) => {
    const score = record?.score === undefined ? {} : { score: record.score };
    change(known, id, (node) => ({ ...node, gates: [...node.gates, { gate, verdict, rule, ...score }] }));
  },
  ToolRequested: ({ callId, tool }, known, { id }) => change(known, id, called({ callId, tool, status: 'Pending' })),
  CallAnswered: ({ callId, tool }, known, { id }) => change(known, id, called({ callId, tool, status: 'Unrun' })),
  ToolFinished: ({ callId, outcome }, known, { id }) => change(known, id, ended(callId, outcome.status)),
  EffectLost: ({ callId }, known, { id }) => change(known, id, ended(callId, 'Unknown')),
  CycleEnded: ({ outcome }, known, { id, timeMs }) =>
    change(known, id, (node) => ({ ...node, outcome, endedAtMs: timeMs })),
};

const ofArchive: EventTable<ArchiveEvent, [known: Known, at: At], void> = {
  ArchiveOpened: ({ atMs }, known, { id, runId }) =>
    begin(known, { id, runId, parentId: runId, type: 'Archive', name: roleName('Archivist'), startedAtMs: atMs }),
  ArchiveAnswered: (event, known, { id }) => change(known, id, answered(event)),
  ArchiveClosed: ({ status }, known, { id, timeMs }) =>
    change(known, id, (node) => ({ ...node, outcome: status, endedAtMs: timeMs })),
};

function called(call: CycleNode['calls'][number]): Change {
  return (node) => ({ ...node, calls: [...node.calls, call] });
}

type Begun = Omit<Node, 'outcome' | 'models' | 'calls' | 'gates' | 'own'>;

function begin({ nodes }: Known, begun: Begun): void {
  if (nodes.has(begun.id)) return;
  nodes.set(begun.id, { ...begun, outcome: 'Pending', models: [], calls: [], gates: [], own: nothing });
}

/** A cycle whose request is not among the records is no node. */
function change({ nodes }: Known, id: string, changed: Change): void {
  const node = nodes.get(id);
  if (node !== undefined) nodes.set(id, changed(node));
}

interface Answer {
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/** Without usage, no model answered. */
function answered({ model, usage, costUsd }: Answer, answers = 1): Change {
  return (node) => {
    if (usage === undefined) return node;
    const { models, own } = node;
    const isKnown = model === undefined || models.includes(model);
    return { ...node, models: isKnown ? models : [...models, model], own: plus(own, spentOn(answers, usage, costUsd)) };
  };
}

function spentOn(answers: number, usage: Usage, costUsd: number | undefined): Spent {
  return { answers, usage, costUsd: costUsd ?? 0, isCostComplete: costUsd !== undefined };
}

function plus(a: Spent, b: Spent): Spent {
  return {
    answers: a.answers + b.answers,
    usage: addUsage(a.usage, b.usage),
    costUsd: a.costUsd + b.costUsd,
    isCostComplete: a.isCostComplete && b.isCostComplete,
  };
}

function ended(callId: string, status: string): Change {
  return (node) => ({ ...node, calls: node.calls.map((it) => (it.callId === callId ? { ...it, status } : it)) });
}

/** A parent began before its children, so that one pass from the end adds all of them. */
function withTotals(nodes: readonly Node[]): readonly CycleNode[] {
  const totals = new Map(nodes.map(({ id, own }) => [id, own]));
  for (const { id, parentId } of nodes.toReversed()) {
    const above = parentId === undefined ? undefined : totals.get(parentId);
    if (parentId !== undefined && above !== undefined) totals.set(parentId, plus(above, totals.get(id) ?? nothing));
  }
  return nodes.map((node) => ({ ...node, total: totals.get(node.id) ?? node.own }));
}
