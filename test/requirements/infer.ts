import type { Requirements } from './requirement.ts';

export const inferRequirements = {
  'springdrift 14': {
    'infer:kind-xml':
      'Prose and thoughts around an answer, elements in another order, True for true, and bare & and < in texts are read; what was mended is recorded.',
    'infer:no-open-gap':
      'An answer with a place that its model left open, or that only repeats the form, is none: the model is shown its own answer with the gaps.',
    'models:same-end-on-any-server':
      'A Task ends the same on a server that takes schemas, thinking and caching, and on one that takes none of them and talks around its XML.',
    'infer:one-value-any-form': 'An answer has the same value as JSON and as XML.',
    'infer:single-element-lists': 'A repeatable element of structured output is a list, also when it occurs once.',
  },
  'springdrift 6': {
    'models:work-by-kind':
      'Work that the perceiver calls one step, and code finds small, begins on the fast model; every attempt after a failed one is on the capable. The record says which and why.',
    'models:fall-back':
      'Where a model is overloaded, broken or silent, the one of the other tier goes on, never a Fast one for who judges on Capable; record and reply say so.',
    'infer:retry-policy':
      'A model call is tried again at most 3 times after 429, 5xx, 529, network failures and time-outs, with 500, 5,000 or 2,000 ms doubling up to 60,000 ms; a longer Retry-After parks the work.',
  },
  'design 5': {
    'infer:cancel-at-once': 'A cancelled model call ends at once, whatever the model does.',
    'infer:stall-watchdog':
      'An answer that falls silent is cut off, and no call lasts longer than its time limit, which alone counts before it begins.',
    'infer:whole-answer':
      'What a model sends is made whole before anybody decides on it: record, digests, gate, tool and next request see the same, what was mended is told, and half an answer is none.',
    'infer:payload-counts':
      'An answer that arrived whole costs one request, whatever its labels and figures say; no figure counts beyond what can be.',
    'infer:unusable-call': 'A call that cannot be taken as it was sent never runs, and the model reads why.',
    'infer:no-secret-in-failure': 'No failure holds the credentials of the model.',
    'infer:scripted-obeys':
      'The scripted model obeys every request, so that a refusal comes from a rule and never from the model.',
    'infer:redaction-keeps-json': 'secrets are replaced text by text, so that a record stays the same JSON',
    'infer:secrets-redacted': 'Known secret values are replaced in every encoding in which they reach the record.',
    'infer:replay-divergence':
      'A replay names the first request that is not the recorded one, and answers only recorded requests.',
  },
  'design 7 (no usable provider)': {
    'infer:parks':
      'A failure that passes ends no work: its calls wait, all of one provider with one try at a time and not before the moment it names; a line and a condition say since when, why, and when it is tried next.',
  },
  'aesthetics 3': {
    'infer:bounded-answer': 'The size of an answer is bounded before it is decoded.',
  },
  'design 6': {
    'infer:example-not-canned': 'The bundled script holds no result: other data gives another reply.',
  },
  'springdrift 4': {
    'infer:no-false-secrets': 'Redaction by shape leaves digests, commit ids, UUIDs, call ids and ordinary text alone.',
  },
} as const satisfies Requirements;
