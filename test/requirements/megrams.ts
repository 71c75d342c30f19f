import type { Requirements } from './requirement.ts';

export const megramRequirements = {
  'artoo A.11 (potentials, vectors), A.9': {
    'megrams:potentials':
      'attention and decision of a pair are sums that fade with age; below 0.5 attention it is ignored, beyond ±0.2 decision it is exploited or avoided, else handled with caution',
  },
  'artoo A.10 (half-life, GC days), C': {
    'megrams:decay': 'experience fades by e to the minus k per day, stored numbers never change',
  },
  'artoo A.11': {
    'megrams:decay-origin':
      'a megram fades from the latest of its making, its last recall and its demotion, everywhere',
    'megrams:forgotten-stays-away': 'no answer holds a forgotten megram, and writing it again does not bring it back',
    'megrams:slug-any-script':
      'the space of a task is made of its first three significant words in letters and digits of any script, at most 48 characters, never empty',
  },
  'artoo A.11, A.17': {
    'megrams:counted-once':
      'what was merged into a rule is counted in the rule alone, which has strength 1 and does not fade',
    'megrams:answer':
      'memory answers each pair with its rules, its three newest events and its potentials, and formats nothing',
  },
  'artoo A.2, A.11': {
    'megrams:written-once': 'a megram that is written twice counts once',
  },
  'artoo A.11; libraries 3': {
    'megrams:meaning':
      'what a task taught is of the same task: one that begins with the same words, or means something alike in other words, is a neighbour',
  },
  'artoo A.10, A.11': {
    'megrams:same-target-binds':
      'experience binds by a tool or a target only: a tool on the target on which it failed, and, of the same task, the pairs that failed when it was given up and that the Task does not name; an equal intent alone, and a rule of what begins alike, advise',
  },
  'artoo A.11, D': {
    'megrams:neighbours':
      'up to four tasks whose intents are alike, in whatever order and form of their words and in any script, speak beside the exact one, by as much as they are alike, and advise at most',
  },
  'artoo A.11 (R2’s constraint block)': {
    'megrams:user-always': 'what is known of the user is in every answer',
  },
  'artoo A.10': {
    'megrams:tools-are-read':
      'a tool is answered by its reputation over all targets, and by each target that is to be avoided or that policy blocked',
  },
  'artoo A.11 (three layers)': {
    'megrams:constraint-layers':
      'the planner is told rules and remembered outcomes as MUST NOT and SHOULD PREFER, and the bare potential only where there is neither',
  },
} as const satisfies Requirements;
