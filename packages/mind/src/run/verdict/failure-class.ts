/**
 * Decides whether the approach or the environment is to blame for an unmet criterion. A model proposes it. The calls can only
 * move the blame from the approach to the environment, never back.
 *
 * Source: artoo A.6 (patterns, promotion; validators' own failures are in neither; a refusal is a class of its own).
 */
import type { FAILURE_CLASSES } from '@retainer/contract/api/task-status';
import type { CriteriaVerdict, GapTrajectoryPoint, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Source: artoo A.6. Differs: without the mark of the source's shell filter, whose place a recorded refusal has. */
const environmental: readonly RegExp[] = [
  /permission denied/i,
  /no such file/i,
  /not found/i,
  /not exist/i,
  /connection refused/i,
  /time(d[ -]?)?out/i,
  /network error/i,
  /network is unreachable/i,
];

/** Characters examined at each end of an output: programs report errors there. */
const LOOKED_AT_CHARACTERS = 2000;

export function speaksOfSurroundings(text: string): boolean {
  const looked =
    text.length <= 2 * LOOKED_AT_CHARACTERS
      ? text
      : `${text.slice(0, LOOKED_AT_CHARACTERS)}\n${text.slice(-LOOKED_AT_CHARACTERS)}`;
  return environmental.some((pattern) => pattern.test(looked));
}

/**
 * @param claimed  the validator's word; absent counts as Logical
 * @param reason   the validator's account of the criterion
 * @param calls    of the attempt
 *
 * Differs: of calls that succeeded only those that ran code are read: their success says nothing of the commands inside. A page
 * that was fetched or a log that was read may hold any of these words, and says nothing of the surroundings by it. So a tool
 * must declare that it reports failures.
 */
export function classOf(
  claimed: 'Logical' | 'Environmental' | undefined,
  reason: string,
  calls: readonly ToolCallRecord[],
  known: KnownTools,
): 'Logical' | 'Environmental' {
  if (claimed === 'Environmental' || speaksOfSurroundings(reason)) return 'Environmental';
  return calls.some((call) => hitSurroundings(call, known)) ? 'Environmental' : 'Logical';
}

function hitSurroundings(call: ToolCallRecord, known: KnownTools): boolean {
  if (call.status === 'TimedOut') return true;
  const isRead = call.status === 'Error' || (call.status === 'Ok' && known.factsOf(call.tool).reportsFailures);
  return isRead && speaksOfSurroundings(call.output);
}

/** The class of the unmet verdicts. Policy, Infrastructure and Unverified blame neither side and do not count. */
export function aggregateClass(verdicts: readonly CriteriaVerdict[]): GapTrajectoryPoint['failureClass'] {
  const classes = new Set(verdicts.filter((it) => it.verdict !== 'Met').map((it) => it.failureClass));
  const isLogical = classes.has('Logical');
  const isEnvironmental = classes.has('Environmental');
  if (isLogical && isEnvironmental) return 'Mixed';
  if (isLogical) return 'Logical';
  return isEnvironmental ? 'Environmental' : 'None';
}

/** Rule prefix of refusals that this round's directive caused, as opposed to rules of the gate. Source: artoo A.4. */
export const BLOCKED_RULE_PREFIX = 'blocked/';

/**
 * The first refusal by a gate or a person that the same call did not overcome later.
 *
 * A tool or target that is blocked for this round does not count: the executor's attempt is its own mistake.
 */
export function lastingRefusal(calls: readonly ToolCallRecord[]): ToolCallRecord['refusal'] {
  const lasting = calls.find(
    (call, at) =>
      call.refusal !== undefined &&
      !call.refusal.rule.startsWith(BLOCKED_RULE_PREFIX) &&
      !calls.slice(at + 1).some((it) => it.status === 'Ok' && it.tool === call.tool && it.input === call.input),
  );
  return lasting?.refusal;
}
