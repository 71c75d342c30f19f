/**
 * Version of everything that the gates decide by, except the character: the shipped rules, the chain, the calculus, the flow of
 * data. Every configuration is recorded with it, so that a program with other rules does not judge an old verdict wrong.
 *
 * Raise it with every change that decides the same record differently; `rules-version.test.ts` fails until then.
 */
export const GATE_RULES_VERSION = 7;
