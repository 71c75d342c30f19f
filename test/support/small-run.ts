/** Every kind of record once, made by hand: more than would happen to one run. */
import type { CycleEvent, CycleSpec } from '@retainer/agent-pod/cycle/event';
import type { JournalRecord } from '@retainer/agent-pod/journal/journal';
import type { RunEvent, RunSpec } from '@retainer/agent-pod/run/event';

const runId = 'sum-1a2b3c';
const cycleId = `${runId}-c1`;
const digest = 'c0ffee'.repeat(10);
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
const role = {
  tier: 'Capable' as const,
  model: 'claude-sonnet-4-5',
  system: [{ text: 'You are careful.', cache: true }],
  tools: ['run_code', 'write_file'],
  limits,
};
const usage = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 0, cacheWriteTokens: 0 };
const cycleSpec: CycleSpec = {
  cycleId,
  runId,
  role: 'Executor',
  autonomous: true,
  ...role,
  input: 'What is six times seven?',
};
const spec: RunSpec = {
  runId,
  task: { namespace: 'default', name: 'sum' },
  intent: 'What is six times seven?',
  input: 'What is six times seven?',
  criteria: [{ text: 'The answer is a number.', mode: 'Verifiable', required: true }],
  autonomous: true,
  deadlineMs: 601_000,
  executor: role,
  validator: { ...role, tools: [] },
  characterDigest: digest,
};
const criteria = [
  {
    index: 1,
    text: 'The answer is a number.',
    required: true,
    verdict: 'Met' as const,
    evidence: [`${cycleId}-t1`],
    reason: 'it was printed',
  },
];
const body = {
  outcome: 'Accepted' as const,
  summary: 'It is 42.',
  reasons: ['an example reason'],
  criteria,
  unmet: ['nothing else'],
  files: [{ path: 'answer.txt', sizeBytes: 3, sha256: 'ab'.repeat(32) }],
  usage,
  costUsd: 0.0041,
  isCostComplete: true,
  startedAtMs: 1000,
  endedAtMs: 3000,
};

const events: readonly (CycleEvent | RunEvent)[] = [
  { kind: 'RunAdmitted', atMs: 1000, spec },
  { kind: 'CycleRequested', spec: cycleSpec },
  { kind: 'CycleStarted', atMs: 1000, spec: cycleSpec, characterDigest: digest },
  {
    kind: 'GateDecided',
    gate: 'Input',
    verdict: 'Accept',
    rule: 'input-rules/none',
    reason: 'No rule is against it.',
    characterDigest: digest,
  },
  {
    kind: 'ModelRequested',
    callId: `${cycleId}-m1`,
    turn: 1,
    request: {
      role: 'executor',
      tier: 'Capable',
      model: 'claude-sonnet-4-5',
      system: [],
      messages: [],
      tools: [],
      maxOutputTokens: 8192,
    },
    droppedMessages: 2,
  },
  {
    kind: 'ModelFailed',
    atMs: 1100,
    callId: `${cycleId}-m1`,
    failure: { kind: 'Overloaded', message: 'try later', attempts: 4, latencyMs: 90 },
  },
  {
    kind: 'ModelAnswered',
    atMs: 1400,
    callId: `${cycleId}-m2`,
    answer: {
      content: [
        { type: 'Text', text: 'I compute it.' },
        { type: 'ToolUse', id: 'u1', name: 'run_code', input: { script: 'print(6 * 7)', language: 'python' } },
      ],
      stop: 'ToolUse',
      usage: { ...usage, cacheReadTokens: 900 },
      model: 'claude-sonnet-4-5-20250929',
      latencyMs: 250,
      attempts: 2,
    },
    costUsd: 0.0041,
  },
  {
    kind: 'GateDecided',
    gate: 'Tool',
    verdict: 'Accept',
    rule: 'effect-class/1',
    reason: 'Local and reversible.',
    callId: `${cycleId}-t1`,
    tool: 'run_code',
    effectClass: 1,
    argumentsDigest: 'ad'.repeat(32),
    characterDigest: digest,
  },
  {
    kind: 'ToolRequested',
    callId: `${cycleId}-t1`,
    tool: 'run_code',
    input: { script: 'print(6 * 7)', language: 'python' },
    argumentsDigest: 'ad'.repeat(32),
    effectClass: 1,
  },
  {
    kind: 'ToolFinished',
    atMs: 1500,
    callId: `${cycleId}-t1`,
    outcome: {
      status: 'Ok',
      text: 'exit code 0\n42',
      exitCode: 0,
      artifactId: 'a1b2',
      outputBytes: 3,
      outputSha256: 'ba'.repeat(32),
      files: [{ path: 'answer.txt', sizeBytes: 3, sha256: 'ab'.repeat(32) }],
      durationMs: 41,
    },
  },
  {
    kind: 'GateDecided',
    gate: 'Tool',
    verdict: 'Reject',
    rule: 'authority.never/data-is-read-only',
    reason: 'The character never allows this.',
    callId: `${cycleId}-t2`,
    tool: 'write_file',
    effectClass: 1,
    argumentsDigest: 'ae'.repeat(32),
    approvalId: `${cycleId}-t2-a`,
    characterDigest: digest,
  },
  {
    kind: 'CallAnswered',
    callId: `${cycleId}-t2`,
    tool: 'write_file',
    why: 'Refused',
    text: '[refused] The character never allows this.',
  },
  {
    kind: 'ApprovalRequested',
    requestId: `${cycleId}-t3-a`,
    callId: `${cycleId}-t3`,
    tool: 'write_file',
    input: { path: 'notes/a.md', text: 'hi' },
    argumentsDigest: 'af'.repeat(32),
    effectClass: 1,
    reason: 'notes need leave',
    expiresAtMs: 5000,
  },
  {
    kind: 'ApprovalDecided',
    atMs: 1700,
    requestId: `${cycleId}-t3-a`,
    argumentsDigest: 'af'.repeat(32),
    decision: 'Approve',
    by: 'human:ada',
    reason: 'fine',
  },
  { kind: 'EffectLost', atMs: 1800, callId: `${cycleId}-t3`, epoch: 1 },
  { kind: 'TimeExpired', atMs: 1850, what: 'Approval', requestId: `${cycleId}-t4-a` },
  { kind: 'Nudged', why: 'EmptyReply', text: 'Say something.' },
  { kind: 'LimitReached', limit: 'turns', value: 10, max: 10 },
  { kind: 'CycleCancelled', atMs: 1900, by: 'human:ada', reason: 'enough' },
  { kind: 'CycleEnded', outcome: 'Replied', text: 'It is 42.', reason: 'an example reason' },
  {
    kind: 'CycleConcluded',
    atMs: 2000,
    cycleId,
    role: 'Executor',
    outcome: 'Replied',
    text: 'It is 42.',
    evidence: [],
    rejections: [
      { gate: 'Tool', rule: 'authority.never/data-is-read-only', reason: 'The character never allows this.' },
    ],
    usage,
    costUsd: 0.0041,
    isCostComplete: true,
    modelCalls: 2,
  },
  { kind: 'CycleAbandoned', cycleId, reason: 'the deadline passed' },
  { kind: 'DeadlinePassed', atMs: 2100 },
  { kind: 'RunCancelled', atMs: 2200, by: 'human:ada', reason: 'enough' },
  { kind: 'VerdictsJudged', criteria, corrections: ['criterion 2: the validator gave no verdict'] },
  { kind: 'RunConcluded', ...body },
  { kind: 'DeliveryRequested', deliveryId: `${runId}-d1`, channel: 'TaskStatus', target: 'default/sum', body },
  { kind: 'ArchiveRequested', summary: 'It is 42.' },
  { kind: 'Delivered', atMs: 2900, deliveryId: `${runId}-d1` },
  { kind: 'Archived', atMs: 2950 },
  { kind: 'RunClosed', outcome: 'Accepted' },
];

const runKindsHere = new Set([
  'RunAdmitted',
  'CycleRequested',
  'CycleConcluded',
  'CycleAbandoned',
  'DeadlinePassed',
  'RunCancelled',
  'VerdictsJudged',
  'RunConcluded',
  'DeliveryRequested',
  'ArchiveRequested',
  'Delivered',
  'Archived',
  'RunClosed',
]);

/** Oldest first; a restart lies before the lost effect. */
export const smallRun: readonly JournalRecord[] = events.map((event, index) => {
  const { kind, ...payload } = event;
  const isRun = runKindsHere.has(kind);
  return {
    store: isRun ? 'run' : 'cycle',
    kind,
    principal: 'agent',
    payload: payload as never,
    runId,
    ...(isRun ? {} : { cycleId }),
    version: 1,
    seq: index,
    order: index + 10,
    epoch: index < 14 ? 1 : 2,
    timeMs: 1000 + index * 100,
    prev: '',
    hash: '',
  };
});
