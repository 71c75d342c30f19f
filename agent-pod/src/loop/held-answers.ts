/**
 * Answers of models to the gates' questions, for the same text under the same rules within a run: what a scorer or a probe has said
 * of a text holds. A model is not asked until it says something else.
 *
 * I1  Only usable answers are kept: an unclear probe or a score without the form is asked again.
 * I2  What was answered about a cycle that had read untrusted text serves only such cycles: that text may have spoken to the scorer.
 * I3  An answer about several calls serves each call by itself.
 *
 * Kept in memory: after a restart, a model is asked again.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { itemsOf } from '@retainer/mind/cycle/read-texts';
import { noUsage, type CycleState } from '@retainer/mind/cycle/state';
import { firstUntrusted } from '@retainer/mind/gate/provenance/read-so-far';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { answerTo, Question } from './questions.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
type GateQuestion = Exclude<Question, { kind: 'ReadingRequested' }>;
type Answer = Awaited<ReturnType<typeof answerTo>>;
type Forecasts = Extract<Of<'GateScored'>['forecasts'], { available: true }>;
type Probed = Pick<Of<'GateProbed'>, 'hijack' | 'leakage'>;

/** Most answers kept, of all runs together; the oldest goes first. A run has some ten. */
const ANSWERS_MAX = 1_000;

/** Whether the cycle had read untrusted text. */
const TRUSTS = ['Trusted ', 'Untrusted '] as const;

interface Held {
  readonly askId: string;
  readonly value: Forecasts | Probed;
}

export class HeldAnswers {
  readonly #known: KnownTools;
  readonly #held = new Map<string, Held>();

  constructor(known: KnownTools) {
    this.#known = known;
  }

  /** @returns undefined when a model has to be asked */
  find(question: Question, state: CycleState, atMs: number): Answer | undefined {
    if (question.kind === 'ReadingRequested') return undefined;
    if (isRepeated(question)) return this.#forget(question, state);
    const held = keysOf(question, state).map((key) => this.#found(key, state));
    const [first, ...rest] = held;
    if (first === undefined || rest.includes(undefined)) return undefined;
    const base = { atMs, askId: question.askId, heldFrom: first.askId, usage: noUsage, costUsd: 0, latencyMs: 0 };
    if (question.kind === 'GateProbeRequested')
      return 'hijack' in first.value ? { kind: 'GateProbed', ...base, ...first.value } : undefined;
    const all = held.flatMap((it) => (it !== undefined && 'forecasts' in it.value ? [it.value] : []));
    const [forecasts, ...more] = all;
    if (forecasts === undefined || all.length < held.length) return undefined;
    const { others } = question;
    if (others === undefined) return { kind: 'GateScored', ...base, forecasts };
    const told = more.flatMap((it, at) => {
      const callId = others[at]?.callId;
      return callId === undefined ? [] : [{ callId, forecasts: it }];
    });
    return { kind: 'GateScored', ...base, forecasts, others: told };
  }

  take(question: Question, state: CycleState, answer: Answer): void {
    if (question.kind === 'ReadingRequested') return;
    const values = valuesOf(question, answer);
    for (const [at, key] of keysOf(question, state).entries()) {
      const value = values[at];
      if (value !== undefined) this.#keep(this.#trustOf(state) + key, { askId: question.askId, value });
    }
  }

  #forget(question: GateQuestion, state: CycleState): undefined {
    for (const key of keysOf(question, state)) for (const trust of TRUSTS) this.#held.delete(trust + key);
    return undefined;
  }

  #found(key: string, state: CycleState): Held | undefined {
    const [trusted, untrusted] = TRUSTS;
    const isTrusting = this.#trustOf(state) === trusted;
    return this.#held.get(trusted + key) ?? (isTrusting ? undefined : this.#held.get(untrusted + key));
  }

  #trustOf(state: CycleState): (typeof TRUSTS)[number] {
    return TRUSTS[firstUntrusted(itemsOf(state, this.#known)) === undefined ? 0 : 1];
  }

  #keep(key: string, held: Held): void {
    this.#held.set(key, held);
    forgetOldest(this.#held, ANSWERS_MAX);
  }
}

/** The earlier answer did not have the form. */
function isRepeated({ kind, askId }: GateQuestion): boolean {
  return kind === 'GateScoreRequested' && /-score-\d+$/.test(askId);
}

/** One for each subject, in the order of the question. Equal: the same text of the same run under the same rules. */
function keysOf(question: GateQuestion, { spec }: CycleState): readonly string[] {
  const { kind, gate } = question;
  const key = (rules: unknown, digest: string): string =>
    sha256Hex(JSON.stringify([spec.runId, kind, gate, rules, digest]));
  if (question.kind === 'GateProbeRequested') return [key(question.model, sha256Hex(question.text))];
  const { request, features, subjectDigest, others = [] } = question;
  return [subjectDigest, ...others.map((it) => it.subjectDigest)].map((digest) =>
    key([request.model, features], digest),
  );
}

/** What may be kept of each subject; undefined: nothing. */
function valuesOf(question: GateQuestion, answer: Answer): readonly (Forecasts | Probed | undefined)[] {
  if (answer.kind === 'GateProbed') {
    const { hijack, leakage } = answer;
    const isClear = hijack.outcome !== 'Inconclusive' && leakage.outcome !== 'Inconclusive';
    return [isClear ? { hijack, leakage } : undefined];
  }
  if (answer.kind === 'TextRead' || question.kind === 'GateProbeRequested') return [];
  const all = [answer.forecasts, ...(answer.others ?? []).map(({ forecasts }) => forecasts)];
  const wanted = question.features.toSorted().join(' ');
  return all.map((it) => (it.available && namesIn(it).toSorted().join(' ') === wanted ? it : undefined));
}

function namesIn({ forecasts }: Forecasts): readonly string[] {
  return forecasts.map(({ feature }) => feature);
}
