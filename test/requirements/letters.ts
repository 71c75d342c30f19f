import type { Requirements } from './requirement.ts';

export const letterRequirements = {
  'reliability-security 5 (mail)': {
    'letters:authenticated':
      'A letter counts as its author’s only where the topmost results of the trusted provider, or a signature of the author’s domain, say so',
    'letters:own-words':
      'Quotes, forwards, hidden texts and attachments are not among the sender’s words; where they cannot be told apart there are no words',
    'letters:total':
      'Whatever its bytes are, a letter is read: within its limits, with its faults, and without an error',
    'letters:limits': 'A letter costs at most one second and 64 MB, bombs included',
    'letters:identity': 'The same letter has the same id, wherever it lies and however its lines end',
    'letters:automatic': 'A letter that a program wrote shows it, and a report on a letter of ours says which',
    'letters:passing':
      'A look-up that fails leaves the author unknown, says so, and comes out otherwise once it answers',
  },
} as const satisfies Requirements;
