import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
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
