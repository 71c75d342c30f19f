import type { Requirements } from './requirement.ts';

export const inferRequirements = {
  'infer:kind-xml': {
    source: 'springdrift 14',
    behavior:
      'Prose and thoughts around an answer, elements in another order, True for true, and bare & and < in texts are read; what was mended is recorded.',
  },
  'models:same-end-on-any-server': {
    source: 'springdrift 14',
    behavior:
      'A Task ends the same on a server that takes schemas, thinking and caching, and on one that takes none of them and talks around its XML.',
  },
  'models:work-by-kind': {
    source: 'springdrift 6',
    behavior:
      'Work that the perceiver calls one step, and code finds small, begins on the fast model; every attempt after a failed one is on the capable. The record says which and why.',
  },
  'models:fall-back': {
    source: 'springdrift 6',
    behavior:
      'Where a model is overloaded, broken or silent, the one of the other tier goes on, never a Fast one for who judges on Capable; record and reply say so.',
  },
  'infer:one-value-any-form': {
    source: 'springdrift 14',
    behavior: 'An answer has the same value as JSON and as XML.',
  },
  'infer:retry-policy': {
    source: 'springdrift 6',
    behavior:
      'A model call is tried again at most 3 times after 429, 5xx, 529, network failures and time-outs, with 500, 5,000 or 2,000 ms doubling up to 60,000 ms; Retry-After is honoured.',
  },
  'infer:cancel-at-once': {
    source: 'design 5',
    behavior: 'A cancelled model call ends at once, whatever the model does.',
  },
  'infer:stall-watchdog': {
    source: 'design 5',
    behavior: 'A model that falls silent is cut off, and no call lasts longer than its time limit.',
  },
  'infer:bounded-answer': {
    source: 'aesthetics 3',
    behavior: 'The size of an answer is bounded before it is decoded.',
  },
  'infer:no-secret-in-failure': {
    source: 'design 5',
    behavior: 'No failure holds the credentials of the model.',
  },
  'infer:example-not-canned': {
    source: 'design 6',
    behavior: 'The bundled script holds no result: other data gives another reply.',
  },
  'infer:scripted-obeys': {
    source: 'design 5',
    behavior: 'The scripted model obeys every request, so that a refusal comes from a rule and never from the model.',
  },
  'infer:redaction-keeps-json': {
    source: 'design 5',
    behavior: 'secrets are replaced text by text, so that a record stays the same JSON',
  },
  'infer:secrets-redacted': {
    source: 'design 5',
    behavior: 'Known secret values are replaced in every encoding in which they reach the record.',
  },
  'infer:no-false-secrets': {
    source: 'springdrift 4',
    behavior: 'Redaction by shape leaves digests, commit ids, UUIDs, call ids and ordinary text alone.',
  },
  'infer:single-element-lists': {
    source: 'springdrift 14',
    behavior: 'A repeatable element of structured output is a list, also when it occurs once.',
  },
  'infer:replay-divergence': {
    source: 'design 5',
    behavior: 'A replay names the first request that is not the recorded one, and answers only recorded requests.',
  },
} as const satisfies Requirements;
