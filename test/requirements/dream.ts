import type { Requirements } from './requirement.ts';

export const dreamRequirements = {
  'artoo A.11 (Dreamer, 1)': {
    'dream:forget':
      'an entry of level M or K of which less than 0.1 is left is forgotten; rules and what a person taught are not',
  },
  'artoo A.11 (trust bankruptcy), D': {
    'dream:bankruptcy':
      'a rule of either sign falls to newer experience against it, and to nothing else: a warning without new evidence stays for 1,000 passes',
  },
  'artoo A.11 (knowledge)': {
    'dream:knowledge':
      'one success is knowledge at once, a failure from the second on the same pair, and newer experience against it takes that away',
  },
  'artoo A.11 (Dreamer, 3)': {
    'dream:rules':
      'experience with an attention of 5.0 and a decision of 3.0 becomes one rule, which takes its place; a rule that stands takes more of the same',
  },
  'artoo A.11 (lessons)': {
    'dream:lessons':
      'a mistake that several runs made, each on another target of one place, becomes a lesson that none of them had',
  },
  'reliability-security 4': {
    'dream:label':
      'a rule or lesson has the joined label of what it is derived from, and no model is shown a word of a stranger for it',
  },
  'springdrift 4 (dedup), 17 (M3)': {
    'dream:merge-cases':
      'cases of the same end and trust that are alike from caseDedupSimilarity on are one, failures too, also after a restart; what a person had a word on stays',
  },
  'springdrift 4 (pruning)': {
    'dream:prune-cases':
      'a failure that is older than 60 days, met less than 0.3 of its criteria and names no pitfall is dropped',
  },
  'springdrift 4 (fact conflicts)': {
    'dream:facts': 'of two values of a key that contradict each other, the record says which one holds and why, once',
  },
  'springdrift 4 (thread pruning)': {
    'dream:threads':
      'a thread that was never about anything, or that no run would join, sleeps; a run that fits it begins a new one',
  },
  'artoo C (idempotent passes)': {
    'dream:idempotent':
      'a second dream over the result of a first one at the same moment wants nothing, whatever memory holds',
  },
  'artoo A.11 (lessons), D': {
    'dream:learns':
      'after ten runs with one recurring mistake a lesson stands that no single run had, a plan cites it and the mistake is gone; without the dream it stays',
  },
  'artoo A.11 (Dreamer), C': {
    'dream:told':
      'the record tells of each pass what it changed and why, under the name of the Dreamer; a dream that changes nothing leaves nothing, unless a person wanted it',
  },
  'design 5; artoo C': {
    'dream:crash': 'memory is the same wherever a process dies in a dream, and no answer of a model is paid for twice',
    'dream:crash-between':
      'from every prefix of runs with dreams between them, restarted and finished, every projection is the same and no effect is done twice',
  },
  'artoo A.11 (lessons); springdrift 15': {
    'dream:words':
      'a dream asks a model at most four times, within the budgets; one that is away, too slow, too dear or malformed leaves memory as it was',
  },
  'artoo C (typed commands with a principal)': {
    'dream:wish': 'a person’s wish for a dream is on record before it begins, counts once, and survives a crash',
  },
  'artoo C (passes never in the way of work)': {
    'dream:slices': 'a pass pauses at least each 20 ms, so that other work goes on',
  },
} as const satisfies Requirements;
