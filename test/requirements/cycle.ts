import type { Requirements } from './requirement.ts';

export const cycleRequirements = {
  'cycle:plain-after-refusal': {
    source: 'design 5',
    behavior:
      'A server that refuses what its model should take is asked again at once in plain text and XML; three malformed answers cost three answers.',
  },
  'cycle:thoughts-are-nobodys-words': {
    source: 'springdrift 2, 6',
    behavior:
      'What a model thought goes back to it unchanged while the conversation only grows, and no gate or person takes it for the agent’s words.',
  },
  'cycle:every-tool-use-is-answered': {
    source: 'springdrift 17, 6',
    behavior: 'every tool use of an answer gets exactly one result before the next request',
  },
  'cycle:asks-a-person': {
    source: 'springdrift 6 (request_human_input); reliability-security 4',
    behavior:
      'Who works may ask a person: the cycle waits as for an approval, the answer is the result of the call, and no answer refuses nothing.',
  },
  'cycle:one-terminal-transition': {
    source: 'springdrift 17',
    behavior: 'a cycle ends exactly once; late results are discarded',
  },
  'cycle:empty-reply-guard': { source: 'springdrift 6', behavior: 'an empty reply is retried once, then admitted' },
  'cycle:truncation-guard': {
    source: 'springdrift 6',
    behavior: 'a cut-off reply is retried once, then admitted with model, tokens, limit and tools',
  },
  'infer:structured-retry': {
    source: 'springdrift 14; artoo C',
    behavior: 'a malformed structure goes back with the validator’s message, twice at most',
  },
  'cycle:turn-warning': { source: 'springdrift 7', behavior: 'the model is warned when two turns are left' },
  'cycle:repeated-calls': {
    source: 'artoo A.5',
    behavior: 'the first identical consecutive call is warned, the second ends the cycle',
  },
  'gate:approval-bound-to-arguments': {
    source: 'design 5; reliability-security 4',
    behavior: 'an approval holds for exactly the arguments that were shown',
  },
  'gate:approval-timeout-refuses': { source: 'design 5', behavior: 'an approval that nobody gave is a refusal' },
  'cycle:unknown-effects-are-flagged': {
    source: 'design 5; springdrift 17',
    behavior: 'an effect whose result is unknown after a crash is flagged, never silently repeated',
  },
  'cycle:tokens-bounded-before-the-call': {
    source: 'reliability-security 4; springdrift 14',
    behavior:
      'a model call is made only when its prompt fits into what is left, and may answer no longer than the rest',
  },
  'cycle:money-bounded-before-the-call': {
    source: 'reliability-security 4; design 3 (budgets)',
    behavior:
      'where the price of a model is known, a call is made only when its prompt can be paid for by what is left, and may answer no longer than the rest pays for',
  },
  'gate:approval-mode': {
    source: 'design 5',
    behavior:
      'a Task can ask for approval of every effect, or before its first call; never for less than the policy asks',
  },
  'cycle:gate-intent-first': {
    source: 'design 5',
    behavior: 'Each question of a gate to a model stands in the record before it is put; what it costs is the cycle’s.',
  },
  'cycle:gate-keeps-order': {
    source: 'springdrift 7',
    behavior: 'Calls of one answer are scored side by side and run in the order in which they were asked for.',
  },
  'cycle:scored-together': {
    source: 'springdrift 2; design 5',
    behavior:
      'Calls of one answer share one question, each between marks and keyed by its id, unless the cycle has read untrusted text or the rules doubt the call; one without a usable score of its own is scored alone.',
  },
  'cycle:probes-beside-score': {
    source: 'springdrift 2',
    behavior: 'Probes and the first score of a subject are asked side by side; the verdict waits for both.',
  },
  'gate:plain-task-cost': {
    source: 'springdrift 2',
    behavior:
      'A Task of one call takes six model calls in sequence under the shipped character, however many calls an answer has.',
  },
  'gate:cost-of-examples': {
    source: 'springdrift 2',
    behavior:
      'Under the shipped character the gates take at most half a call for each call of the work, and 15 % of the tokens.',
  },
  'gate:answers-hold': {
    source: 'springdrift 2; design 5',
    behavior:
      'What a scorer or a probe has said of a text holds for the same text under the same rules within the run; of a cycle that read untrusted text, only for such cycles.',
  },
  'cycle:caution-is-a-result': {
    source: 'springdrift 2',
    behavior: 'A call judged Modify is answered with the caution and not run; the model thinks again.',
  },
  'cycle:refusal-is-an-outcome': {
    source: 'design 5',
    behavior: 'A refusal is the outcome Refused, with the reason, the rule, and how to appeal.',
  },
  'cycle:revision-stops': {
    source: 'springdrift 2, 15',
    behavior:
      'A revision is given the original; revisions are counted through whatever comes in between, and at the limit the original leaves with a warning.',
  },
  'cycle:answer-too-late': {
    source: 'design 5',
    behavior: 'An answer about a call that was decided meanwhile is recorded and changes nothing.',
  },
  'cycle:lost-question': {
    source: 'design 5',
    behavior: 'A question whose answer a restart lost is not put again: its answer is not to be had.',
  },
  'cycle:score-asked-again': {
    source: 'springdrift 2; reliability-security 4',
    behavior:
      'A malformed score is asked again with an intent of its own, within the tokens and the money of the cycle; all of it is counted.',
  },
  'cycle:gate-out-of-budget': {
    source: 'reliability-security 4; design 3 (budgets)',
    behavior:
      'Where a gate’s question is more than a budget allows, autonomous work ends out of budget, as it does for the model’s own calls, and not as refused.',
  },
  'cycle:unscored-stays': {
    source: 'springdrift 2',
    behavior:
      'At a limit of the cycle a text that would have to be scored leaves only where a person is in the conversation.',
  },
  'cycle:scored-ends': {
    source: 'springdrift 15',
    behavior: 'Whatever scorers and probes answer, the cycle waits for something or has ended, within its budget.',
  },
  'cycle:scored-restarts': {
    source: 'design 5',
    behavior: 'Every prefix of a cycle with scores is completed to the same record.',
  },
  'run:no-gate-notices': {
    source: 'springdrift 15',
    behavior: 'What a gate said is no turn of a later conversation.',
  },
  'run:other-deciders': {
    source: 'design 5',
    behavior:
      'A run that deciders of another number began goes on from its record by those of today, and records that.',
  },
  'replay:other-deciders': {
    source: 'design 5',
    behavior: 'What deciders of another number decided is compared and counted, and is no fault of the record.',
  },
  'replay:golden-runs': {
    source: 'design 5',
    behavior:
      'Runs that earlier builds recorded verify, are told in the same words, and replay to the same bytes but for listed differences.',
  },
  'replay:forecasts-stand': {
    source: 'design 5',
    behavior:
      'Under another character recorded forecasts stand where it scores the same features; else the difference says that models would be asked anew.',
  },
  'tools:verdict-stands': {
    source: 'design 5',
    behavior: 'No call runs that no recorded verdict accepts with just these arguments and this approval.',
  },
  'gate:probes-degraded': {
    source: 'springdrift 2',
    behavior: 'Three probes in a row without any answer are told to people, and so is the first that brings one again.',
  },
  'gate:asks-always-answered': {
    source: 'springdrift 2, 17',
    behavior: 'Whatever a model does wrong or too late is an answer: inconclusive, or no score, with the reason.',
  },
  'run:scored-restarts': {
    source: 'design 5; springdrift 15',
    behavior:
      'A scored run that is killed after any record goes on to one delivery; no question of a gate is put twice, no effect happens twice.',
  },
} as const satisfies Requirements;
