import type { Requirements } from './requirement.ts';

export const mailDialogueRequirements = {
  'reliability-security 4': {
    'mail-approvals:whom-once':
      'Each approver is mailed each open request once, over restarts as well; never one of class 4, and none that nobody waits for any more',
    'mail-approvals:our-words':
      'The letter says in our words what the call does, what a yes does, until when and how to answer; arguments are bounded and can be neither followed nor taken for a line of ours',
    'mail-approvals:answer':
      'An answer decides if its first words are a decision and the code, whatever their case, blanks and hyphens, and a sentence after them',
    'mail-approvals:nothing-else':
      'Nothing else decides: no quote, no wrong, used, late or another’s code, no program, no unproven sender, no changed arguments; the record says which rule',
    'mail-approvals:wrong-codes': 'After five wrong codes for a request nobody decides it by mail any more',
    'mail-approvals:code-nowhere':
      'No code is in the record, neither of a letter sent nor of an answer, though it were mistyped',
    'mail-approvals:key':
      'The key of the codes is readable by its owner alone, else no agent starts; with another key no old mail is sent',
    'mail-pairs:hops':
      'Two programs answer each other hopsMax times at the most, counted by header and, where it is stripped, by the thread',
    'mail-pairs:alike':
      'So many letters of a peer within a day that say the same trip the pair, without a header and without a thread; then a person lets them go on',
  },
  'reliability-security 7': {
    'mail-approvals:mean-something':
      'Of 1,000 mutated, replayed, late, cross-request and cross-person answers none runs a call on changed arguments, and no replay runs one again',
  },
  'springdrift 10': {
    'mail-questions:readers':
      'A question that tells what its reader may not read, or whose run has read such things before, is mailed to nobody',
    'mail-questions:asked-and-answered':
      'A question of a run that a letter began is mailed to its sender once, and the next own words in that thread answer it',
  },
} as const satisfies Requirements;
