import type { Requirements } from './requirement.ts';

export const megramRequirements = {
  'megrams:potentials': {
    source: 'artoo A.11 (potentials, vectors), A.9',
    behavior:
      'attention and decision of a pair are sums that fade with age; below 0.5 attention it is ignored, beyond ±0.2 decision it is exploited or avoided, else handled with caution',
  },
  'megrams:decay': {
    source: 'artoo A.10 (half-life, GC days), C',
    behavior: 'experience fades by e to the minus k per day, stored numbers never change',
  },
  'megrams:decay-origin': {
    source: 'artoo A.11',
    behavior: 'a megram fades from the latest of its making, its last recall and its demotion, everywhere',
  },
  'megrams:counted-once': {
    source: 'artoo A.11, A.17',
    behavior: 'what was merged into a rule is counted in the rule alone, which has strength 1 and does not fade',
  },
  'megrams:written-once': {
    source: 'artoo A.2, A.11',
    behavior: 'a megram that is written twice counts once',
  },
  'megrams:forgotten-stays-away': {
    source: 'artoo A.11',
    behavior: 'no answer holds a forgotten megram, and writing it again does not bring it back',
  },
  'megrams:slug-any-script': {
    source: 'artoo A.11',
    behavior:
      'the space of a task is made of its first three significant words in letters and digits of any script, at most 48 characters, never empty',
  },
  'megrams:meaning': {
    source: 'artoo A.11; libraries 3',
    behavior:
      'what a task taught is of the same task: one that begins with the same words, or means something alike in other words, is a neighbour',
  },
  'megrams:same-target-binds': {
    source: 'artoo A.10, A.11',
    behavior:
      'experience binds by a tool or a target only: a tool on the target on which it failed, and, of the same task, the pairs that failed when it was given up and that the Task does not name; an equal intent alone, and a rule of what begins alike, advise',
  },
  'megrams:neighbours': {
    source: 'artoo A.11, D',
    behavior:
      'up to four tasks whose intents are alike, in whatever order and form of their words and in any script, speak beside the exact one, by as much as they are alike, and advise at most',
  },
  'megrams:answer': {
    source: 'artoo A.11, A.17',
    behavior:
      'memory answers each pair with its rules, its three newest events and its potentials, and formats nothing',
  },
  'megrams:user-always': {
    source: 'artoo A.11 (R2’s constraint block)',
    behavior: 'what is known of the user is in every answer',
  },
  'megrams:tools-are-read': {
    source: 'artoo A.10',
    behavior:
      'a tool is answered by its reputation over all targets, and by each target that is to be avoided or that policy blocked',
  },
  'megrams:constraint-layers': {
    source: 'artoo A.11 (three layers)',
    behavior:
      'the planner is told rules and remembered outcomes as MUST NOT and SHOULD PREFER, and the bare potential only where there is neither',
  },
} as const satisfies Requirements;
