import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { BUS_SCHEMA_VERSION, BusMessage, contentHash, type BusPayload } from './envelope.ts';
import type { BusCriterion, CriteriaVerdict, SubTaskOutcome, ToolCallRecord } from './payloads.ts';
import { BUS_ROUTES, type BusMessageType } from './roles.ts';

const criterion: BusCriterion = { text: 'the report names every city', mode: 'Verifiable', required: true };
const verdict: CriteriaVerdict = {
  index: 1,
  verdict: 'Unmet',
  failureClass: 'Logical',
  evidence: ['call-1'],
  reason: 'Rome is missing',
};
const call: ToolCallRecord = {
  callId: 'call-1',
  tool: 'run_code',
  input: '{}',
  target: 'report.md',
  status: 'Ok',
  output: 'done',
  exitCode: 0,
  sha256: 'ab',
  durationMs: 12,
  files: [{ path: 'report.md', sizeBytes: 3, sha256: 'cd' }],
};
const blocked = { tools: ['run_code'], targets: [] };
const loss = { d: 0.5, p: 0.2, omega: 0.1, l: 0.4, q: 0.38 };
const salvage = { subtaskId: 'run-1-r1-s1', round: 1, intent: 'list the cities', output: 'Paris, Rome' };
const subtask = {
  subtaskId: 'run-1-r1-s1',
  sequence: 1,
  position: 0,
  intent: 'list the cities',
  context: 'of the file cities.csv',
  criteria: [criterion],
  blocked,
};
const outcome: SubTaskOutcome = {
  subtaskId: 'run-1-r1-s1',
  intent: 'list the cities',
  sequence: 1,
  position: 0,
  criteria: [criterion],
  status: 'Failed',
  output: 'Paris',
  failureReason: 'the budget of corrections is spent',
  failureClass: 'Logical',
  started: true,
  trajectory: [{ attempt: 1, score: 0.5, unmet: [1], failureClass: 'Logical' }],
  verdicts: [verdict],
  calls: [call],
};

const report = { done: ['the list'], missing: ['the sums'], nextMoves: ['name the year'] };

const finalResult: BusPayload<'FinalResult'> = {
  directive: 'Abandon',
  previous: 'Refine',
  cause: 'Replans',
  summary: 'half of it',
  output: 'Paris',
  partial: true,
  loss,
  gradL: 0.1,
  gradQ: 0.1,
  replans: 3,
  taskVerdicts: [verdict],
  unmet: [criterion.text],
  fastPath: false,
  report,
};

/** One payload of each type: what a run may well say. */
const examples: { readonly [T in BusMessageType]: BusPayload<T> } = {
  TaskReceived: { intent: 'report', rawInput: 'report, please', criteria: [criterion] },
  ClarificationRequest: { questionId: 'q-1', question: 'which year?' },
  ClarificationAnswer: { questionId: 'q-1', text: '2024', by: 'human:ada' },
  TaskSpec: { taskSlug: 'report', intent: 'report', shape: 'Plan', rawInput: 'report, please', assumptions: [] },
  FastReply: { reply: 'an agent' },
  PerceptionFailure: { reason: 'no answer', failureClass: 'Environmental' },
  MemoryRead: { pairs: [{ space: 'intent:report', entity: 'env:local' }] },
  MemoryResponse: {
    answers: [
      {
        space: 'intent:report',
        entity: 'env:local',
        rules: [{ id: 'megram-1', content: 'read the file first', sigma: 1 }],
        recent: [{ id: 'megram-2', state: 'Accept', content: 'done' }],
        potentials: { attention: 1, decision: 0.5, action: 'Exploit' },
      },
    ],
    cases: [
      {
        id: 'run-1-case',
        problem: 'report the sums',
        lesson: 'no file table.csv',
        category: 'Pitfall',
        outcome: 'Failure',
        score: 0.7,
        signals: { adaptive: 0.8, utility: 0.5 },
        matched: ['report'],
        avoid: true,
      },
    ],
  },
  MemoryWrite: {
    megrams: [
      {
        id: 'megram-3',
        level: 'M',
        createdAtMs: 1,
        space: 'intent:report',
        entity: 'env:local',
        content: 'worked',
        state: 'Accept',
        f: 0.9,
        sigma: 1,
        k: 0.05,
      },
    ],
  },
  DispatchManifest: {
    taskSlug: 'report',
    subtaskIds: ['run-1-r1-s1'],
    criteria: [criterion],
    salvage: [salvage],
    memoryRefs: [],
  },
  SubTask: subtask,
  PlanFailure: { reason: 'a cycle', failureClass: 'Logical' },
  SubTaskDispatch: subtask,
  ExecutionResult: {
    subtaskId: 'run-1-r1-s1',
    attempt: 1,
    status: 'Completed',
    output: 'Paris',
    calls: [call, { ...call, callId: 'call-2', status: 'Unrun', refusal: { rule: 'blocked', reason: 'this round' } }],
  },
  CorrectionSignal: {
    subtaskId: 'run-1-r1-s1',
    attempt: 2,
    failedCriterion: criterion.text,
    failureClass: 'Logical',
    whatWasWrong: 'Rome is missing',
    whatToDo: 'read all lines',
  },
  SubTaskOutcome: outcome,
  ReplanRequest: {
    gapSummary: 'Rome is missing',
    failedSubtasks: ['run-1-r1-s1'],
    corrections: 2,
    elapsedMs: 1000,
    outcomes: [outcome],
    taskVerdicts: [],
    recommendation: 'Replan',
  },
  OutcomeSummary: { summary: 'done', output: 'text', elapsedMs: 1000, outcomes: [outcome], taskVerdicts: [verdict] },
  PlanDirective: {
    directive: 'ChangePath',
    previous: 'Init',
    loss,
    gradL: 0,
    gradQ: 0,
    blocked,
    failedCriterion: criterion.text,
    failureClass: 'Mixed',
    budgetPressure: 0.2,
    salvage: [salvage],
    rationale: 'the tool failed twice',
  },
  TaskAbort: { by: 'human:ada', reason: 'no longer needed' },
  ReportRequest: { result: finalResult },
  AbandonReport: report,
  FinalResult: finalResult,
};
const types = Object.keys(examples) as BusMessageType[];

function message(type: BusMessageType, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const payload = examples[type];
  const { from, to } = BUS_ROUTES[type];
  return {
    schemaVersion: BUS_SCHEMA_VERSION,
    id: 'run-1-m1',
    agent: 'team/agent',
    runId: 'run-1',
    round: 1,
    seq: 1,
    atMs: 1,
    from: from[0],
    to,
    contentHash: contentHash(payload),
    type,
    payload,
    ...changes,
  };
}

const isTaken = (value: unknown): boolean => BusMessage.safeParse(value).success;

describe('a message', () => {
  verifies('bus:schema', 'of every type reads as it was written', () => {
    expect(types.toSorted()).toEqual(Object.keys(BUS_ROUTES).toSorted());
    for (const type of types)
      expect(BusMessage.parse(JSON.parse(JSON.stringify(message(type))))).toEqual(message(type));
  });

  verifies('bus:schema', 'without a field that its type must have is refused', () => {
    /** Fields that the examples have and need not have. */
    const optional: Partial<Record<BusMessageType, readonly string[]>> = {
      MemoryResponse: ['cases'],
      ClarificationAnswer: ['text', 'by'],
      SubTaskOutcome: ['failureReason', 'failureClass'],
      FinalResult: ['cause', 'report'],
    };
    for (const type of types) {
      for (const name of Object.keys(examples[type])) {
        const { [name]: _, ...payload } = examples[type] as Record<string, unknown>;
        const isOptional = optional[type]?.includes(name) ?? false;
        expect(isTaken(message(type, { payload })), `${type} without ${name}`).toBe(isOptional);
      }
    }
  });

  verifies('bus:schema', 'with the payload of another type is refused', () => {
    for (const type of types) {
      const other = type === 'TaskAbort' ? 'FastReply' : 'TaskAbort';
      expect(isTaken(message(type, { payload: examples[other] })), type).toBe(false);
    }
  });

  it.each([
    ['an unknown type', { type: 'Order' }],
    ['a type that every object has', { type: 'constructor' }],
    ['no type', { type: undefined }],
    ['another version', { schemaVersion: BUS_SCHEMA_VERSION + 1 }],
    ['no version', { schemaVersion: undefined }],
    ['an unknown sender', { from: 'Nobody' }],
    ['an unknown receiver', { to: 'Everybody' }],
    ['no id', { id: undefined }],
    ['a run that is no text', { runId: 1 }],
    ['no hash', { contentHash: undefined }],
    ['no payload', { payload: undefined }],
    ['a payload that is a list', { payload: [] }],
  ])('with %s is refused', (_, changes) => {
    expect(isTaken(message('FastReply'))).toBe(true);
    expect(isTaken(message('FastReply', changes))).toBe(false);
  });

  it('of a later writer is taken with a field that is not known here', () => {
    const payload = { reply: 'hello', mood: 'good' };
    expect(BusMessage.parse(message('FastReply', { payload })).payload).toEqual({ reply: 'hello' });
  });
});

describe('the hash of a payload', () => {
  it('does not depend on the order of its fields', () => {
    expect(contentHash({ a: 1, b: { c: [2], d: null } })).toBe(contentHash({ b: { d: null, c: [2] }, a: 1 }));
  });

  it('is another for each type, and for each change', () => {
    expect(new Set(types.map((type) => contentHash(examples[type]))).size).toBe(types.length - 1);
    expect(contentHash(examples.SubTask)).toBe(contentHash(examples.SubTaskDispatch));
    expect(contentHash({ ...subtask, position: 1 })).not.toBe(contentHash(subtask));
  });

  it('is 64 hexadecimal digits', () => {
    expect(contentHash(examples.FastReply)).toMatch(/^[0-9a-f]{64}$/);
  });
});
