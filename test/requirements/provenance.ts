import type { Requirements } from './requirement.ts';

export const provenanceRequirements = {
  'provenance:every-result-labelled': {
    source: 'reliability-security 4; design 5',
    behavior: 'Each tool of the catalog has a label for what it brings back, and what is not known is untrusted',
  },
  'provenance:fenced': {
    source: 'reliability-security 4; springdrift 15',
    behavior:
      'An untrusted text reaches the model as a tool result between marks that it could not know, and never as another turn',
  },
  'provenance:long-text-withheld': {
    source: 'reliability-security 4 (dual model / quarantine)',
    behavior:
      'Of a long text that is not believed a model gets bounded fields whose quotes are in the text, or its head and tail, and never the whole',
  },
  'provenance:reader-knows-nothing': {
    source: 'reliability-security 4 (dual model / quarantine)',
    behavior:
      'The quarantine reader has no tools, no instructions or memory of the agent, and is asked in the words of people',
  },
  'provenance:reader-answers-in-schema': {
    source: 'reliability-security 4 (schema output, lengths and enums)',
    behavior: 'An answer of the reader outside its schema is no reading; it is asked once more, and then not again',
  },
  'provenance:reader-restarts': {
    source: 'reliability-security 4; design 5',
    behavior:
      'A run with a reader in it ends once from every prefix of its record, and its tokens count in every budget',
  },
  'provenance:tainted-effect-asks': {
    source: 'design 5',
    behavior:
      'After untrusted text was read, a call that changes something outside needs leave, whatever is granted alone, unless the first plan names its tool and people or records that no stranger writes show whom and what it affects',
  },
  'provenance:rule-of-two': {
    source: 'reliability-security 4 (rule of two)',
    behavior:
      'A cycle that has read untrusted text and private data asks outside at addresses of the Task only, and is offered no tool for more',
  },
  'provenance:new-address-asks': {
    source: 'reliability-security 4 (data in the path)',
    behavior:
      'After untrusted text was read, and wherever nobody watches, an address that neither the Task nor a page of its own site names needs leave',
  },
  'provenance:private-stays': {
    source: 'reliability-security 4',
    behavior:
      'Private data is in the arguments of no call that reaches outside: plain, base64, hex, reversed or in pieces',
  },
  'provenance:secrets-stay': {
    source: 'reliability-security 4; design 5',
    behavior:
      'A known secret is in the arguments of no call at all, in none of these forms, judged and at the chokepoint',
  },
  'provenance:own-file-trusted': {
    source: 'reliability-security 4',
    behavior: 'A file is trusted only where the same cycle wrote it before it read anything untrusted or ran a program',
  },
  'provenance:files-labelled': {
    source: 'reliability-security 4',
    behavior:
      'A file is trusted only where the record has these bytes: a seed, what a clean cycle wrote, or what a person believes; what a program prints and writes is the join of all that it may see',
  },
  'provenance:basis-marked': {
    source: 'reliability-security 4',
    behavior:
      'A criterion that untrusted data shows is met without a question, and its verdict says what it rests on; what only trusted files show leaves the run clean',
  },
  'provenance:memory-keeps-label': {
    source: 'reliability-security 4 (ASI06, memory poisoning)',
    behavior: 'A fact keeps the label of the cycle that wrote it, over restarts; a fact without one is untrusted',
  },
  'provenance:addresses-of-people': {
    source: 'reliability-security 4 (fixed recipients)',
    behavior: 'The addresses that people name are fixed at the admission of a run, before anything is read',
  },
  'provenance:handed-on': {
    source: 'reliability-security 4; design 5',
    behavior: 'What a cycle has read labels every later cycle of its run, and what is handed on stands between marks',
  },
  'provenance:session-trusted': {
    source: 'reliability-security 4 (ASI06)',
    behavior:
      'A later run is told the words of an earlier one as the agent’s own only if that one read nothing untrusted',
  },
  'provenance:plan-frozen': {
    source: 'reliability-security 4 (plan then execute)',
    behavior:
      'The digest of the first plan is recorded; a plan made after untrusted text was read adds no tool that reaches outside',
  },
  'provenance:addresses-as-browsers': {
    source: 'reliability-security 4',
    behavior: 'Finds every address that a browser, a renderer or a mail client would follow, however it is written.',
  },
  'provenance:reply-addresses-inert': {
    source: 'reliability-security 4',
    behavior: 'Writes addresses from untrusted text so that nothing makes a link or an image of them.',
  },
  'provenance:delivered-like-replies': {
    source: 'reliability-security 4',
    behavior:
      'Passes every text of a result through the rules of a reply, also reasons, gaps and claims that quote one.',
  },
  'provenance:choice-budget': {
    source: 'reliability-security 4',
    behavior:
      'Counts in bits what the choice of addresses could tell a site of confidential instructions or of memory: 64 within 30 days, then a person is asked once for the site and the run.',
  },
  'provenance:reply-keeps-keys': {
    source: 'reliability-security 4',
    behavior:
      'A reply holds no key of memory, of the instructions or of a file that the Task does not name, in none of these forms, and no address that was made up',
  },
  'provenance:other-file-asks': {
    source: 'reliability-security 4, 7',
    behavior:
      'After untrusted text was read, and wherever nobody watches, a file that was there before is replaced with leave only, unless the Task names it, the run wrote it or the character grants its path',
  },
  'provenance:programs-see-what-they-may-believe': {
    source: 'reliability-security 4 (labels on every value)',
    behavior:
      'A program sees trusted files, those that the Task names, those of its run and its inputs; what it prints and writes has the joined label of all of them',
  },
  'provenance:scripts-keep-files': {
    source: 'reliability-security 4, 7',
    behavior:
      'What programs do to the same files has no effect, and they are told; what they made themselves is theirs, also after a kill',
  },
  'provenance:believed-fact-asks': {
    source: 'reliability-security 4 (ASI06, memory poisoning)',
    behavior: 'There, too, a believed fact is replaced with leave only, unless the Task names its key',
  },
  'provenance:unnamed-fact-unbelieved': {
    source: 'reliability-security 4 (ASI06, memory poisoning)',
    behavior: 'Where nobody watches, a fact under a key that the Task does not name is kept as not believed',
  },
  'provenance:serving-asks': {
    source: 'reliability-security 4 (plan then execute)',
    behavior:
      'There, too, a page is served with leave only, unless the Task names the tool, or the first plan does and nobody but the author of the Task had a word in it',
  },
} as const satisfies Requirements;
