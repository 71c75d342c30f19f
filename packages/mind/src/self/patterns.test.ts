import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { Label } from '../gate/provenance/label.ts';
import type { RememberedRun } from '../parts/narrative/narrative.ts';
import { detectPatterns, patternRun, tellPatterns } from './patterns.ts';

const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };
const trusted: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

interface Given {
  readonly outcome?: string;
  readonly tokens?: number;
  readonly domain?: string;
  readonly models?: readonly string[];
  /** Failed calls of the tool `ask`, of two. */
  readonly failed?: number;
  readonly label?: Label;
}

function run(id: number, given: Given): RememberedRun {
  const { outcome = 'Succeeded', tokens = 100, domain = '', models = ['m'], failed, label = trusted } = given;
  const call = { tool: 'ask', ran: 2, failed: failed ?? 0, unrun: 0, durationMs: 1 };
  return {
    runId: `r${id}`,
    task: { namespace: 'default', name: 'work' },
    conversation: 'tasks',
    intent: 'Do it.',
    outcome,
    tools: [],
    tokens,
    startedAtMs: id,
    endedAtMs: id,
    label,
    telemetry: {
      models: [...models],
      modelCalls: 1,
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      costUsd: 0,
      isCostComplete: true,
      rounds: 1,
      calls: failed === undefined ? [] : [call],
      delegations: [],
      verdicts: { met: 0, unmet: 0, unverified: 0 },
      rejections: 0,
      waitedMs: 0,
      labels: { domain, locations: [], keywords: [] },
    },
  };
}

const times = (count: number, given: Given): readonly Given[] => Array.from({ length: count }, () => given);
const failure = { outcome: 'Abandoned', domain: 'web' };

const table: readonly (readonly [name: string, runs: readonly Given[], found: readonly string[]])[] = [
  ['no runs', [], []],
  ['three failures in one domain', times(3, failure), ['warning RepeatedFailures r0 r1 r2']],
  ['two failures', times(2, failure), []],
  ['three cancelled runs', times(3, { ...failure, outcome: 'Cancelled' }), []],
  ['failures in no known domain', times(3, { outcome: 'Failed' }), []],
  ['a tool that fails in one of four runs', [...times(3, { failed: 0 }), { failed: 1 }], ['warning ToolFailures r3']],
  ['a tool that fails in one of five runs', [...times(4, { failed: 0 }), { failed: 1 }], []],
  ['a tool that fails in both of two runs', times(2, { failed: 2 }), []],
  ['a second model in five runs', times(5, { models: ['a', 'b'] }), ['info ModelEscalation r0 r1 r2 r3 r4']],
  ['a second model in four runs', times(4, { models: ['a', 'b'] }), []],
  ['one of three runs above three times the others', [{}, {}, { tokens: 301 }], ['info CostOutlier r2']],
  ['one of three runs at three times the others', [{}, {}, { tokens: 300 }], []],
  ['one of two runs', [{}, { tokens: 9000 }], []],
];

describe('patterns', () => {
  for (const [name, given, found] of table)
    verifies('self:patterns', `tell of ${name}: ${found.join(', ') || 'nothing'}`, () => {
      const runs = given.map((it, id) => run(id, it));
      const told = new Set(runs.map(({ runId = '' }) => runId));
      const patterns = detectPatterns({ runs: runs.map(patternRun), told });
      expect(patterns.map(({ severity, name: kind, runIds }) => [severity, kind, ...runIds].join(' '))).toEqual(found);
    });

  verifies('self:patterns', 'tell of runs that memory told no case, from one half on', () => {
    const runs = [run(0, {}), run(1, {}), run(2, {})].map(patternRun);
    expect(detectPatterns({ runs, told: new Set(['r0']) })).toMatchObject([
      { name: 'CaseMisses', runIds: ['r1', 'r2'] },
    ]);
    expect(detectPatterns({ runs, told: new Set(['r0', 'r1']) })).toEqual([]);
  });

  verifies('self:labels', 'carry the worst label of all runs that were looked at', () => {
    const runs = [run(0, {}), run(1, { label: stranger })];
    expect(tellPatterns({ runs, told: new Set() }).label).toMatchObject({ trust: 'Untrusted', readers: ['owner'] });
  });
});
