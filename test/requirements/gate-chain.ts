import type { Requirements } from './requirement.ts';

export const gateChainRequirements = {
  'springdrift 2; design 5': {
    'gate-chain:input-interactive':
      'What a person says meets the rules, which only note, and the probes where the policy has them; it is never scored.',
    'gate-chain:input-autonomous':
      'On an autonomous path a block refuses without a model, a doubt is scored after the probes, and without features or a score a doubt refuses.',
    'gate-chain:own-rule-blocks':
      'What a rejecting rule of the character matches is refused on an autonomous path without a model, which could not clear it.',
    'gate-chain:output-autonomous':
      'What leaves on an autonomous path meets the rules and then the score, where the policy has features.',
    'gate-chain:tool':
      'A call meets authority, rules and the shipped rules, then the probes, then one score of the very call; the strictest policy decides.',
    'gate-chain:only-tighter':
      'An Agent’s thresholds and the observer’s tightening only lower those of the character, the observer never below its floors.',
  },
  'springdrift 2': {
    'gate-chain:fast-accept':
      'Input in which no rule finds anything is taken with score 0, and the record says that it was not scored.',
    'gate-chain:output-interactive':
      'What a person will read meets the rules alone: a block refuses, a doubt is noted.',
    'gate-chain:iterations':
      'Modify is answered with a caution; after maxIterations verdicts of Modify and Reject it is a refusal.',
    'gate-chain:stall': 'Where the mean of the last scores of the window reaches the threshold, Modify is a refusal.',
    'gate-chain:reactive': 'A score of the critical features alone that reaches reactiveReject refuses.',
    'gate-chain:scored-part':
      'Of a long text the first part is scored and the record says how much; what the rules found in a longer one no score clears.',
    'gate-chain:score-asked-again':
      'An answer of the scorer without the form that was asked for is asked again, twice at most; the record says how often it was asked.',
    'gate-chain:broken-policy':
      'A policy that cannot be scored is an error that names the field; no default stands in.',
    'gate-chain:no-pattern-told': 'Neither verdict, record nor request tells a pattern.',
  },
  'springdrift 2, 15': {
    'gate-chain:revisions':
      'Revisions are asked for at most maxModifications times in a cycle; then the original leaves with a warning that people see.',
    'gate-chain:revision-too-short':
      'A revision that is much shorter than the original is no revision: the original leaves with a warning.',
    'gate-chain:overrides':
      'A specialist’s features and thresholds hold for its calls besides those of all; each policy judges under its own.',
    'gate-chain:shipped-rules':
      'The shipped character’s rules refuse destructive commands and credentials that would leave, and say nothing of what only looks like them.',
  },
  'design 5; springdrift 17': {
    'gate-chain:exempt':
      'Calls below scoreFromClass and of unscored reads are not scored unless the shipped rules doubt them; the record names the exemption.',
  },
  'design 5; reliability-security 4': {
    'gate-chain:person-asked':
      'A call that a person has to approve stays so unless the score refuses it; an approval lets go what scores below reject.',
  },
  'design 5; springdrift 1': {
    'gate-chain:calculus':
      'The calculus weighs input, output and calls from effect class 3 on, unless the Agent turns it off.',
  },
  'springdrift 2, 17': {
    'gate-chain:scorer-unavailable':
      'No answer, or one with features missing, made up, doubled or off the scale: refused on autonomous paths, accepted with a visible flag where a person is in the conversation.',
    'gate-chain:probes':
      'Two probes with fresh tokens: a token early or without a refusal is a hijack, the exact secret a leak; a detection refuses at 1 before any score.',
    'gate-chain:probes-degraded':
      'A probe without an answer is inconclusive, which is no detection; three in a row are degraded.',
    'gate-chain:record':
      'The record of a verdict holds all that decided, with the digest of what was judged, and follows from the inquiry alone.',
    'gate-chain:worksheets':
      'The worksheets come through the gate as published: 0.11 is accepted, 0.512 is refused at 0.50.',
  },
  'springdrift 2; reliability-security 4': {
    'gate-chain:scorer-request':
      'The scorer is asked about the actual call or text, as data between marks that it cannot contain, with the words of the scale.',
    'gate-chain:probed-if-untrusted':
      'Probes test what holds untrusted words, what the rules found something in, and what nobody knows the origin of; nothing else.',
  },
  'reliability-security 4; springdrift 15': {
    'gate-chain:scorer-words':
      'What the scorer says of an input or a call never reaches a model as the gate’s words; of a text that the model wrote it is quoted.',
  },
  'aesthetics 3; springdrift 2': {
    'gate-chain:never-milder': 'A rule, a policy, a detection or a higher magnitude never makes a verdict milder.',
  },
  'springdrift 2, 17; design 5': {
    'gate-chain:shipped-gates':
      'The shipped gates and overrides have the published features, importances and thresholds; each critical feature alone at its maximum is at least Modify, and so is prompt_injection.',
  },
  'springdrift 2; artoo A.16': {
    'gate:turn-judged-once':
      'A turn is judged when it comes: earlier turns of a session are no part of what the input gate reads, and what was refused is no turn.',
  },
} as const satisfies Requirements;
