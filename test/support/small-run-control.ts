/** The small run as it was admitted, what its roles say, and how it is steered: one of each kind that people are told of. */
import type { RunEvent, RunSpec } from '@retainer/mind/run/event';
import { initialSteerState } from '@retainer/mind/run/steer/steer-state';
import { contentHash, type BusMessage } from '@retainer/contract/wire/bus/envelope';
import { runSpec } from './runs.ts';

const unknown = { attention: 0, decision: 0, action: 'Ignore' } as const;

export const runId = 'sum-1a2b3c';
export const cycleId = `${runId}-c1`;
export const digest = 'c0ffee'.repeat(10);
export const nonce = 'ab'.repeat(16);
const limits = {
  turns: 10,
  toolCalls: 50,
  failedTurnsInRow: 3,
  tokens: 400_000,
  costUsd: 5,
  wallClockMs: 255_000,
  approvalWaitMs: 3_600_000,
  contextTokens: 150_000,
  outputTokens: 8192,
  modelTimeoutMs: 300_000,
};
export const role = {
  tier: 'Capable' as const,
  model: 'claude-sonnet-4-5',
  system: [{ text: 'You are careful.', cache: true }],
  tools: ['run_code', 'write_file'],
  limits,
};
export const spec: RunSpec = runSpec(
  {
    runId,
    task: { namespace: 'default', name: 'sum' },
    intent: 'What is six times seven?',
    input: 'What is six times seven?',
    criteria: [{ text: 'The answer is a number.', mode: 'Verifiable', required: true }],
    deadlineMs: 601_000,
    characterDigest: digest,
  },
  ['run_code', 'write_file'],
  { ...role, tools: [] },
);

const loss = { d: 0.5, p: 0.5, omega: 0.4, l: 0.55, q: 0.45 };
const subtask = {
  subtaskId: `${runId}-r1s1`,
  sequence: 1,
  position: 0,
  intent: 'Multiply six by seven.',
  context: '',
  criteria: spec.criteria,
  blocked: { tools: [], targets: [] },
};
const outcome = {
  ...subtask,
  status: 'Failed' as const,
  output: 'It is 41.',
  failureReason: 'the number is wrong',
  failureClass: 'Logical' as const,
  started: true,
  trajectory: [{ attempt: 1, score: 0, unmet: [1], failureClass: 'Logical' as const }],
  verdicts: [],
  calls: [],
};

/** One of each kind of message that people are told more of than its type. */
const messages = [
  [
    'TaskSpec',
    'Perceiver',
    'Planner',
    { taskSlug: 'sum', intent: 'Multiply.', shape: 'Plan', rawInput: 'x', assumptions: ['whole numbers'] },
  ],
  [
    'DispatchManifest',
    'Planner',
    'MetaValidator',
    { taskSlug: 'sum', subtaskIds: [subtask.subtaskId], criteria: spec.criteria, salvage: [], memoryRefs: [] },
  ],
  ['SubTask', 'Planner', 'Dispatcher', subtask],
  [
    'CorrectionSignal',
    'AgentValidator',
    'Executor',
    {
      subtaskId: subtask.subtaskId,
      attempt: 2,
      failedCriterion: 'The answer is a number.',
      failureClass: 'Logical',
      whatWasWrong: 'no number',
      whatToDo: 'print it',
    },
  ],
  ['SubTaskOutcome', 'AgentValidator', 'MetaValidator', outcome],
  [
    'ReplanRequest',
    'MetaValidator',
    'Steerer',
    {
      gapSummary: 'the number is wrong',
      failedSubtasks: [subtask.subtaskId],
      corrections: 1,
      elapsedMs: 900,
      outcomes: [],
      taskVerdicts: [],
      recommendation: 'Replan',
    },
  ],
  ['PlanFailure', 'Planner', 'Steerer', { reason: 'no plan was made', failureClass: 'Logical' }],
  ['MemoryRead', 'Planner', 'Memory', { pairs: [] }],
  [
    'FinalResult',
    'Steerer',
    'User',
    {
      directive: 'Abandon',
      previous: 'Init',
      cause: 'Distance',
      summary: 'gave up',
      output: '',
      partial: true,
      loss,
      gradL: 0,
      gradQ: 0,
      replans: 1,
      taskVerdicts: [],
      unmet: [],
      fastPath: false,
    },
  ],
] as const;

export const controlEvents: readonly RunEvent[] = [
  ...messages.map(([type, from, to, payload], index) => ({
    kind: 'MessageSent' as const,
    messages: [
      {
        schemaVersion: 1,
        id: `${runId}-m${index + 1}`,
        agent: 'default/agent',
        runId,
        round: 1,
        seq: index + 1,
        atMs: 2250,
        from,
        to,
        contentHash: contentHash(payload),
        type,
        payload,
      } as unknown as BusMessage,
    ],
  })),
  { kind: 'MessageReceived', atMs: 2260, messageId: `${runId}-m1` },
  { kind: 'MessageDropped', messageId: `${runId}-m2`, reason: 'its round 1 is over' },
  {
    kind: 'MemoryRecalled',
    atMs: 2270,
    messageId: `${runId}-m8`,
    wordsOnly: 'Late',
    answers: [
      {
        space: 'intent:six_times_seven',
        entity: 'env:local',
        rules: [],
        recent: [{ id: 'g1', state: 'Accept', content: 'Succeeded.' }],
        potentials: { attention: 0.9, decision: 0.9, action: 'Exploit' },
      },
      { space: 'intent:nothing', entity: 'env:local', rules: [], recent: [], potentials: unknown },
      {
        space: 'intent:product_of_two_numbers',
        entity: 'tool:bash',
        similarity: 0.625,
        rules: [{ id: 'g2', content: 'Use python.\nNot bc.', sigma: -0.5 }],
        recent: [{ id: 'g3', state: 'Abandon', content: '', isWordless: true }],
        potentials: { attention: 0.4, decision: -0.3, action: 'Avoid' },
      },
    ],
    cases: [
      {
        id: 'eight-1-case',
        problem: 'What is eight times seven?',
        lesson: 'bc is not installed.',
        category: 'Pitfall',
        outcome: 'Failure',
        score: 0.8349,
        signals: { adaptive: 0.9, domain: 1, utility: 0.5 },
        decision: -0.3,
        matched: ['seven', 'time'],
        avoid: true,
      },
      {
        id: 'nine-1-case',
        problem: 'Multiply nine by two.',
        lesson: 'One call was enough.',
        category: 'Strategy',
        outcome: 'Success',
        score: 0.41,
        signals: { adaptive: 0.45 },
        matched: [],
        avoid: false,
      },
    ],
  },
  { kind: 'WaitBegan', atMs: 2271, cycleId },
  { kind: 'ApprovalsAsked', atMs: 2271, cycleId, requests: 1, refusals: 0 },
  { kind: 'WaitEnded', atMs: 2272, cycleId },
  { kind: 'RunParked', atMs: 2272, cycleId, sinceMs: 2272, why: 'Network', nextTryAtMs: 7272 },
  { kind: 'RunUnparked', atMs: 2272, cycleId },
  { kind: 'StoodStill', atMs: 2272, forMs: 61_000, why: 'Restarted' },
  { kind: 'Remembered', atMs: 2273, messageId: `${runId}-m9` },
  { kind: 'QuestionAsked', questionId: `${runId}-q1`, question: 'Which seven?' },
  { kind: 'QuestionAnswered', atMs: 2280, questionId: `${runId}-q1`, text: 'The number.', by: 'human:ada' },
  { kind: 'QuestionExpired', atMs: 2290, questionId: `${runId}-q2` },
  {
    kind: 'RoundSteered',
    round: 1,
    explanation: {
      occasion: 'Round',
      rounds: 2,
      loss,
      gradL: -0.25,
      gradQ: -0.3,
      gradient: 'L',
      trend: 'Improving',
      worsening: 0,
      cell: 7,
      byTable: 'Refine',
      override: 'Worsening',
      directive: 'Abandon',
      blocked: { tools: [], targets: ['data/wrong.csv'] },
    },
    rationale: 'near, and getting nearer',
    state: initialSteerState,
  },
];
