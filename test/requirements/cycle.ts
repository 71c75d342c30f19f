import type { Requirements } from './requirement.ts';

export const cycleRequirements = {
  'cycle:every-tool-use-is-answered': {
    source: 'springdrift 17 (L5), 6.9',
    behavior: 'every tool use of an answer gets exactly one result before the next request',
  },
  'cycle:one-terminal-transition': {
    source: 'springdrift 17 (L1, L3)',
    behavior: 'a cycle ends exactly once; late results are discarded',
  },
  'cycle:empty-reply-guard': { source: 'springdrift 6.7', behavior: 'an empty reply is retried once, then admitted' },
  'cycle:truncation-guard': {
    source: 'springdrift 6.7',
    behavior: 'a cut-off reply is retried once, then admitted with model, tokens, limit and tools',
  },
  'infer:structured-retry': {
    source: 'springdrift 14.4; artoo C9',
    behavior: 'a malformed structure goes back with the validator’s message, twice at most',
  },
  'cycle:turn-warning': { source: 'springdrift 7.5', behavior: 'the model is warned when two turns are left' },
  'cycle:repeated-calls': {
    source: 'artoo RES-11',
    behavior: 'the first identical consecutive call is warned, the second ends the cycle',
  },
  'gate:approval-bound-to-arguments': {
    source: 'design 5.8; reliability-security 4.9',
    behavior: 'an approval holds for exactly the arguments that were shown',
  },
  'gate:approval-timeout-refuses': { source: 'design 5.8', behavior: 'an approval that nobody gave is a refusal' },
  'cycle:unknown-effects-are-flagged': {
    source: 'design 5.1; springdrift 17 (L4)',
    behavior: 'an effect whose result is unknown after a crash is flagged, never silently repeated',
  },
  'cycle:tokens-bounded-before-the-call': {
    source: 'reliability-security 4.9; springdrift 14.3',
    behavior:
      'a model call is made only when its prompt fits into what is left, and may answer no longer than the rest',
  },
  'gate:approval-mode': {
    source: 'design 5.8',
    behavior:
      'a Task can ask for approval of every effect, or before its first call; never for less than the policy asks',
  },
} as const satisfies Requirements;
