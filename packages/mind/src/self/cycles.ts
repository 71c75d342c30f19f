/**
 * The agent's cycles as it may ask for them: one row each, or one with the tree of its run.
 *
 * I1  A row holds numbers, moments and names that code or a manifest gave. Calls that did not run are only counted: a model may have
 *     invented the name.
 *
 * Source: springdrift 7 (inspect_cycle, list_recent_cycles), 15 (24: counts beside rates).
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { promptTokensOf } from '../explain/spending.ts';
import type { CycleNode, Spent } from '../projections/cycle-nodes.ts';
import type { Recorded } from '../part/projection.ts';
import { telling, type Telling } from './telling.ts';

/** Who asks: its own cycle is told up to, not including, this call. */
export interface Asking {
  readonly runId: string;
  readonly cycleId: string;
  readonly callId: string;
}

/** Ids in the answer to an unknown one. */
const KNOWN_IDS_SHOWN = 10;

/** Rows of a tree. A longer run is told by its other cycles. */
const TREE_ROWS_MAX = 60;

/** Calls or verdicts of one cycle that are told; the newest. */
const DETAILS_MAX = 40;

/** @returns whether a record happened before the call; ask it for each record of the store `cycle`, in order */
export function beforeCall({ cycleId, callId }: Asking): (record: Recorded) => boolean {
  let isOver = false;
  return ({ store, kind, payload, cycleId: of }) => {
    if (store !== 'cycle' || of !== cycleId) return true;
    const isOfCall = (payload as { readonly callId?: unknown }).callId === callId;
    isOver ||= isOfCall && kind === 'ToolRequested';
    return !isOver && !isOfCall;
  };
}

export function tellCycles(nodes: readonly CycleNode[], count: number): Telling {
  const cycles = cyclesIn(nodes).slice(-count).toReversed();
  return telling(cycles.map(cycleRow), [], 'No cycle is in the record.');
}

/** Newest last; the run itself is none. */
function cyclesIn(nodes: readonly CycleNode[]): readonly CycleNode[] {
  return nodes.filter(({ type }) => type !== 'Run').toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

/** `ID executor of RUN, 2030-01-01 08:30 UTC, 12.0 s: Replied; m-1; 3 calls, 1 failed, 0 not run; 5 verdicts, 1 not Accept; 900 tokens in, 80 out, $0.0100`. */
export function cycleRow({ id, runId, name, startedAtMs, endedAtMs, outcome, models, ...it }: CycleNode): string {
  const took = endedAtMs === undefined ? 'under way' : `${((endedAtMs - startedAtMs) / 1000).toFixed(1)} s`;
  const told = [outcome, models.join(' ') || 'no model', callCounts(it.calls), gateCounts(it.gates), spentText(it.own)];
  return `${id} ${name} of ${runId}, ${utcMinute(startedAtMs)}, ${took}: ${told.join('; ')}`;
}

type Calls = CycleNode['calls'];

export const hasRun = ({ status }: Calls[number]): boolean => status !== 'Unrun';
export const hasFailed = (call: Calls[number]): boolean => hasRun(call) && !['Ok', 'Pending'].includes(call.status);

function callCounts(calls: Calls): string {
  const ran = calls.filter(hasRun).length;
  return `${ran} calls, ${calls.filter(hasFailed).length} failed, ${calls.length - ran} not run`;
}

function gateCounts(gates: CycleNode['gates']): string {
  return `${gates.length} verdicts, ${gates.filter(({ verdict }) => verdict !== 'Accept').length} not Accept`;
}

/** What went into the prompt counts wherever it came from. */
function spentText({ usage, costUsd, isCostComplete }: Spent): string {
  const least = isCostComplete ? '' : 'at least ';
  return `${promptTokensOf(usage)} tokens in, ${usage.outputTokens} out, ${least}$${costUsd.toFixed(4)}`;
}

/** @returns why there is none, in a sentence that names the id */
export function tellCycle(nodes: readonly CycleNode[], id: string): Result<Telling, string> {
  const cycle = nodes.find((it) => it.id === id);
  if (cycle === undefined) return err(unknownCycle(nodes, id));
  const tree = treeOf(nodes, cycle.runId);
  const rows = [
    cycleRow(cycle),
    ...newest(
      'calls',
      cycle.calls.filter(hasRun).map(({ callId, tool, status }) => `  call ${callId} ${tool}: ${status}`),
    ),
    ...newest('verdicts', cycle.gates.map(gateRow)),
    `tree of ${cycle.runId}:`,
    ...tree.slice(0, TREE_ROWS_MAX),
    ...(tree.length > TREE_ROWS_MAX ? [`  [${tree.length - TREE_ROWS_MAX} more]`] : []),
  ];
  return ok(telling(rows, [], ''));
}

function gateRow({ gate, verdict, rule, score }: CycleNode['gates'][number]): string {
  return `  ${gate} gate: ${verdict} by ${rule}${score === undefined ? '' : `, score ${score.toFixed(2)}`}`;
}

function newest(what: string, rows: readonly string[]): readonly string[] {
  const older = rows.length - DETAILS_MAX;
  return older > 0 ? [`  [${older} older ${what}]`, ...rows.slice(-DETAILS_MAX)] : rows;
}

/** A parent stands before its children. */
function treeOf(nodes: readonly CycleNode[], runId: string): readonly string[] {
  const depths = new Map<string, number>();
  return nodes
    .filter((it) => it.runId === runId)
    .map(({ id, parentId = '', name, outcome, total }) => {
      const depth = (depths.get(parentId) ?? 0) + 1;
      depths.set(id, depth);
      return `${'  '.repeat(depth)}${id} ${name}: ${outcome}; ${spentText(total)}`;
    });
}

export function unknownCycle(nodes: readonly CycleNode[], id: string): string {
  const ids = cyclesIn(nodes).map((it) => it.id);
  const known = ids.length === 0 ? 'none' : ids.slice(-KNOWN_IDS_SHOWN).join(', ');
  return `There is no cycle ${JSON.stringify(id)} among those of the newest runs. The newest: ${known}.`;
}
