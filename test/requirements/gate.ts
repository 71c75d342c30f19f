import type { Requirements } from './requirement.ts';

export const gateRequirements = {
  'gate:never-wins': {
    source: 'design 3, 5',
    behavior: 'What the character never does is refused whatever else grants or approves it.',
  },
  'gate:class-3-needs-grant': {
    source: 'design 5',
    behavior: 'A call of effect class 3 needs an approval unless the character grants all of it.',
  },
  'gate:class-4-needs-approval': {
    source: 'design 5; artoo A.15 (Law 1)',
    behavior: 'A call of effect class 4 always needs an approval of a person.',
  },
  'gate:approval-binds-arguments': {
    source: 'reliability-security 4, 7',
    behavior: 'An approval holds for exactly the arguments that were shown, and for no others.',
  },
  'gate:refusal-cannot-be-undone': {
    source: 'aesthetics 3',
    behavior: 'A policy that is added never makes a verdict milder.',
  },
  'gate:text-rules': {
    source: 'springdrift 2; design 5',
    behavior: 'With a person in the conversation rules on input only note; on autonomous paths they refuse.',
  },
  'gate:disguised-text': {
    source: 'springdrift 2, 17',
    behavior: 'Rules see through zero-width and full-width forms, and rules with digits still match.',
  },
  'gate:broken-policy-is-an-error': {
    source: 'springdrift 2',
    behavior: 'A policy that cannot be read is refused at load with the name of each broken rule.',
  },
  'gate:scripts-cannot-write-guarded-paths': {
    source: 'design 5; artoo C',
    behavior: 'Paths that must not be written, or not without asking, are read-only for scripts.',
  },
  'gate:paths-stay-inside': {
    source: 'springdrift 15',
    behavior: 'No spelling of a path names anything outside the workspace.',
  },
  'gate:tool-names-by-pattern': {
    source: 'design 3',
    behavior: 'A rule names tools by name, a star standing for any run of characters.',
  },
} as const satisfies Requirements;
