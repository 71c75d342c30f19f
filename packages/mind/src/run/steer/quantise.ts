/**
 * The memories of a decision: strength, valence and decay by a table.
 *
 * Source: artoo A.10. Differs: only pairs that were tried are written; a call that was never run taught nothing.
 */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { Directive } from '@retainer/contract/api/task-status';
import type { Megram, SubTaskOutcome, ToolCallRecord, WorkPair } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { oneLine } from '../../request/lines.ts';
import { toolPair } from '../../parts/megrams/megram-space.ts';
import { blockableCalls, distinct, failedCalls } from './blocked.ts';
import { isFailed, isMet, judged } from './judged.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

/** A memory without the fields that only the writer knows. */
export type MegramDraft = Readonly<Omit<Megram, 'id' | 'createdAtMs' | 'lastRecalledAtMs'>>;

type Quantum = Readonly<Pick<Megram, 'f' | 'sigma' | 'k'>>;

/** Strength, valence, decay per day. Source: artoo A.10. */
export const QUANTA: Readonly<Record<Megram['state'], Quantum>> = {
  Abandon: { f: 0.95, sigma: -1, k: 0.05 },
  Accept: { f: 0.9, sigma: 1, k: 0.05 },
  ChangeApproach: { f: 0.85, sigma: -1, k: 0.05 },
  Success: { f: 0.8, sigma: 1, k: 0.05 },
  BreakSymmetry: { f: 0.75, sigma: 1, k: 0.05 },
  ChangePath: { f: 0.3, sigma: 0, k: 0.2 },
  Refine: { f: 0.1, sigma: 0.5, k: 0.5 },
  /** A time-out says nothing about the way. The source has no such directive. */
  Retry: { f: 0.1, sigma: 0, k: 0.5 },
  /** No blame, but it lasts as long as an abandoned run: the potentials then say "ask first". The source gives σ only. */
  PolicyBlock: { f: 0.95, sigma: 0, k: 0.05 },
};

/** Characters of a target in a list of calls. Source: artoo A.10. */
const LISTED_TARGET_CHARACTERS = 120;

/** Most characters of the free part of a memory: one plan's input holds ten of them. */
const CONTENT_CHARACTERS_MAX = 600;

/** Most characters of the intent by which tasks with other words find a memory: its first sentences state the request. */
const ABOUT_CHARACTERS_MAX = 1000;

/** Most calls listed in a memory of a run's end. */
const LISTED_CALLS_MAX = 16;

/** Most pairs of tool and target that one round writes: all of a usual round, and a limit for a round of a thousand calls. */
export const PAIRS_MAX = 64;

/** One memory for each tool and target of the failed subtasks. */
export function failureMegrams(
  directive: Directive,
  outcomes: readonly SubTaskOutcome[],
  profile: AgentControl['profile'],
): readonly MegramDraft[] {
  // Memory must not recommend a tool that is being blocked. Source: artoo A.10.
  const blames = profile !== 'Spec' && directive === 'BreakSymmetry' ? 'ChangeApproach' : directive;
  const pairs = outcomes
    .filter(isFailed)
    .flatMap((outcome) =>
      outcome.calls.map((call) => ({ call, content: `${outcome.intent}: ${failureReason(outcome)}` })),
    );
  return pairMegrams(directive, QUANTA[blames], pairs);
}

/**
 * Memories of the tools that succeeded after a demand for something new.
 *
 * Source: artoo A.10 (breakthrough confirmed). Not in profile `Spec`, where the demand itself was not rewarded.
 */
export function breakthroughMegrams(
  state: SteerState,
  outcomes: readonly SubTaskOutcome[],
  profile: AgentControl['profile'],
): readonly MegramDraft[] {
  if (profile === 'Spec' || state.previous !== 'BreakSymmetry') return [];
  const pairs = outcomes
    .filter((it) => !isFailed(it))
    .flatMap((outcome) => outcome.calls.map((call) => ({ call, content: `${outcome.intent}: this worked` })))
    .filter(({ call }) => call.status === 'Ok' && !state.triedTools.includes(call.tool));
  return pairMegrams('BreakSymmetry', QUANTA.BreakSymmetry, pairs);
}

interface Pair {
  readonly call: ToolCallRecord;
  readonly content: string;
}

function pairMegrams(state: Directive, quantum: Quantum, pairs: readonly Pair[]): readonly MegramDraft[] {
  const drafts = new Map<string, MegramDraft>();
  for (const { call, content } of pairs) {
    if (call.status === 'Unrun') continue;
    const pair = toolPair(call.tool, call.target ?? '');
    const key = JSON.stringify([pair.space, pair.entity]);
    if (drafts.has(key) || drafts.size >= PAIRS_MAX) continue;
    drafts.set(key, { level: 'M', ...pair, content: bounded(content), state, ...quantum });
  }
  return [...drafts.values()];
}

function failureReason(outcome: SubTaskOutcome): string {
  if (outcome.failureReason !== undefined) return outcome.failureReason;
  const failed = judged(outcome.criteria, outcome.verdicts).find((it) => !isMet(it));
  return failed?.verdict.reason ?? 'no reason given';
}

/** How the run ended, for its intent. `account`: the result of a successful run, the gap of any other. */
export function terminalMegram(
  state: 'Accept' | 'Success' | 'Abandon' | 'PolicyBlock',
  account: string,
  outcomes: readonly SubTaskOutcome[],
  { taskPair, intent, given }: SteerContext,
): MegramDraft {
  const about = oneLine(intent.slice(0, ABOUT_CHARACTERS_MAX));
  const blamed = state === 'Abandon' ? blamedPairs(outcomes, given) : [];
  return {
    level: 'M',
    ...taskPair,
    about,
    content: endText(state, account, outcomes),
    state,
    ...QUANTA[state],
    ...(blamed.length === 0 ? {} : { blamed }),
  };
}

/** What a later plan may be forbidden: never a thing that people named, nor one that a call wrote. */
function blamedPairs(outcomes: readonly SubTaskOutcome[], given: string): WorkPair[] {
  const pairs = new Map<string, WorkPair>();
  for (const { tool, target, status } of blockableCalls(outcomes, given)) {
    if (status === 'Unrun') continue;
    const pair = { tool, target: oneLine(target.slice(0, LISTED_TARGET_CHARACTERS)) };
    if (pairs.size < LISTED_CALLS_MAX) pairs.set(JSON.stringify(pair), pair);
  }
  return [...pairs.values()];
}

function endText(
  state: 'Accept' | 'Success' | 'Abandon' | 'PolicyBlock',
  account: string,
  outcomes: readonly SubTaskOutcome[],
): string {
  const matched = outcomes.filter((it) => !isFailed(it)).flatMap((it) => it.calls);
  switch (state) {
    case 'Accept':
    case 'Success':
      return `Succeeded. Tools: ${callList(matched)}. Result: ${bounded(account)}`;
    case 'Abandon':
      return `Failed. Tools tried: ${callList(failedCalls(outcomes))}. Gap: ${bounded(account)}`;
    case 'PolicyBlock':
      return `Not allowed without authority: ask first. Refused: ${bounded(refusedCalls(outcomes))}`;
  }
}

/**
 * The refused calls, never the words of the refusal: a remembered notice of a gate teaches a model to refuse by itself.
 *
 * Source: springdrift 15.
 */
function refusedCalls(outcomes: readonly SubTaskOutcome[]): string {
  const refused = outcomes.flatMap((it) => it.calls).filter((it) => it.refusal !== undefined);
  const names = refused.map(({ tool, target }) =>
    target === undefined ? tool : `${tool}:${oneLine(target.slice(0, LISTED_TARGET_CHARACTERS))}`,
  );
  return distinct(names).slice(0, LISTED_CALLS_MAX).join(', ') || 'what was asked for';
}

function callList(calls: readonly ToolCallRecord[]): string {
  const names = calls
    .filter((it) => it.status !== 'Unrun')
    .map(({ tool, target }) =>
      target === undefined ? tool : `${tool}:${oneLine(target.slice(0, LISTED_TARGET_CHARACTERS))}`,
    );
  return distinct(names).slice(0, LISTED_CALLS_MAX).join(', ') || 'none';
}

function bounded(text: string): string {
  return oneLine(headAndTail(text, CONTENT_CHARACTERS_MAX));
}
