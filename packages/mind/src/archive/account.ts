/**
 * What the Archivist is told of an ended run, and what its claims are checked against: bounded, from the record alone.
 *
 * I1  It contains no words of a gate: a rejected text counts, and a refused run is not told at all.
 * I2  What the run read of strangers, or may have written of them, stands between marks.
 *
 * Source: springdrift 4 (inputs of the reflection).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { totalTokens } from '../cycle/state.ts';
import { Label } from '../gate/provenance/label.ts';
import { fence } from '../gate/provenance/fence.ts';
import { indent, oneLine, safeName } from '../request/lines.ts';
import { holdsNotice } from '../run/gate-notices.ts';
import { labelOfRun } from '../run/handed-on.ts';
import { callsOf, endsOf, sent, type RunState } from '../run/state.ts';
import { hasFailed } from '../run/verdict/acts.ts';
import { placesIn } from './places.ts';

/** Source: springdrift 4 (inputs of the reflection). */
const REPLY_CHARACTERS = 2_000;
const RESULT_CHARACTERS = 1_000;
const CALL_CHARACTERS = 150;

const INTENT_CHARACTERS = 2_000;
const ITEM_CHARACTERS = 300;

/** Calls, subtasks, criteria: as many as one thinks over; the rest is counted. */
const CALLS_MAX = 48;
const STEPS_MAX = 8;
const CRITERIA_MAX = 12;
/** Names that a claim is checked against: a run that touches more of them says so in its calls. */
const PLACES_MAX = 400;
/** Characters of an output that are read for names. */
const READ_CHARACTERS = 4_000;

export const Account = z.object({
  runId: z.string(),
  /** In the words of the Task. */
  intent: z.string(),
  outcome: z.string(),
  criteria: z.array(z.object({ text: z.string(), verdict: z.enum(['Met', 'Unmet', 'Unverified']) })),
  /** Calls that ran, oldest first. */
  calls: z.array(z.object({ tool: z.string(), target: z.string().exactOptional(), hasFailed: z.boolean() })),
  /** Calls that ran and are not listed. */
  moreCalls: z.number(),
  steps: z.array(
    z.object({
      worker: z.string(),
      intent: z.string(),
      status: z.enum(['Matched', 'Failed']),
      result: z.string(),
    }),
  ),
  /** What was told to people. */
  reply: z.string(),
  /** Texts and calls that gates rejected. */
  rejections: z.number(),
  tokens: z.number(),
  durationMs: z.number(),
  /** Every tool that ran, and every one that there is or was asked for. */
  ran: z.array(z.string()),
  known: z.array(z.string()),
  /** Files and addresses that a call shows: its arguments, its output, what it wrote. */
  places: z.array(z.string()),
  label: Label,
});
export type Account = z.infer<typeof Account>;

/** @param known  names of all tools that there are */
export function accountOf(state: RunState, known: readonly string[]): Account {
  const { spec, concluded } = state;
  const all = callsOf(state);
  const ran = all.filter(({ status }) => status !== 'Unrun');
  const shown = (text: string): string => (holdsNotice(state, text) ? '' : text);
  return {
    runId: spec.runId,
    intent: headAndTail(spec.intent, INTENT_CHARACTERS),
    outcome: concluded?.outcome ?? 'Failed',
    criteria: (concluded?.criteria ?? []).slice(0, CRITERIA_MAX).map(({ text, verdict }) => {
      return { text: clipped(text), verdict };
    }),
    calls: ran.slice(0, CALLS_MAX).map(callLine),
    moreCalls: Math.max(0, ran.length - CALLS_MAX),
    steps: stepsOf(state, shown),
    reply: shown((concluded?.summary ?? '').slice(0, REPLY_CHARACTERS)),
    rejections: endsOf(state).reduce((sum, { rejections }) => sum + rejections.length, 0),
    tokens: totalTokens(state.usage),
    durationMs: state.nowMs - state.startedAtMs,
    ran: [...new Set(ran.map(({ tool }) => tool))],
    known: [...new Set([...known, ...all.map(({ tool }) => tool)])],
    places: [...new Set(ran.flatMap(namesIn))].slice(0, PLACES_MAX),
    label: labelOfRun(state),
  };
}

function clipped(text: string): string {
  return oneLine(text).slice(0, ITEM_CHARACTERS);
}

function callLine(call: ToolCallRecord): Account['calls'][number] {
  const { tool, target } = call;
  const of = target === undefined ? {} : { target: oneLine(target).slice(0, CALL_CHARACTERS) };
  return { tool, ...of, hasFailed: hasFailed(call) };
}

function namesIn({ target = '', input, output, files }: ToolCallRecord): readonly string[] {
  const texts = [target, input.replaceAll(/\\[nrt"]/g, ' '), output.slice(0, READ_CHARACTERS)];
  return [...files.map(({ path }) => path), ...texts.flatMap(placesIn)];
}

/** Of the last round. */
function stepsOf(state: RunState, shown: (text: string) => string): Account['steps'] {
  const outcomes = sent(state, 'SubTaskOutcome');
  const lastRound = Math.max(0, ...outcomes.map(({ round }) => round));
  const plans = sent(state, 'SubTask', lastRound);
  return outcomes
    .filter(({ round }) => round === lastRound)
    .slice(0, STEPS_MAX)
    .map(({ payload: { subtaskId, intent, status, output } }) => ({
      worker: plans.find(({ payload }) => payload.subtaskId === subtaskId)?.payload.worker ?? 'Executor',
      intent: shown(clipped(intent)),
      status,
      result: shown(headAndTail(output, RESULT_CHARACTERS)),
    }));
}

/** @param nonce  of the run  @returns the first message to the Archivist */
export function accountText(account: Account, nonce: string): string {
  const { intent, outcome, criteria, moreCalls, rejections, tokens, durationMs, label } = account;
  const met = criteria.filter(({ verdict }) => verdict === 'Met').length;
  const told = toldIn(account);
  return [
    `What was asked:\n${indent(intent)}`,
    `How it ended: ${outcome}, ${met} of ${criteria.length} criteria met, ${tokens} tokens, ${Math.round(durationMs / 1000)} s.`,
    ...(rejections === 0 ? [] : [`Texts and calls that were rejected: ${rejections}.`]),
    label.trust === 'Trusted' ? told : fence(told, label, nonce, `${account.runId}-archive`),
    ...(moreCalls === 0 ? [] : [`${moreCalls} more calls ran.`]),
  ].join('\n\n');
}

function toldIn({ criteria, calls, steps, reply }: Account): string {
  const lists: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Criteria', criteria.map(({ text, verdict }) => `  ${verdict}: ${oneLine(text)}`)],
    ['Calls that ran, oldest first', calls.length === 0 ? ['  none'] : calls.map(lineOf)],
    ['Steps of the last plan', steps.flatMap(stepLines)],
    ['What was told to people', reply === '' ? [] : [indent(reply)]],
  ];
  return lists
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`${title}:`, ...lines].join('\n'))
    .join('\n\n');
}

function lineOf({ tool, target, hasFailed: isBad }: Account['calls'][number]): string {
  return `  ${isBad ? 'FAILED' : 'ok'} ${safeName(tool)}${target === undefined ? '' : ` ${oneLine(target)}`}`;
}

function stepLines({ worker, intent, status, result }: Account['steps'][number]): readonly string[] {
  return [`  ${worker}, ${status}: ${intent}`, ...(result === '' ? [] : [indent(indent(result))])];
}
