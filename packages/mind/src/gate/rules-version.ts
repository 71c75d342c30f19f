/**
 * Version of what the gates decide by beside the character: the shipped rules, the chain, the calculus, where data may flow. It is
 * recorded with every configuration, so that a program of other rules does not take an old verdict for a false one.
 *
 * Raised with every change that decides the same record otherwise; `rules-version.test.ts` fails until it is.
 */
export const GATE_RULES_VERSION = 2;
