/** How a run ends: a table read from the top, first line that fits. */
import type { RunEventOf, RunOutcome } from './event.ts';
import type { RunState } from './state.ts';

interface Line {
  readonly name: string;
  readonly holds: (state: RunState) => boolean;
  readonly outcome: RunOutcome;
  readonly reasons: (state: RunState) => readonly string[];
}

const executionReason = (state: RunState): readonly string[] =>
  state.execution?.reason === undefined ? [] : [state.execution.reason];

/**
 * Infrastructure is never the task's fault, a refusal is never a failure, and only proven criteria are accepted.
 *
 * Source: design 7 (outcomes); artoo RES-16, RES-17 (a policy refusal ends the run: no way around it is looked for).
 */
const lines: readonly Line[] = [
  {
    name: 'cancelled',
    holds: (state) => state.execution?.outcome === 'Cancelled',
    outcome: 'Cancelled',
    reasons: executionReason,
  },
  {
    name: 'refused by a gate',
    holds: (state) => (state.execution?.rejections.length ?? 0) > 0,
    outcome: 'Refused',
    reasons: (state) => (state.execution?.rejections ?? []).map((it) => `${it.reason} (rule ${it.rule})`),
  },
  {
    name: 'model or runtime failed',
    holds: (state) => state.execution?.outcome === 'Failed',
    outcome: 'Failed',
    reasons: executionReason,
  },
  {
    name: 'budget used up',
    holds: (state) => state.execution?.outcome === 'OutOfBudget',
    outcome: 'Abandoned',
    reasons: executionReason,
  },
  {
    name: 'no criteria to prove',
    holds: (state) => state.spec.criteria.length === 0,
    outcome: 'Succeeded',
    reasons: () => ['the Task names no success criteria, so nothing was verified'],
  },
  {
    name: 'all required criteria proven',
    holds: (state) => state.criteria.every((it) => !it.required || it.verdict === 'Met'),
    outcome: 'Accepted',
    reasons: () => [],
  },
  {
    name: 'budget used up by the validator',
    holds: (state) => state.validation?.outcome === 'OutOfBudget',
    outcome: 'Abandoned',
    reasons: (state) => [
      `the budget is used up before the result could be verified: ${state.validation?.reason ?? 'no reason given'}`,
    ],
  },
  {
    name: 'validator failed',
    holds: (state) => state.criteria.some((it) => it.verdict === 'Unverified'),
    outcome: 'Failed',
    reasons: (state) => [`the result could not be verified: ${state.validation?.reason ?? 'no usable verdicts'}`],
  },
  {
    name: 'criteria unmet',
    holds: () => true,
    outcome: 'Abandoned',
    reasons: (state) =>
      state.criteria
        .filter((it) => it.required && it.verdict !== 'Met')
        .map((it) => `criterion ${it.index} is unmet: ${it.reason}`),
  },
];

/** Longest summary in a status, in characters. Source: design 3 (4 KiB). */
const summaryCharactersMax = 4000;

/** The conclusion of a run whose execution, and validation where one was due, are known. */
export function concludeRun(state: RunState): RunEventOf<'RunConcluded'> {
  const line = lines.find((it) => it.holds(state));
  return conclusion(state, line?.outcome ?? 'Failed', line?.reasons(state) ?? []);
}

/** A conclusion that was reached from outside: cancelled, or past the deadline. */
export function conclusion(
  state: RunState,
  outcome: RunOutcome,
  reasons: readonly string[],
): RunEventOf<'RunConcluded'> {
  return {
    kind: 'RunConcluded',
    outcome,
    summary: (state.execution?.text ?? '').slice(0, summaryCharactersMax),
    reasons: [...reasons],
    criteria: [...state.criteria],
    unmet: state.spec.criteria
      .filter((_, position) => state.criteria[position]?.verdict !== 'Met')
      .map((criterion) => criterion.text),
    files: writtenFiles(state),
    usage: state.usage,
    costUsd: state.costUsd,
    isCostComplete: state.isCostComplete,
    startedAtMs: state.startedAtMs,
    endedAtMs: state.nowMs,
  };
}

function writtenFiles(state: RunState): RunEventOf<'RunConcluded'>['files'] {
  const files = (state.execution?.evidence ?? []).flatMap((it) => it.outcome?.files ?? []);
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
