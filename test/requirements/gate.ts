import type { Requirements } from './requirement.ts';

export const gateRequirements = {
  'design 3, 5': {
    'gate:never-wins': 'What the character never does is refused whatever else grants or approves it.',
  },
  'design 5': {
    'gate:class-3-needs-grant': 'A call of effect class 3 needs an approval unless the character grants all of it.',
  },
  'design 5; artoo A.15 (Law 1)': {
    'gate:class-4-needs-approval': 'A call of effect class 4 always needs an approval of a person.',
  },
  'reliability-security 4, 7': {
    'gate:approval-binds-arguments': 'An approval holds for exactly the arguments that were shown, and for no others.',
  },
  'aesthetics 3': {
    'gate:refusal-cannot-be-undone': 'A policy that is added never makes a verdict milder.',
  },
  'springdrift 2; design 5': {
    'gate:text-rules': 'With a person in the conversation rules on input only note; on autonomous paths they refuse.',
  },
  'springdrift 2, 17': {
    'gate:disguised-text': 'Rules see through zero-width and full-width forms, and rules with digits still match.',
  },
  'springdrift 2': {
    'gate:broken-policy-is-an-error':
      'A policy that cannot be read is refused at load with the name of each broken rule.',
  },
  'design 5; artoo C': {
    'gate:scripts-cannot-write-guarded-paths':
      'Paths that must not be written, or not without asking, are read-only for scripts.',
  },
  'springdrift 15': {
    'gate:paths-stay-inside': 'No spelling of a path names anything outside the workspace.',
  },
  'design 3': {
    'gate:tool-names-by-pattern': 'A rule names tools by name, a star standing for any run of characters.',
  },
} as const satisfies Requirements;
