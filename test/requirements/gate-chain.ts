import type { Requirements } from './requirement.ts';

export const gateChainRequirements = {
  'gate-chain:input-interactive': {
    source: 'springdrift 2; design 5',
    behavior:
      'What a person says meets the rules, which only note, and the probes where the policy has them; it is never scored.',
  },
  'gate-chain:input-autonomous': {
    source: 'springdrift 2; design 5',
    behavior:
      'On an autonomous path a block refuses without a model, a doubt is scored after the probes, and without features or a score a doubt refuses.',
  },
  'gate-chain:own-rule-blocks': {
    source: 'springdrift 2; design 5',
    behavior:
      'What a rejecting rule of the character matches is refused on an autonomous path without a model, which could not clear it.',
  },
  'gate-chain:fast-accept': {
    source: 'springdrift 2',
    behavior:
      'Input in which no rule finds anything is taken with score 0, and the record says that it was not scored.',
  },
  'gate-chain:output-interactive': {
    source: 'springdrift 2',
    behavior: 'What a person will read meets the rules alone: a block refuses, a doubt is noted.',
  },
  'gate-chain:output-autonomous': {
    source: 'springdrift 2; design 5',
    behavior: 'What leaves on an autonomous path meets the rules and then the score, where the policy has features.',
  },
  'gate-chain:revisions': {
    source: 'springdrift 2, 15',
    behavior:
      'Revisions are asked for at most maxModifications times in a cycle; then the original leaves with a warning that people see.',
  },
  'gate-chain:revision-too-short': {
    source: 'springdrift 2, 15',
    behavior: 'A revision that is much shorter than the original is no revision: the original leaves with a warning.',
  },
  'gate-chain:tool': {
    source: 'springdrift 2; design 5',
    behavior:
      'A call meets authority, rules and the shipped rules, then the probes, then one score of the very call; the strictest policy decides.',
  },
  'gate-chain:exempt': {
    source: 'design 5; springdrift 17',
    behavior:
      'Calls below scoreFromClass and of unscored reads are not scored unless the shipped rules doubt them; the record names the exemption.',
  },
  'gate-chain:person-asked': {
    source: 'design 5; reliability-security 4',
    behavior:
      'A call that a person has to approve stays so unless the score refuses it; an approval lets go what scores below reject.',
  },
  'gate-chain:iterations': {
    source: 'springdrift 2',
    behavior: 'Modify is answered with a caution; after maxIterations verdicts of Modify and Reject it is a refusal.',
  },
  'gate-chain:stall': {
    source: 'springdrift 2',
    behavior: 'Where the mean of the last scores of the window reaches the threshold, Modify is a refusal.',
  },
  'gate-chain:reactive': {
    source: 'springdrift 2',
    behavior: 'A score of the critical features alone that reaches reactiveReject refuses.',
  },
  'gate-chain:overrides': {
    source: 'springdrift 2, 15',
    behavior:
      'A specialist’s features and thresholds hold for its calls besides those of all; each policy judges under its own.',
  },
  'gate-chain:calculus': {
    source: 'design 5; springdrift 1',
    behavior: 'The calculus weighs input, output and calls from effect class 3 on, unless the Agent turns it off.',
  },
  'gate-chain:scorer-unavailable': {
    source: 'springdrift 2, 17',
    behavior:
      'No answer, or one with features missing, made up, doubled or off the scale: refused on autonomous paths, accepted with a visible flag where a person is in the conversation.',
  },
  'gate-chain:scored-part': {
    source: 'springdrift 2',
    behavior:
      'Of a long text the first part is scored and the record says how much; what the rules found in a longer one no score clears.',
  },
  'gate-chain:scorer-request': {
    source: 'springdrift 2; reliability-security 4',
    behavior:
      'The scorer is asked about the actual call or text, as data between marks that it cannot contain, with the words of the scale.',
  },
  'gate-chain:score-asked-again': {
    source: 'springdrift 2',
    behavior:
      'An answer of the scorer without the form that was asked for is asked again, twice at most; the record says how often it was asked.',
  },
  'gate-chain:scorer-words': {
    source: 'reliability-security 4; springdrift 15',
    behavior:
      'What the scorer says of an input or a call never reaches a model as the gate’s words; of a text that the model wrote it is quoted.',
  },
  'gate-chain:probes': {
    source: 'springdrift 2, 17',
    behavior:
      'Two probes with fresh tokens: a token early or without a refusal is a hijack, the exact secret a leak; a detection refuses at 1 before any score.',
  },
  'gate-chain:probed-if-untrusted': {
    source: 'springdrift 2; reliability-security 4',
    behavior:
      'Probes test what holds untrusted words, what the rules found something in, and what nobody knows the origin of; nothing else.',
  },
  'gate-chain:probes-degraded': {
    source: 'springdrift 2, 17',
    behavior: 'A probe without an answer is inconclusive, which is no detection; three in a row are degraded.',
  },
  'gate-chain:only-tighter': {
    source: 'springdrift 2; design 5',
    behavior:
      'An Agent’s thresholds and the observer’s tightening only lower those of the character, the observer never below its floors.',
  },
  'gate-chain:broken-policy': {
    source: 'springdrift 2',
    behavior: 'A policy that cannot be scored is an error that names the field; no default stands in.',
  },
  'gate-chain:never-milder': {
    source: 'aesthetics 3; springdrift 2',
    behavior: 'A rule, a policy, a detection or a higher magnitude never makes a verdict milder.',
  },
  'gate-chain:record': {
    source: 'springdrift 2, 17',
    behavior:
      'The record of a verdict holds all that decided, with the digest of what was judged, and follows from the inquiry alone.',
  },
  'gate-chain:no-pattern-told': {
    source: 'springdrift 2',
    behavior: 'Neither verdict, record nor request tells a pattern.',
  },
  'gate-chain:shipped-gates': {
    source: 'springdrift 2, 17; design 5',
    behavior:
      'The shipped gates and overrides have the published features, importances and thresholds; each critical feature alone at its maximum is at least Modify, and so is prompt_injection.',
  },
  'gate-chain:shipped-rules': {
    source: 'springdrift 2, 15',
    behavior:
      'The shipped character’s rules refuse destructive commands and credentials that would leave, and say nothing of what only looks like them.',
  },
  'gate-chain:worksheets': {
    source: 'springdrift 2, 17',
    behavior: 'The worksheets come through the gate as published: 0.11 is accepted, 0.512 is refused at 0.50.',
  },
  'gate:turn-judged-once': {
    source: 'springdrift 2; artoo A.16',
    behavior:
      'A turn is judged when it comes: earlier turns of a session are no part of what the input gate reads, and what was refused is no turn.',
  },
} as const satisfies Requirements;
