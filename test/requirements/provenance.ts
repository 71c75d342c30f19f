import type { Requirements } from './requirement.ts';

export const provenanceRequirements = {
  'reliability-security 4; design 5': {
    'provenance:every-result-labelled':
      'Each tool of the catalog has a label for what it brings back, and what is not known is untrusted',
    'provenance:reader-restarts':
      'A run with a reader in it ends once from every prefix of its record, and its tokens count in every budget',
    'provenance:secrets-stay':
      'A known secret is in the arguments of no call at all, in none of these forms, judged and at the chokepoint',
    'provenance:handed-on':
      'What a cycle has read labels every later cycle of its run, and what is handed on stands between marks',
  },
  'reliability-security 4; springdrift 15': {
    'provenance:fenced':
      'An untrusted text reaches the model as a tool result between marks that it could not know, and never as another turn',
  },
  'reliability-security 4 (dual model / quarantine)': {
    'provenance:long-text-withheld':
      'Of a long text that is not believed a model gets bounded fields whose quotes are in the text, or its head and tail, and never the whole',
    'provenance:reader-knows-nothing':
      'The quarantine reader has no tools, no instructions or memory of the agent, and is asked in the words of people',
  },
  'reliability-security 4 (schema output, lengths and enums)': {
    'provenance:reader-answers-in-schema':
      'An answer of the reader outside its schema is no reading; it is asked once more, and then not again',
  },
  'design 5': {
    'provenance:tainted-effect-asks':
      'After untrusted text was read, a call that changes something outside needs leave, whatever is granted alone, unless the first plan names its tool and people or records that no stranger writes show whom and what it affects',
  },
  'reliability-security 4 (rule of two)': {
    'provenance:rule-of-two':
      'A cycle that has read untrusted text and private data asks outside at addresses of the Task only',
  },
  'reliability-security 4 (data in the path)': {
    'provenance:new-address-asks':
      'After untrusted text was read, and wherever nobody watches, an address that neither the Task nor a page of its own site names needs leave',
  },
  'reliability-security 4': {
    'provenance:private-stays':
      'Private data is in the arguments of no call that reaches outside: plain, base64, hex, reversed or in pieces',
    'provenance:own-file-trusted':
      'A file is trusted only where the same cycle wrote it before it read anything untrusted or ran a program',
    'provenance:files-labelled':
      'A file is trusted only where the record has these bytes: a seed, what a clean cycle wrote, or what a person believes; what a program prints and writes is the join of all that it may see',
    'provenance:basis-marked':
      'A criterion that untrusted data shows is met without a question, and its verdict says what it rests on; what only trusted files show leaves the run clean',
    'provenance:addresses-as-browsers':
      'Finds every address that a browser, a renderer or a mail client would follow, however it is written.',
    'provenance:reply-addresses-inert':
      'Writes addresses from untrusted text so that nothing makes a link or an image of them.',
    'provenance:delivered-like-replies':
      'Passes every text of a result through the rules of a reply, also reasons, gaps and claims that quote one.',
    'provenance:choice-budget':
      'Counts in bits what the choice of addresses could tell a site of confidential instructions or of memory: 64 within 30 days, then a person is asked once for the site and the run.',
    'provenance:choice-code':
      'No way of spelling with requests (repeats, order, missing pages, the Task’s own addresses) tells a site more bits than are counted, nor more than the budget.',
    'provenance:reply-keeps-keys':
      'A reply holds no key of memory, of the instructions or of a file that the Task does not name, in none of these forms, and no address that was made up',
  },
  'reliability-security 4 (ASI06, memory poisoning)': {
    'provenance:memory-keeps-label':
      'A fact keeps the label of the cycle that wrote it, over restarts; a fact without one is untrusted',
    'provenance:acts-later-asks':
      'There, too, what lets the agent act later needs leave, unless only people and records chose the call',
    'provenance:believed-fact-asks':
      'There, too, a believed fact is replaced with leave only, unless the Task names its key',
    'provenance:unnamed-fact-unbelieved':
      'Where nobody watches, a fact under a key that the Task does not name is kept as not believed',
  },
  'reliability-security 4 (fixed recipients)': {
    'provenance:addresses-of-people':
      'The addresses that people name are fixed at the admission of a run, before anything is read',
  },
  'reliability-security 4 (ASI06)': {
    'provenance:session-trusted':
      'A later run is told the words of an earlier one as the agent’s own only if that one read nothing untrusted',
  },
  'reliability-security 4 (plan then execute)': {
    'provenance:plan-frozen':
      'The digest of the first plan is recorded; a plan made after untrusted text was read adds no tool that reaches outside',
    'provenance:serving-asks':
      'There, too, a page is served with leave only, unless the Task names the tool, or the first plan does and nobody but the author of the Task had a word in it',
  },
  'reliability-security 4, 7': {
    'provenance:other-file-asks':
      'After untrusted text was read, and wherever nobody watches, a file that was there before is replaced with leave only, unless the Task names it, the run wrote it or the character grants its path',
    'provenance:scripts-keep-files':
      'What programs do to the same files has no effect, and they are told; what they made themselves is theirs, also after a kill',
  },
  'reliability-security 4 (labels on every value)': {
    'provenance:programs-see-what-they-may-believe':
      'A program sees trusted files, those that the Task names, those of its run and its inputs; what it prints and writes has the joined label of all of them',
    'provenance:links-labelled':
      'A link has the label of whoever made it, by its text: a program sees it as it sees a file, what is read through it has the label of link and target together, and in place of something that was there it is a change of that',
  },
} as const satisfies Requirements;
