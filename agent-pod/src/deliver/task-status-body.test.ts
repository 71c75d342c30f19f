import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskStatus } from '@retainer/contract/api/task-status';
import { verifies } from '../../../test/verifies.ts';
import { cutBytes, finalStatus, runningStatus, type RunProgress, type RunResult } from './task-status-body.ts';
import { testTools } from '../../../test/support/known-tools.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const resultRef = { path: 'outbox/one-d1.json', digest, sizeBytes: 12 };
const result: RunResult = {
  outcome: 'Accepted',
  summary: 'It is done.',
  reasons: [],
  criteria: [{ index: 1, text: 't', required: true, verdict: 'Met', evidence: ['one-c1-t1'], reason: 'shown' }],
  unmet: [],
  loss: { d: 0, p: 0.5, omega: 0.04, l: 0.16123, q: 0.15 },
  gradL: -0.2,
  directive: 'Accept',
  replans: 1,
  partial: false,
  files: [{ path: 'out/a.md', sizeBytes: 5, sha256: 'b'.repeat(64) }],
  usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 1, cacheWriteTokens: 1 },
  costUsd: 0.5,
  isCostComplete: true,
  startedAtMs: 1000,
  endedAtMs: 2500,
};
const running: RunProgress = {
  runId: 'one-1',
  characterDigest: digest,
  generation: 2,
  startedAtMs: 1000,
  isSetAside: false,
  approvals: [],
  mistyped: [],
  steered: undefined,
  question: undefined,
  answeredAtMs: undefined,
  decidedAtMs: undefined,
};
const report = { task: 'one', runId: 'one-1', characterDigest: digest, generation: 2, before: [], resultRef };

describe('the status of a Task', () => {
  it('at the end has outcome, conditions, verdicts, usage, files and moments', () => {
    expect(finalStatus({ ...report, result })).toMatchObject({
      outcome: 'Accepted',
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Accepted', lastTransitionTime: '1970-01-01T00:00:02Z' },
        { type: 'Running', status: 'False', observedGeneration: 2, lastTransitionTime: '1970-01-01T00:00:02Z' },
        { type: 'Complete', status: 'True', reason: 'Accepted' },
      ],
      criteria: [{ index: 0, verdict: 'Met', evidence: ['one-c1-t1'] }],
      loss: { distance: 0, process: 0.5, resource: 0.04, total: 0.161 },
      gradient: -0.2,
      directive: 'Accept',
      replans: 1,
      usage: { inputTokens: 5, outputTokens: 4, costUsd: 0.5 },
      artifacts: [{ path: 'workspace/out/a.md' }],
      startedAt: '1970-01-01T00:00:01Z',
    });
  });

  it.each([
    ['Succeeded', 'Complete', 'Succeeded'],
    ['Abandoned', 'Failed', 'Abandoned'],
    ['Cancelled', 'Failed', 'Cancelled'],
    ['Failed', 'Failed', 'InfrastructureFailed'],
  ] as const)('says %s as the condition %s', (outcome, type, reason) => {
    const status = finalStatus({ ...report, result: { ...result, outcome } });
    expect(status.conditions?.at(-1)).toMatchObject({ type, status: 'True', reason });
  });

  it('names rule and reason of a refusal, and a reason where the run said nothing', () => {
    const refusal = { gate: 'Tool', rule: 'authority.never/x', reason: 'never' };
    const refused = { ...result, outcome: 'Refused' as const, summary: ' ', reasons: ['never (rule x)'], refusal };
    expect(finalStatus({ ...report, result: refused })).toMatchObject({
      refusal: { rule: 'authority.never/x', reason: 'never' },
      summary: 'never (rule x)',
    });
  });

  it('while it runs says so, and what waits for a person', () => {
    const approval = {
      requestId: 'one-c1-t1-a',
      callId: 'one-c1-t1',
      tool: 'write_file',
      input: { path: 'a', content: 'x'.repeat(2000) },
      reason: 'a rule asks',
      agentSays: 'it is \u202eharmless',
      calls: 1,
      argumentsDigest: 'c'.repeat(64),
      effectClass: 1,
      requestedAtMs: 1500,
      expiresAtMs: 9000,
    };
    const status = runningStatus({ ...running, approvals: [approval] }, testTools);
    expect(status.pendingApprovals).toMatchObject([
      {
        id: 'one-c1-t1-a',
        effect: expect.stringMatching(/^writes the file "a", replacing what is there, content of 2000 bytes/),
        agentSays: String.raw`it is \u{202e}harmless`,
        argumentsDigest: `sha256:${'c'.repeat(64)}`,
      },
    ]);
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Running', 'AwaitingApproval']);
    expect(TaskStatus.safeParse(status).success).toBe(true);
    const script = { tool: 'bash', input: { script: `sh tools/deploy.sh # ${'x'.repeat(2000)}` } };
    const named = { shown: [{ path: 'tools/deploy.sh', sha256: 'b'.repeat(64) }] };
    const program = { ...approval, ...script, standing: 'a'.repeat(64), named };
    expect(runningStatus({ ...running, approvals: [program] }, testTools).pendingApprovals?.[0]?.effect).toContain(
      `there now: "tools/deploy.sh" sha256 ${'b'.repeat(16)}`,
    );
    const wrong = runningStatus({ ...running, approvals: [approval], mistyped: ['one-c1-t1-a'] }, testTools);
    expect(wrong.conditions?.at(-1)?.message).toMatch(
      /another argumentsDigest .* for one-c1-t1-a, .*: replace the entry/,
    );
  });

  verifies('agent-cluster:held-goes-on', 'says for which character it waits, and what changed', () => {
    const held = {
      from: `sha256:${'0'.repeat(64)}`,
      to: `sha256:${'1'.repeat(64)}`,
      parts: ['persona', 'virtues/calm'],
    };
    const status = runningStatus({ ...running, isSetAside: true, held }, testTools);
    expect(status.conditions).toMatchObject([
      {
        type: 'Running',
        status: 'False',
        reason: 'Held',
        message: expect.stringContaining('in persona, virtues/calm:'),
      },
    ]);
    expect(status.heldUnder).toBe(held.to);
    expect(TaskStatus.safeParse(status).success).toBe(true);
  });

  verifies('agent-cluster:character-changed', 'says what changed, and how much it would have changed before', () => {
    const parts = Array.from({ length: 30 }, (_, index) => `authority.never/rule-${index}`);
    const compared = { runs: 3, decisions: 40, otherwise: 2 };
    const texts = { identity: '', executor: [], workers: [] };
    const change = { kind: 'CharacterChanged', atMs: 2000, from: 'a', to: 'b', parts, texts, compared } as const;
    const status = runningStatus({ ...running, change }, testTools);
    const told = status.conditions?.find(({ type }) => type === 'CharacterChanged');
    expect(told).toMatchObject({ status: 'True', reason: 'CharacterChanged' });
    expect(told?.message).toContain('authority.never/rule-7 and 22 more');
    expect(told?.message).toContain('2 of 40 decisions in the last 3 runs would have been otherwise');
    expect(TaskStatus.safeParse(status).success).toBe(true);
  });

  verifies(
    'agent-cluster:steering-in-status',
    'while it runs says how the last round was steered, and what is asked',
    () => {
      const question = { questionId: 'one-1-q1', question: 'Which year?', askedAtMs: 3000, expiresAtMs: undefined };
      const explanation = {
        occasion: 'Round' as const,
        rounds: 2,
        loss: { d: 0.5, p: 0.25, omega: 0.1, l: 0.4004, q: 0.3 },
        gradL: -1.0000001,
        gradQ: 0,
        gradient: 'L' as const,
        trend: 'Improving' as const,
        worsening: 0,
        byTable: 'Refine' as const,
        directive: 'Refine' as const,
        blocked: { tools: [], targets: [] },
      };
      const status = runningStatus({ ...running, question, steered: { explanation } }, testTools);
      expect(status).toMatchObject({
        loss: { distance: 0.5, process: 0.25, resource: 0.1, total: 0.4 },
        gradient: -1,
        directive: 'Refine',
        replans: 2,
        question: { id: 'one-1-q1', text: 'Which year?', askedAt: '1970-01-01T00:00:03Z' },
      });
      expect(status.conditions?.at(-1)).toMatchObject({
        type: 'AwaitingAnswer',
        status: 'True',
        reason: 'QuestionAsked',
      });
      expect(TaskStatus.safeParse(status).success).toBe(true);
    },
  );

  it('says since when no question is open any more', () => {
    const status = runningStatus({ ...running, answeredAtMs: 60_000 }, testTools);
    expect(status).not.toHaveProperty('question');
    expect(status.conditions?.at(-1)).toMatchObject({
      type: 'AwaitingAnswer',
      status: 'False',
      lastTransitionTime: '1970-01-01T00:01:00Z',
    });
  });

  verifies('infer:parks', 'says that no model can be asked, since when, why, and when one is tried next', () => {
    const parked = { sinceMs: 60_000, why: 'Overloaded', nextTryAtMs: 65_000 } as const;
    const status = runningStatus({ ...running, parked }, testTools);
    expect(status.conditions?.at(-1)).toMatchObject({
      type: 'AwaitingModel',
      status: 'True',
      reason: 'ModelOutOfReach',
      message:
        "the model cannot be asked: its provider is overloaded; since 1970-01-01 00:01:00 UTC, next try at 1970-01-01 00:01:05 UTC; the run's clock stands still; spec.cancel ends the Task",
    });
    expect(TaskStatus.safeParse(status).success).toBe(true);
    const over = runningStatus({ ...running, unparkedAtMs: 70_000 }, testTools);
    expect(over.conditions?.at(-1)).toMatchObject({ type: 'AwaitingModel', status: 'False' });
    expect(runningStatus(running, testTools).conditions?.some(({ type }) => type === 'AwaitingModel')).toBe(false);
  });

  verifies('agent-cluster:wait-is-over', 'says since when no approval is awaited any more', () => {
    const status = runningStatus({ ...running, decidedAtMs: 60_000 }, testTools);
    expect(status).not.toHaveProperty('pendingApprovals');
    expect(status.conditions?.at(-1)).toMatchObject({
      type: 'AwaitingApproval',
      status: 'False',
      lastTransitionTime: '1970-01-01T00:01:00Z',
    });
  });

  verifies(
    'agent-cluster:steering-in-status',
    'of an abandoned Task says why, what there is and what is missing, however long the result is',
    () => {
      const abandoned: RunResult = {
        ...result,
        outcome: 'Abandoned',
        directive: 'Abandon',
        summary: 'Paris has 2 million. '.repeat(1000),
        reasons: ['Abandoned: no way was left.'],
        unmet: ['Rome is in the list', 'Oslo is in the list'],
        criteria: [
          {
            index: 1,
            text: 't',
            required: true,
            verdict: 'Unmet',
            evidence: [],
            reason: 'no',
            failureClass: 'Logical',
          },
        ],
        partial: true,
      };
      const status = finalStatus({ ...report, result: abandoned });
      expect(status.summary).toMatch(/^Abandoned: no way was left\.\n\nPartial result:\nParis has/);
      expect(status.summary).toMatch(/ …\n\nMissing:\n- Rome is in the list\n- Oslo is in the list$/);
      expect(status.criteria).toMatchObject([{ verdict: 'Unmet', failureClass: 'Logical' }]);
      expect(Buffer.byteLength(status.summary ?? '')).toBeLessThanOrEqual(4096);
    },
  );

  it('of a Task abandoned with nothing done says why once', () => {
    const why = 'Abandoned: no way was left.';
    const empty: RunResult = { ...result, outcome: 'Abandoned', summary: why, reasons: [why], unmet: ['Oslo'] };
    expect(finalStatus({ ...report, result: empty }).summary).toBe(`${why}\n\nMissing:\n- Oslo`);
  });

  it('of a refusal says the rule, not how the work around it was given up', () => {
    const rule = 'The character never allows this. (rule authority.never/x)';
    const said = `Abandoned: what the task needs is not allowed. Gap: ${rule}. Ask for the authority.`;
    const refused: RunResult = { ...result, outcome: 'Refused', summary: said, reasons: [rule] };
    expect(finalStatus({ ...report, result: refused }).summary).toBe(rule);
  });

  it('of a success by nearness says that it is none of proof', () => {
    const near: RunResult = { ...result, outcome: 'Succeeded', directive: 'Success', partial: true, unmet: ['Oslo'] };
    const status = finalStatus({ ...report, result: near });
    expect(status.summary).toBe('It is done.\n\nMissing:\n- Oslo');
    expect(status.conditions?.at(-1)?.message).toContain('close enough');
  });

  verifies('verdict:required-is-required', 'of a success without a required criterion names it by its index', () => {
    const found = (index: number, verdict: 'Met' | 'Unmet', required: boolean) => ({
      index,
      text: 'secret words',
      required,
      verdict,
      evidence: [] as string[],
      reason: 'r',
    });
    const criteria = [found(1, 'Met', true), found(2, 'Unmet', false), found(3, 'Unmet', true)];
    const near: RunResult = { ...result, outcome: 'Succeeded', directive: 'Success', partial: true, criteria };
    const status = finalStatus({ ...report, result: near });
    expect(status.unmet).toEqual([2]);
    const told = status.conditions?.filter((it) => it.type === 'Ready' || it.type === 'Complete');
    expect(told?.map(({ status: is, reason }) => `${is} ${reason}`)).toEqual([
      'True RequiredUnmet',
      'True RequiredUnmet',
    ]);
    for (const { message } of told ?? []) expect(message).toMatch(/1 required criterion is not met.* index 2$/);
    expect(JSON.stringify(status.conditions)).not.toContain('secret words');
    expect(finalStatus({ ...report, result: { ...near, outcome: 'Abandoned' } }).unmet).toBeUndefined();
  });

  verifies('agent-cluster:bounded-status', 'fits the schema, whatever the run said', () => {
    const text = fc.string({ maxLength: 9000, unit: 'binary' });
    const criterion = fc.record({
      text,
      reason: text,
      evidence: fc.array(fc.string({ maxLength: 200 }), { maxLength: 40 }),
      verdict: fc.constantFrom('Met' as const, 'Unmet' as const, 'Unverified' as const),
    });
    fc.assert(
      fc.property(
        text,
        fc.array(criterion, { maxLength: 64 }),
        text,
        fc.boolean(),
        (summary, criteria, reason, isShort) => {
          const said: RunResult = {
            ...result,
            outcome: isShort ? 'Abandoned' : 'Accepted',
            partial: isShort,
            summary,
            unmet: criteria.map((it) => it.text),
            criteria: criteria.map((it, place) => ({ ...it, index: place + 1, required: true })),
            refusal: { gate: 'Tool', rule: reason === '' ? 'r' : reason, reason },
          };
          const status = finalStatus({ ...report, result: said });
          expect(TaskStatus.safeParse(status).error?.issues ?? []).toEqual([]);
          expect(Buffer.byteLength(status.summary ?? '')).toBeLessThanOrEqual(4096);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is cut where a character ends', () => {
    expect(cutBytes('ab', 4)).toBe('ab');
    expect(cutBytes('aé€𝄞aé€𝄞', 10)).toBe('aé€ …');
    expect(cutBytes('𝄞'.repeat(5), 12)).toBe('𝄞𝄞 …');
  });
});
