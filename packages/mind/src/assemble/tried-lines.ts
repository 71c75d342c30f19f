/**
 * What the last round tried, for the next plan: each step, why its result was not enough, its calls, and the output of the call
 * that failed.
 *
 * Source: artoo A.4 (lessons of the last round). Differs: the loss and the cell of the table are left out. They say how far the
 * goal is, and nothing about another way to it.
 */
import type { CriteriaVerdict, SubTaskOutcome, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { quoted, safeName } from '../request/lines.ts';
import { clipped, indentedWithin, newestOnly } from './sections.ts';

/** Most steps, newest first: more would fill the whole input. */
const STEPS_MAX = 8;

/** Most unmet criteria of one step, and of the whole; the first ones bind most. */
const UNMET_MAX = 4;

/** Characters of a step's intent, and of the reason for a verdict. */
const LINE_CHARACTERS = 256;

/** Most calls of one step, newest first: a planner needs the kind of attempt, not each of them. */
const CALLS_MAX = 3;

/** Characters of a call's arguments. */
const ARGUMENTS_CHARACTERS = 300;

/** Characters of the output of a failed call. An error says its cause at its end, after a page of a traceback. */
const OUTPUT_CHARACTERS = 2000;

/** Characters of all outputs together. */
const OUTPUTS_CHARACTERS_MAX = 6_000;

export interface TriedRound {
  readonly outcomes: readonly SubTaskOutcome[];
  /** On the task as a whole. */
  readonly taskVerdicts: readonly CriteriaVerdict[];
  /** Puts an output between marks if a stranger may have written it. */
  readonly fenced: (output: string, callId: string) => string;
}

/** @returns no line for a round that made no plan */
export function triedLines({ outcomes, taskVerdicts, fenced }: TriedRound): readonly string[] {
  const { kept, omission } = newestOnly(outcomes, STEPS_MAX);
  const failed = Math.max(1, kept.filter(isFailed).length);
  const characters = Math.min(OUTPUT_CHARACTERS, Math.floor(OUTPUTS_CHARACTERS_MAX / failed));
  const shown = (call: ToolCallRecord): string => indentedWithin(fenced(call.output, call.callId), characters);
  return [
    ...omission,
    ...kept.flatMap((outcome) => stepLines(outcome, shown)),
    ...unmetIn(taskVerdicts).map(({ index, reason }) => `whole, criterion ${index} not met: ${line(reason)}`),
  ];
}

function stepLines(outcome: SubTaskOutcome, shown: (call: ToolCallRecord) => string): readonly string[] {
  const { intent, started, criteria, verdicts, failureReason, calls } = outcome;
  if (!started) return [`step not started: ${line(intent)}`];
  if (!isFailed(outcome)) return [`step matched: ${line(intent)}`];
  const telling = calls.findLast((it) => it.status !== 'Ok') ?? calls.at(-1);
  return [
    `step failed: ${line(intent)}`,
    ...unmetIn(verdicts).map(({ index, reason }) => {
      const text = criteria[index - 1]?.text;
      return `not met: ${text === undefined ? `criterion ${index}` : line(text)}: ${line(reason)}`;
    }),
    ...(failureReason === undefined ? [] : [`why: ${line(failureReason)}`]),
    ...newestOnly(calls, CALLS_MAX).kept.map(callLine),
    ...(telling === undefined || telling.output.trim() === ''
      ? []
      : [`output of ${safeName(telling.tool)} (${telling.status}):`, shown(telling)]),
  ];
}

function callLine({ tool, target, input, status }: ToolCallRecord): string {
  return `tried ${safeName(tool)} ${quoted(clipped(target ?? input, ARGUMENTS_CHARACTERS))}: ${status}`;
}

const isFailed = ({ status, started }: SubTaskOutcome): boolean => started && status === 'Failed';

function unmetIn(verdicts: readonly CriteriaVerdict[]): readonly CriteriaVerdict[] {
  return verdicts.filter(({ verdict }) => verdict !== 'Met').slice(0, UNMET_MAX);
}

const line = (text: string): string => clipped(text, LINE_CHARACTERS);
