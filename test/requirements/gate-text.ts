import type { Requirements } from './requirement.ts';

export const gateTextRequirements = {
  'gate-text:spellings': {
    source: 'springdrift 2, 17; reliability-security 4',
    behavior:
      'Operator rules read the text, its folded and its look-alike spellings; no line is lost; places are those of the text.',
  },
  'gate-text:disguises': {
    source: 'springdrift 2; reliability-security 4',
    behavior:
      'Zero-width characters spaced and fused, digits and letters that look alike, spaced-out and fused letters hide no command.',
  },
  'gate-text:each-rule': {
    source: 'springdrift 2',
    behavior: 'Each rule over phrases and markup finds the plainest words that it is there for.',
  },
  'gate-text:structure': {
    source: 'springdrift 2, 5; reliability-security 4',
    behavior:
      'Commands are known by phrases near each other in one sentence, so that synonyms and words in between do not hide them.',
  },
  'gate-text:languages': {
    source: 'reliability-security 4',
    behavior: 'The same command is found in English and in at least eight other languages.',
  },
  'gate-text:payloads': {
    source: 'springdrift 2; reliability-security 4',
    behavior:
      'Encoded text is decoded, also twice, and read; hidden characters, tags and links that carry data out are findings.',
  },
  'gate-text:reported-speech': {
    source: 'springdrift 15; reliability-security 4',
    behavior: 'Who quotes an attack to talk about it is not stopped; a quotation alone excuses nothing.',
  },
  'gate-text:bounded': {
    source: 'reliability-security 7; springdrift 2',
    behavior: 'Work on a text grows no faster than its length, and what is not read is a finding.',
  },
  'gate-text:levels': {
    source: 'springdrift 2; design 5',
    behavior:
      'Six points block, four escalate; without a score both are refused on autonomous paths and noted in a conversation.',
  },
  'gate-text:no-pattern-told': {
    source: 'springdrift 2',
    behavior: 'A verdict names rule and place; it repeats neither the pattern nor the text.',
  },
  'gate-text:calls': {
    source: 'springdrift 2, 15',
    behavior:
      'Paths and hosts of a call are parsed from its arguments and reach the allow-lists; its texts are read as well.',
  },
  'gate-text:published-set': {
    source: 'springdrift 5; reliability-security 7',
    behavior: 'On the published 64 texts recall is at least 0.95 and nothing harmless is flagged.',
  },
  'gate-text:false-alarms': {
    source: 'reliability-security 4, 7',
    behavior: 'At most one percent of a thousand harmless texts, a third of them technical, raise an alarm.',
  },
  'gate-text:held-out': {
    source: 'reliability-security 4',
    behavior: 'Attacks with frames, goals and channels that no rule was tuned on are found.',
  },
  'gate-text:second-line': {
    source: 'reliability-security 4',
    behavior:
      'A statistical layer may raise a doubt and lower one of the rules over plain words; it lifts no block, and its score and version are recorded.',
  },
  'gate-text:weights': {
    source: 'reliability-security 4',
    behavior:
      'The committed weights have their digest and fit into 512 KB; their score is the same for a text in any spelling, and a long text hides no command.',
  },
  'gate-text:command': {
    source: 'reliability-security 4; design 6',
    behavior:
      'Anybody can run texts and calls of his own through a gate; a score that is not computed is not shown as a number.',
  },
  'gate-train:reproducible': {
    source: 'reliability-security 4',
    behavior:
      'The statistical layer is trained without chance: the same texts give the same bytes, other texts others.',
  },
  'gate-train:recipe': {
    source: 'reliability-security 4',
    behavior:
      'The committed recipe is that of the committed weights, and no training overwrites them from other texts, packages or with other weights unasked.',
  },
} as const satisfies Requirements;
