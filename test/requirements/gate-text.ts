import type { Requirements } from './requirement.ts';

export const gateTextRequirements = {
  'springdrift 2, 17; reliability-security 4': {
    'gate-text:spellings':
      'Operator rules read the text, its folded and its look-alike spellings; no line is lost; places are those of the text.',
  },
  'springdrift 2; reliability-security 4': {
    'gate-text:disguises':
      'Zero-width characters spaced and fused, digits and letters that look alike, spaced-out and fused letters hide no command.',
    'gate-text:payloads':
      'Encoded text is decoded, also twice, and read; hidden characters, tags and links that carry data out are findings.',
  },
  'springdrift 2': {
    'gate-text:each-rule': 'Each rule over phrases and markup finds the plainest words that it is there for.',
    'gate-text:no-pattern-told': 'A verdict names rule and place; it repeats neither the pattern nor the text.',
  },
  'springdrift 2, 5; reliability-security 4': {
    'gate-text:structure':
      'Commands are known by phrases near each other in one sentence, so that synonyms and words in between do not hide them.',
  },
  'reliability-security 4': {
    'gate-text:languages': 'The same command is found in English and in at least eight other languages.',
    'gate-text:held-out': 'Attacks with frames, goals and channels that no rule was tuned on are found.',
    'gate-text:second-line':
      'A statistical layer may raise a doubt and lower one of the rules over plain words; it lifts no block and no order to the reader, and its score and version are recorded.',
    'gate-text:weights':
      'The committed weights have their digest and fit into 512 KB; their score is the same for a text in any spelling, and a long text hides no command.',
    'gate-train:reproducible':
      'The statistical layer is trained without chance: the same texts give the same bytes, other texts others.',
    'gate-train:recipe':
      'The committed recipe is that of the committed weights, and no training overwrites them from other texts, packages or with other weights unasked.',
  },
  'springdrift 15; reliability-security 4': {
    'gate-text:reported-speech':
      'Who quotes an attack to talk about it is not stopped; a quotation alone excuses nothing.',
  },
  'reliability-security 7; springdrift 2': {
    'gate-text:bounded': 'Work on a text grows no faster than its length, and what is not read is a finding.',
  },
  'springdrift 2; design 5': {
    'gate-text:levels':
      'Six points block, four escalate; without a score both are refused on autonomous paths and noted in a conversation.',
  },
  'springdrift 2, 15': {
    'gate-text:calls':
      'Paths and hosts of a call are parsed from its arguments and reach the allow-lists; its texts are read as well.',
  },
  'springdrift 5; reliability-security 7': {
    'gate-text:published-set': 'On the published 64 texts recall is at least 0.95 and nothing harmless is flagged.',
  },
  'reliability-security 4, 7': {
    'gate-text:false-alarms':
      'At most one percent of a thousand harmless texts, a third of them technical, raise an alarm.',
  },
  'reliability-security 4; design 6': {
    'gate-text:command':
      'Anybody can run texts and calls of his own through a gate; a score that is not computed is not shown as a number.',
  },
} as const satisfies Requirements;
