import type { Megram } from '@retainer/contract/wire/bus/payloads';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import type { StoredCase } from '../../parts/cases/cases.ts';
import { IntentComparison } from './intent-comparison.ts';
import { taskPair } from '../../parts/megrams/megram-space.ts';
import { MegramIndex } from '../../parts/megrams/megrams.ts';
import { caseExperience } from './case-experience.ts';
import { CaseIndex } from './case-index.ts';
import { caseLesson } from './case-lesson.ts';
import { presets } from './presets.ts';
import { NEVER_SHOWN } from './recall-case.ts';
import { recallCaseOf, recalledCases } from './recalled-cases.ts';

const trusted: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' };

function storedCase(runId: string, input: string, change: Partial<StoredCase> = {}): StoredCase {
  return {
    caseId: `${runId}-case`,
    runId,
    category: 'Pitfall',
    problem: {
      input,
      intent: 'sum',
      domain: 'finance',
      entities: ['a.csv'],
      keywords: ['sales'],
      complexity: 'Simple',
    },
    solution: {
      approach: 'Read the wrong file.',
      agents: ['Executor'],
      tools: ['read_file'],
      steps: ['read_file a.csv'],
    },
    outcome: { status: 'Failure', confidence: 0, assessment: 'Abandoned: 0 of 1 criteria met', pitfalls: ['no sum'] },
    label: trusted,
    writtenAtMs: 1,
    isSuppressed: false,
    isCurated: false,
    shown: 0,
    succeeded: 0,
    boosts: 0,
    notes: [],
    ...change,
  };
}

describe('the lesson of a case', () => {
  verifies('recall:case-trust', 'of a run over trusted texts is whole, what went wrong first', () => {
    expect(caseLesson(storedCase('a', 'Sum the sales.'))).toEqual({
      problem: 'Sum the sales.',
      lesson:
        'Abandoned: 0 of 1 criteria met; what went wrong: no sum; calls: read_file a.csv; way: Read the wrong file.',
    });
  });

  verifies('recall:case-trust', 'of a run that read a stranger holds none of its words and names no target', () => {
    const read = storedCase('a', 'Sum the sales.', { label: stranger, notes: ['Ask Ann.'] });
    expect(caseLesson(read).lesson).toBe('Failure, 0 % of the criteria met; tools: read_file; a person adds: Ask Ann.');
    const endorsed = { ...read, label: { ...stranger, trust: 'Trusted' } } as const;
    expect(caseLesson(endorsed).lesson).toContain('no sum');
  });

  verifies('recall:case-trust', 'is one line, and bounded', () => {
    const long = 'word\n'.repeat(1000);
    const { problem, lesson } = caseLesson(storedCase('a', long, { notes: [long] }));
    expect([problem.length, lesson.length, problem.includes('\n'), lesson.includes('\n')]).toEqual([
      200,
      400,
      false,
      false,
    ]);
  });
});

const ENVIRONMENT = 'env:local';

function indexed(all: readonly StoredCase[]): {
  readonly index: CaseIndex;
  readonly caseOf: (id: string) => StoredCase | undefined;
} {
  const index = new CaseIndex();
  for (const it of all) index.add(recallCaseOf(it, NEVER_SHOWN));
  return { index, caseOf: (id) => all.find((it) => it.caseId === id) };
}

function taught(runId: string, about: string, sigma: number): Megram {
  const pair = taskPair(about, 'local');
  const ended = { level: 'M', createdAtMs: 0, content: 'it', state: sigma < 0 ? 'Abandon' : 'Accept' } as const;
  return { ...ended, id: `${runId}-g3-1`, ...pair, about, f: 0.95, sigma, k: 0.05 };
}

function recalled(asked: string, all: readonly StoredCase[], megrams: readonly Megram[] = []) {
  const { index, caseOf } = indexed(all);
  const known = new MegramIndex();
  for (const megram of megrams) known.take({ kind: 'MegramWritten', megram, label: trusted });
  const comparison = new IntentComparison();
  return recalledCases(index, {
    intent: asked,
    problem: { intent: '', domain: '', keywords: [], entities: [], text: asked },
    weights: presets.adaptive,
    minScore: 0.01,
    count: 4,
    caseOf,
    experience: caseExperience(known, ENVIRONMENT, 0, comparison),
    comparison,
  });
}

describe('cases for a task', () => {
  const sum = storedCase('a', 'Sum the sales of March.', { category: 'Strategy' });
  const asked = 'Sum the sales of April.';

  verifies('recall:experience', 'count less, and are pitfalls, where experience advises against their way', () => {
    const [plain] = recalled(asked, [sum]);
    const [warned] = recalled(asked, [sum], [taught('a', 'In the words of the perceiver.', -1)]);
    const [praised] = recalled(asked, [sum], [taught('a', sum.problem.input, 1)]);
    expect(plain).toMatchObject({ avoid: false, category: 'Strategy' });
    expect(plain).not.toHaveProperty('decision');
    expect(warned).toMatchObject({ avoid: true, decision: -0.95 });
    expect(praised).toMatchObject({ avoid: false, decision: 0.95 });
    expect((warned?.score ?? 0) / (plain?.score ?? 1)).toBeCloseTo(1 - 0.25 * Math.tanh(0.95), 9);
    expect((praised?.score ?? 0) / (plain?.score ?? 1)).toBeCloseTo(1 + 0.25 * Math.tanh(0.95), 9);
  });

  verifies('recall:experience', 'have that of another run whose intent has the same words', () => {
    const again = [
      taught('a', sum.problem.input, 1),
      taught('b', 'sum the SALES of march', -1),
      taught('c', 'sum the SALES of march', -1),
    ];
    expect(recalled(asked, [sum], again)).toMatchObject([
      { decision: expect.closeTo(-0.95, 9) as number, avoid: true },
    ]);
  });

  verifies('recall:experience', 'are not told of a stranger, nor when they are out of use', () => {
    expect(recalled('Book a flight to Oslo.', [sum])).toEqual([]);
    const { index } = indexed([sum]);
    const comparison = new IntentComparison();
    const problem = { intent: '', domain: '', keywords: [], entities: [], text: asked };
    const none = { caseOf: () => undefined, experience: () => undefined, comparison };
    expect(
      recalledCases(index, { intent: asked, problem, weights: presets.adaptive, minScore: 0, count: 4, ...none }),
    ).toEqual([]);
  });

  verifies(
    'recall:case-trust',
    'are not told where a run that had read a stranger succeeded, unless a person adds something',
    () => {
      const outcome = { status: 'Success', confidence: 1, assessment: 'Accepted', pitfalls: [] } as const;
      const read = { ...sum, label: stranger, outcome: { ...outcome, pitfalls: [] } };
      expect(recalled(asked, [read])).toEqual([]);
      expect(recalled(asked, [{ ...read, notes: ['Ask Ann.'] }])).toHaveLength(1);
      expect(recalled(asked, [{ ...read, outcome: { ...read.outcome, status: 'Failure' } }])).toHaveLength(1);
    },
  );

  verifies('recall:signals', 'say why they were found', () => {
    expect(recalled(asked, [sum])).toMatchObject([
      { id: 'a-case', matched: ['sum', 'sale'], signals: { adaptive: expect.any(Number) as number, utility: 0.5 } },
    ]);
  });
});
