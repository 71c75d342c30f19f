/** How much each signal of a case counts, by the name that `spec.memory.recall.preset` gives. */

export const signalNames = ['adaptive', 'index', 'meaning', 'field', 'recency', 'domain', 'utility'] as const;
export type SignalName = (typeof signalNames)[number];

/** Each 0 to 1. A signal that is absent is not asked. */
export type Weights = Readonly<Partial<Record<SignalName, number>>>;

/**
 * Recency and domain break ties in `adaptive`: at more weight they make it worse.
 *
 * Source: libraries 3 (`adaptive`); springdrift 5 (`paper` is what its program ships, `hybrid` what its paper measured).
 */
export const presets = {
  adaptive: { adaptive: 0.85, domain: 0.1, utility: 0.03, recency: 0.02 },
  paper: { index: 0.25, meaning: 0.4, field: 0.1, recency: 0.05, domain: 0.1, utility: 0.1 },
  hybrid: { index: 0.3, meaning: 0.6 },
  index: { index: 1 },
  field: { field: 1 },
} as const satisfies Readonly<Record<string, Weights>>;

export type PresetName = keyof typeof presets;

/** Without vectors the other signals carry the whole weight. Source: springdrift 5. */
export function withoutMeaning(weights: Weights): Weights {
  const others = Object.entries(weights).filter(([name]) => name !== 'meaning');
  const sum = others.reduce((total, [, weight]) => total + weight, 0);
  return Object.fromEntries(others.map(([name, weight]) => [name, weight / sum]));
}
