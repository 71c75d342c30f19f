/**
 * Retries of a model that another one can replace: one, so that a silent minute or two leave time for the other. Without another
 * model, as many as the Agent allows.
 */
const RETRIES_BEFORE_FALLBACK = 1;

export function retriesOf(fallback: unknown): { readonly retriesMax?: number } {
  return fallback === undefined ? {} : { retriesMax: RETRIES_BEFORE_FALLBACK };
}
