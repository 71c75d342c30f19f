import { IMMUTABLE_TASK_FIELDS } from '@retainer/contract/api/task';
import type { CelCase, Patch } from './cel-case.ts';

const NAME_MESSAGE =
  'metadata.name must start with a letter, hold only lower-case letters, digits and hyphens, and be at most 63 long';

/** The rule that the names of all kinds but Agent share. */
export function nameCase(kind: 'Task' | 'Skill' | 'CharacterSpec' | 'SandboxRun'): CelCase {
  return {
    kind,
    path: '',
    message: NAME_MESSAGE,
    accepted: { metadata: { name: 'a-1' } },
    refused: { metadata: { name: '1.a' } },
  };
}

/** Another value of each field that must not change. */
const OTHER_VALUES: Readonly<Record<(typeof IMMUTABLE_TASK_FIELDS)[number], unknown>> = {
  agentRef: { name: 'somebody-else' },
  intent: 'Do something else.',
  context: 'Another context.',
  successCriteria: [{ text: 'Another criterion.' }],
  constraints: { scope: 'Another scope.' },
  budget: { wallClock: '6m' },
  approval: { mode: 'BeforeStart' },
  dependsOn: [{ name: 'another' }],
  schedule: { cron: '0 6 * * *' },
  override: {
    of: 'another',
    rule: 'input-rules/a',
    subjectDigest: `sha256:${'0'.repeat(64)}`,
    reason: 'It is fine.',
    by: 'ada',
  },
  onNoAnswer: 'Proceed',
};

const DIGEST = `sha256:${'0'.repeat(64)}`;
const APPROVAL = { request: 'r1', argumentsDigest: DIGEST, decision: 'Approve', reason: 'Fine.', by: 'ada' } as const;
const MISTYPED = { ...APPROVAL, argumentsDigest: `sha256:${'1'.repeat(64)}` };
/** Its digest is right. */
const UNASKED = { ...APPROVAL, request: 'r2' };
const SOME_TIME = '2030-01-01T00:00:00Z';
const PENDING = {
  ...{ id: 'r1', tool: 'send', argumentsDigest: DIGEST, effectClass: 3, effect: 'sends a letter' },
  ...{ requestedAt: SOME_TIME, expiresAt: SOME_TIME },
};
const QUESTION = { id: 'q1', text: 'Which colour?', askedAt: SOME_TIME };
const ANSWER = { question: 'q1', text: 'Blue.', by: 'ada' } as const;

function spec(message: string, accepted: Patch, refused: Patch, before?: Patch): CelCase {
  return {
    kind: 'Task',
    path: 'spec',
    message,
    accepted: { spec: accepted },
    refused: { spec: refused },
    ...(before === undefined ? {} : { before: { spec: before } }),
  };
}

export const taskCases: readonly CelCase[] = [
  nameCase('Task'),
  ...IMMUTABLE_TASK_FIELDS.map((field) =>
    spec(
      `${field} cannot be changed; create a new object instead`,
      { priority: 7 },
      { [field]: OTHER_VALUES[field] },
      {},
    ),
  ),
  spec('cancel cannot be undone; create a new Task instead', { cancel: true }, { cancel: false }, { cancel: true }),
  spec(
    'an entry of answers cannot be changed or removed',
    { answers: [ANSWER], priority: 7 },
    { answers: [{ ...ANSWER, text: 'Red.' }] },
    { answers: [ANSWER] },
  ),
  spec(
    'at least one success criterion must have required: true',
    { successCriteria: [{ text: 'a', required: false }, { text: 'b' }] },
    { successCriteria: [{ text: 'a', required: false }] },
  ),
  spec(
    'two success criteria have the same text',
    { successCriteria: [{ text: 'a' }, { text: 'b' }] },
    { successCriteria: [{ text: 'a' }, { text: 'a', mode: 'Plausible' }] },
  ),
  spec(
    'a scheduled Task has no deadline; use schedule.until and budget.wallClock',
    { schedule: { cron: '@daily' } },
    { schedule: { cron: '@daily' }, constraints: { deadline: '2030-01-01T00:00:00Z' } },
  ),
  spec(
    'an override is for one refusal, so it cannot be scheduled',
    {
      override: {
        of: 'refused',
        rule: 'input-rules/a',
        subjectDigest: `sha256:${'0'.repeat(64)}`,
        reason: 'It is fine.',
        by: 'ada',
      },
    },
    {
      override: {
        of: 'refused',
        rule: 'input-rules/a',
        subjectDigest: `sha256:${'0'.repeat(64)}`,
        reason: 'It is fine.',
        by: 'ada',
      },
      schedule: { cron: '@daily' },
    },
  ),
  {
    kind: 'Task',
    path: 'spec.budget',
    message: 'wallClock must be between 1s and 168h',
    accepted: { spec: { budget: { wallClock: '1h30m' } } },
    refused: { spec: { budget: { wallClock: '169h' } } },
  },
  {
    kind: 'Task',
    path: '',
    message: 'a Task cannot depend on itself',
    accepted: { spec: { dependsOn: [{ name: 'another' }] } },
    refused: { spec: { dependsOn: [{ name: 'sample' }] } },
  },
  {
    kind: 'Task',
    path: '',
    message: 'override.of must name another Task, the refused one',
    accepted: {
      spec: {
        override: {
          of: 'another',
          rule: 'input-rules/a',
          subjectDigest: `sha256:${'0'.repeat(64)}`,
          reason: 'It is fine.',
          by: 'ada',
        },
      },
    },
    refused: {
      spec: {
        override: {
          of: 'sample',
          rule: 'input-rules/a',
          subjectDigest: `sha256:${'0'.repeat(64)}`,
          reason: 'It is fine.',
          by: 'ada',
        },
      },
    },
  },
  {
    kind: 'Task',
    path: '',
    message: 'an entry of approvals must have the id and the argumentsDigest of a request in status.pendingApprovals',
    before: { status: { pendingApprovals: [PENDING] } },
    accepted: { spec: { approvals: [APPROVAL] } },
    refused: { spec: { approvals: [MISTYPED] } },
    refusedToo: [{ spec: { approvals: [UNASKED] } }],
  },
  {
    kind: 'Task',
    path: '',
    message:
      'an entry of approvals cannot be changed or removed, unless its argumentsDigest is not that of its request',
    before: { spec: { approvals: [MISTYPED] }, status: { pendingApprovals: [PENDING] } },
    accepted: { spec: { approvals: [APPROVAL] } },
    refused: { spec: { approvals: [] } },
  },
  {
    kind: 'Task',
    path: '',
    message: 'continueUnder must be the digest in status.heldUnder',
    before: { status: { heldUnder: DIGEST } },
    accepted: { spec: { continueUnder: DIGEST } },
    refused: { spec: { continueUnder: `sha256:${'1'.repeat(64)}` } },
  },
  {
    kind: 'Task',
    path: '',
    message: 'an entry of answers must have the id of the question in status.question',
    before: { status: { question: QUESTION } },
    accepted: { spec: { answers: [ANSWER] } },
    refused: { spec: { answers: [{ ...ANSWER, question: 'q2' }] } },
  },
  {
    kind: 'Task',
    path: '',
    message: 'the outcome of a finished Task cannot change',
    before: { status: { outcome: 'Refused' } },
    accepted: { status: { outcome: 'Refused', summary: 'It was refused.' } },
    refused: { status: { outcome: 'Succeeded' } },
  },
];
