/**
 * A run remembers what its cycles found out about models: which one was out of reach, and which one's server takes nothing but
 * messages and tools. Its next cycles begin with that knowledge.
 *
 * Source: springdrift 6 (the reply names the model that was unavailable).
 */
import type { AskedModel, GateModels } from '../cycle/event.ts';
import { fellBackSentence, type FellBack } from '../request/fell-back.ts';
import { gateWaitMs } from './gate-wait.ts';
import { endsOf, type RunState } from './state.ts';

/** Milliseconds in which nobody asks the model again: an overload lasts minutes. */
const HOLDS_MS = 10 * 60_000;

type Asking = AskedModel & { readonly fallback?: AskedModel };

/** Which of the models of a part works. */
export type Want = 'Own' | 'Light' | 'Capable';

/**
 * The same part with the model that is asked now, and the one that goes on in its place.
 *
 * @param want  the model for simple work, if there is one, or the capable one, where the part has one in its place
 */
export function withinReach<Part extends Asking & { readonly light?: AskedModel }>(
  state: RunState,
  part: Part,
  want: Want = 'Own',
): Omit<Part, keyof Asking | 'light'> & Asking {
  const { fallback, light, tier, model, price, temperature, ask, ...rest } = part;
  const own = {
    tier,
    model,
    ...(price === undefined ? {} : { price }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(ask === undefined ? {} : { ask }),
  };
  const [wanted, spare] = chosen(own, { light, fallback }, want);
  if (spare === undefined) return { ...rest, ...asTaken(state, wanted) };
  const [first, second] = isOutOfReach(state, wanted.model) ? [spare, wanted] : [wanted, spare];
  return { ...rest, ...asTaken(state, first), fallback: asTaken(state, second) };
}

type Other = AskedModel | undefined;

/** The model that is asked, and the one in its place. */
function chosen(
  own: AskedModel,
  { light, fallback }: { readonly light: Other; readonly fallback: Other },
  want: Want,
): readonly [AskedModel, Other] {
  if (want === 'Light' && light !== undefined) return [light, fallback === undefined ? undefined : own];
  if (want === 'Capable' && own.tier === 'Fast' && fallback?.tier === 'Capable') return [fallback, own];
  return [own, fallback];
}

export function gatesWithinReach(state: RunState, { scorer, canary, reader, timeoutMs }: GateModels): GateModels {
  const gates = {
    scorer: withinReach(state, scorer),
    canary: withinReach(state, canary),
    reader: withinReach(state, reader),
    timeoutMs,
  };
  return { ...gates, timeoutMs: gateWaitMs(state, gates) };
}

function isOutOfReach(state: RunState, model: string): boolean {
  return endsOf(state).some(({ fellBack, atMs }) => fellBack?.from === model && state.nowMs - atMs < HOLDS_MS);
}

function asTaken(state: RunState, asked: AskedModel): AskedModel {
  const isPlain = endsOf(state).some(({ plainModel }) => plainModel === asked.model);
  return isPlain ? { ...asked, ask: { answers: 'Xml', isPlain: true } } : asked;
}

/** Each model that was out of reach, once. */
export function fallbacksOf(state: RunState): FellBack[] {
  const found = endsOf(state).flatMap(({ fellBack }) => fellBack ?? []);
  return [...new Map(found.map((it) => [it.from, it])).values()];
}

/** For the end of a summary; empty where every model answered. */
export function fallbackNote(state: RunState): string {
  return fallbacksOf(state)
    .map((it) => `\n\nNote: ${fellBackSentence(it)}.`)
    .join('');
}
