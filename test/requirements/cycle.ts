import type { Requirements } from './requirement.ts';

export const cycleRequirements = {
  'Messages API (errors)': {
    'cycle:refused-conversation':
      'a server’s refusal of the conversation (too long, foreign thoughts, one block) leads to another request that meets what it states, and never to the same one',
  },
  'design 5': {
    'cycle:plain-after-refusal':
      'A server that refuses what its model should take is asked again at once in plain text and XML; three malformed answers cost three answers.',
    'gate:approval-timeout-refuses': 'an approval that nobody gave is a refusal',
    'gate:approval-mode':
      'a Task can ask for approval of every effect, or before its first call; never for less than the policy asks',
    'cycle:gate-intent-first':
      'Each question of a gate to a model stands in the record before it is put; what it costs is the cycle’s.',
    'cycle:refusal-is-an-outcome': 'A refusal is the outcome Refused, with the reason, the rule, and how to appeal.',
    'cycle:answer-too-late': 'An answer about a call that was decided meanwhile is recorded and changes nothing.',
    'cycle:lost-question': 'A question whose answer a restart lost is not put again: its answer is not to be had.',
    'cycle:scored-restarts': 'Every prefix of a cycle with scores is completed to the same record.',
    'run:other-deciders':
      'A run that deciders of another number began goes on from its record by those of today, and records that.',
    'replay:other-deciders':
      'What deciders of another number decided is compared and counted, and is no fault of the record.',
    'replay:golden-runs':
      'Runs that earlier builds recorded verify, are told in the same words, and replay to the same bytes but for listed differences.',
    'replay:forecasts-stand':
      'Under another character recorded forecasts stand where it scores the same features; else the difference says that models would be asked anew.',
    'tools:verdict-stands':
      'No call runs that no recorded verdict accepts with just these arguments and this approval.',
  },
  'springdrift 2, 6': {
    'cycle:thoughts-are-nobodys-words':
      'What a model thought goes back to it unchanged while the conversation only grows, and no gate or person takes it for the agent’s words.',
  },
  'springdrift 17, 6': {
    'cycle:every-tool-use-is-answered': 'every tool use of an answer gets exactly one result before the next request',
  },
  'springdrift 6 (request_human_input); reliability-security 4': {
    'cycle:asks-a-person':
      'Who works may ask a person: the cycle waits as for an approval, the answer is the result of the call, and no answer refuses nothing.',
  },
  'springdrift 17': {
    'cycle:one-terminal-transition': 'a cycle ends exactly once; late results are discarded',
  },
  'springdrift 6': {
    'cycle:empty-reply-guard': 'an empty reply is retried once, then admitted',
    'cycle:truncation-guard': 'a cut-off reply is retried once, then admitted with model, tokens, limit and tools',
  },
  'springdrift 14; artoo C': {
    'infer:structured-retry': 'a malformed structure goes back with the validator’s message, twice at most',
  },
  'springdrift 7': {
    'cycle:turn-warning': 'the model is warned when two turns are left',
    'cycle:gate-keeps-order':
      'Calls of one answer are scored side by side and run in the order in which they were asked for.',
  },
  'artoo A.5': {
    'cycle:repeated-calls': 'the first identical consecutive call is warned, the second ends the cycle',
  },
  'design 5; reliability-security 4': {
    'gate:approval-bound-to-arguments': 'an approval holds for exactly the arguments that were shown',
  },
  'design 5; springdrift 17': {
    'cycle:unknown-effects-are-flagged':
      'an effect whose result is unknown after a crash is flagged, never silently repeated',
  },
  'reliability-security 4; springdrift 14': {
    'cycle:tokens-bounded-before-the-call':
      'a model call is made only when its prompt fits into what is left, and may answer no longer than the rest',
  },
  'reliability-security 4; design 3 (budgets)': {
    'cycle:money-bounded-before-the-call':
      'where the price of a model is known, a call is made only when its prompt can be paid for by what is left, and may answer no longer than the rest pays for',
    'cycle:gate-out-of-budget':
      'Where a gate’s question is more than a budget allows, autonomous work ends out of budget, as it does for the model’s own calls, and not as refused.',
  },
  'springdrift 2; design 5': {
    'cycle:scored-together':
      'Calls of one answer share one question, each between marks and keyed by its id, unless the cycle has read untrusted text or the rules doubt the call; one without a usable score of its own is scored alone.',
    'gate:answers-hold':
      'What a scorer or a probe has said of a text holds for the same text under the same rules within the run; of a cycle that read untrusted text, only for such cycles.',
  },
  'springdrift 2': {
    'cycle:probes-beside-score':
      'Probes and the first score of a subject are asked side by side; the verdict waits for both.',
    'gate:plain-task-cost':
      'A Task of one call takes six model calls in sequence under the shipped character, however many calls an answer has.',
    'gate:cost-of-examples':
      'Under the shipped character the gates take at most half a call for each call of the work, and 15 % of the tokens.',
    'cycle:caution-is-a-result':
      'A call judged Modify is answered with the caution and not run; the model thinks again.',
    'cycle:unscored-stays':
      'At a limit of the cycle a text that would have to be scored leaves only where a person is in the conversation.',
    'gate:probes-degraded':
      'Three probes in a row without any answer are told to people, and so is the first that brings one again.',
  },
  'springdrift 2, 15': {
    'cycle:revision-stops':
      'A revision is given the original; revisions are counted through whatever comes in between, and at the limit the original leaves with a warning.',
  },
  'springdrift 2; reliability-security 4': {
    'cycle:score-asked-again':
      'A malformed score is asked again with an intent of its own, within the tokens and the money of the cycle; all of it is counted.',
  },
  'springdrift 15': {
    'cycle:scored-ends':
      'Whatever scorers and probes answer, the cycle waits for something or has ended, within its budget.',
    'run:no-gate-notices': 'What a gate said is no turn of a later conversation.',
  },
  'springdrift 2, 17': {
    'gate:asks-always-answered':
      'Whatever a model does wrong or too late is an answer: inconclusive, or no score, with the reason.',
  },
  'design 5; springdrift 15': {
    'run:scored-restarts':
      'A scored run that is killed after any record goes on to one delivery; no question of a gate is put twice, no effect happens twice.',
  },
} as const satisfies Requirements;
