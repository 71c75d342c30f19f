import type { Requirements } from './requirement.ts';

export const dreamRequirements = {
  'dream:forget': {
    source: 'artoo A.11 (Dreamer, 1)',
    behavior:
      'an entry of level M or K of which less than 0.1 is left is forgotten; rules and what a person taught are not',
  },
  'dream:bankruptcy': {
    source: 'artoo A.11 (trust bankruptcy), D',
    behavior:
      'a rule of either sign falls to newer experience against it, and to nothing else: a warning without new evidence stays for 1,000 passes',
  },
  'dream:knowledge': {
    source: 'artoo A.11 (knowledge)',
    behavior:
      'one success is knowledge at once, a failure from the second on the same pair, and newer experience against it takes that away',
  },
  'dream:rules': {
    source: 'artoo A.11 (Dreamer, 3)',
    behavior:
      'experience with an attention of 5.0 and a decision of 3.0 becomes one rule, which takes its place; a rule that stands takes more of the same',
  },
  'dream:lessons': {
    source: 'artoo A.11 (lessons)',
    behavior:
      'a mistake that several runs made, each on another target of one place, becomes a lesson that none of them had',
  },
  'dream:label': {
    source: 'reliability-security 4',
    behavior:
      'a rule or lesson has the joined label of what it is derived from, and no model is shown a word of a stranger for it',
  },
  'dream:merge-cases': {
    source: 'springdrift 4 (dedup), 17 (M3)',
    behavior:
      'cases of the same end and trust that are alike from caseDedupSimilarity on are one, failures too, also after a restart; what a person had a word on stays',
  },
  'dream:prune-cases': {
    source: 'springdrift 4 (pruning)',
    behavior: 'a failure that is older than 60 days, met less than 0.3 of its criteria and names no pitfall is dropped',
  },
  'dream:facts': {
    source: 'springdrift 4 (fact conflicts)',
    behavior: 'of two values of a key that contradict each other, the record says which one holds and why, once',
  },
  'dream:threads': {
    source: 'springdrift 4 (thread pruning)',
    behavior:
      'a thread that was never about anything, or that no run would join, sleeps; a run that fits it begins a new one',
  },
  'dream:idempotent': {
    source: 'artoo C (idempotent passes)',
    behavior: 'a second dream over the result of a first one at the same moment wants nothing, whatever memory holds',
  },
  'dream:learns': {
    source: 'artoo A.11 (lessons), D',
    behavior:
      'after ten runs with one recurring mistake a lesson stands that no single run had, a plan cites it and the mistake is gone; without the dream it stays',
  },
  'dream:told': {
    source: 'artoo A.11 (Dreamer), C',
    behavior:
      'the record tells of each pass what it changed and why, under the name of the Dreamer; a dream that changes nothing leaves nothing, unless a person wanted it',
  },
  'dream:crash': {
    source: 'design 5; artoo C',
    behavior: 'memory is the same wherever a process dies in a dream, and no answer of a model is paid for twice',
  },
  'dream:crash-between': {
    source: 'design 5; artoo C',
    behavior:
      'from every prefix of runs with dreams between them, restarted and finished, every projection is the same and no effect is done twice',
  },
  'dream:words': {
    source: 'artoo A.11 (lessons); springdrift 15',
    behavior:
      'a dream asks a model at most four times, within the budgets; one that is away, too slow, too dear or malformed leaves memory as it was',
  },
  'dream:wish': {
    source: 'artoo C (typed commands with a principal)',
    behavior: 'a person’s wish for a dream is on record before it begins, counts once, and survives a crash',
  },
  'dream:slices': {
    source: 'artoo C (passes never in the way of work)',
    behavior: 'a pass pauses at least each 20 ms, so that other work goes on',
  },
} as const satisfies Requirements;
