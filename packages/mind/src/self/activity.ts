/** What the agent's tools did in its newest cycles, and how it was. Source: springdrift 7 (query_tool_activity, list_affect_history). */
import { affectLine } from '../parts/affect/affect-line.ts';
import type { AffectMeasured } from '../parts/affect/affect.ts';
import { utcMinute } from '@retainer/contract/std/utc-date';
import type { CycleNode } from '../projections/cycle-nodes.ts';
import { hasFailed, hasRun } from './cycles.ts';
import { grouped } from './grouped.ts';
import { telling, type Telling } from './telling.ts';

/** Measurements of one answer. Source: springdrift 7. */
export const AFFECT_SHOWN_MAX = 50;

/** @param tool  absent: every tool that ran */
export function tellToolActivity(nodes: readonly CycleNode[], tool?: string): Telling {
  const calls = nodes.flatMap(({ id, startedAtMs, calls: made }) =>
    made.filter(hasRun).map((call) => ({ ...call, cycleId: id, startedAtMs })),
  );
  const byTool = grouped(calls, (call) => call.tool);
  const rows = [...byTool]
    .filter(([name]) => tool === undefined || name === tool)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => {
      const last = of.reduce((newest, it) => (it.startedAtMs >= newest.startedAtMs ? it : newest));
      const cycles = new Set(of.map(({ cycleId }) => cycleId)).size;
      const failed = of.filter(hasFailed).length;
      return `${name}: ${of.length} calls in ${cycles} cycles, ${failed} failed; last in ${last.cycleId}, ${utcMinute(last.startedAtMs)}`;
    });
  return telling(rows, [], tool === undefined ? 'No tool ran in these runs.' : `${tool} did not run in these runs.`);
}

export interface MeasuredOf extends AffectMeasured {
  /** Of the cycle, or the run, that was measured. */
  readonly of: string;
}

/** @param measured  oldest first; told newest first */
export function tellAffect(measured: readonly MeasuredOf[]): Telling {
  const rows = measured.toReversed().map(({ atMs, of, affect, signals }) => {
    const { toolFailures, toolCalls, gateRejections, failuresInRow } = signals;
    const why = `${toolFailures} of ${toolCalls} calls failed, ${gateRejections} rejected, ${failuresInRow} failures in a row`;
    return `${utcMinute(atMs)} ${of}: ${affectLine(affect)} (${why})`;
  });
  return telling(rows, [], 'Nothing was measured yet.');
}
