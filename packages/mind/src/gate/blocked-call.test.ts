import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { CycleUnderTest } from '../../../../test/support/cycles.ts';
import { blockedReason } from './blocked-call.ts';
import { testTools } from '../../../../test/support/known-tools.ts';

const tools = (...names: readonly string[]) => ({ tools: [...names], targets: [] });
const targets = (...names: readonly string[]) => ({ tools: [], targets: [...names] });

describe('a blocked call', () => {
  verifies('run:blocked-is-refused', 'is refused by tool, and by target in any spelling of it', () => {
    expect(blockedReason(tools('bash'), testTools.factsOf('bash'), { script: 'ls' })).toContain(
      'The tool bash is blocked',
    );
    for (const path of ['data/b.csv', './data/b.csv', 'data//b.csv', '/workspace/data/b.csv', 'data/x/../b.csv'])
      expect(blockedReason(targets('data/b.csv'), testTools.factsOf('read_file'), { path }), path).toMatch(
        /^\[blocked\]/,
      );
    for (const url of ['https://a.example/x', 'https://A.example/x#top', 'HTTPS://a.example:443/x'])
      expect(blockedReason(targets('https://a.example/x'), testTools.factsOf('fetch_url'), { url }), url).toMatch(
        /^\[blocked\]/,
      );
  });

  it.each([
    [undefined, 'bash', { script: 'ls' }],
    [tools('run_code'), 'bash', { script: 'ls' }],
    [targets('data/b.csv'), 'read_file', { path: 'data/c.csv' }],
    [targets('data/b.csv'), 'read_file', { path: 7 }],
    [targets(''), 'request_approval', {}],
  ])('is none: %o %s', (blocked, tool, input) => {
    expect(blockedReason(blocked, testTools.factsOf(tool), input)).toBeUndefined();
  });
});

describe('a cycle whose plan was made after an untrusted reading', () => {
  const added = { tools: [], targets: [], unplanned: ['look'] };
  const answered = (cycle: CycleUnderTest): readonly string[] =>
    cycle.events.flatMap((event) => (event.kind === 'CallAnswered' ? [event.why] : []));

  verifies('provenance:plan-frozen', 'makes no call of a tool that this plan adds', () => {
    const cycle = new CycleUnderTest({ blocked: added });
    cycle.answer({
      calls: [
        ['look', { at: 1 }],
        ['change', { at: 1 }],
      ],
    });
    expect(answered(cycle)).toEqual(['Blocked']);
    const requested = cycle.events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.tool] : []));
    expect(requested).toEqual(['change']);
  });

  verifies('provenance:plan-frozen', 'asks nobody to approve one', () => {
    const cycle = new CycleUnderTest({ blocked: { ...added, unplanned: ['send'] } });
    cycle.answer({ calls: [['request_approval', { tool: 'send', input: { to: 'a' }, reason: 'It is needed.' }]] });
    expect(answered(cycle)).toEqual(['Blocked']);
    expect(cycle.events.filter(({ kind }) => kind === 'ApprovalRequested')).toEqual([]);
  });
});
