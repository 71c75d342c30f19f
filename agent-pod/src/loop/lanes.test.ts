import fc from 'fast-check';
import { expect } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { knownTools } from '../parts/catalog.ts';
import { endpointOf, Lanes, type LaneOf } from './lanes.ts';
import { WorkspaceTurns } from './workspace-turns.ts';

const turnOfTheLoop = (): Promise<void> => new Promise(setImmediate);
const lanesOf = (codeMax = 1): Lanes => new Lanes(new WorkspaceTurns(manualClock(), codeMax));
const callOf = (cycleId: string, endpoint?: string): LaneOf => ({ runId: cycleId, cycleId, runsCode: false, endpoint });

const endpoints = [
  { tool: 'fetch_url', input: { url: 'https://docs.example/a' }, endpoint: 'docs.example' },
  { tool: 'fetch_url', input: { url: 'https://docs.example:8443/a' }, endpoint: 'docs.example:8443' },
  { tool: 'fetch_url', input: { url: 'no address' }, endpoint: 'fetch_url' },
  { tool: 'fetch_url', input: undefined, endpoint: 'fetch_url' },
  { tool: 'write_file', input: { path: 'a' }, endpoint: undefined },
  { tool: 'run_code', input: { url: 'https://docs.example/a' }, endpoint: undefined },
  { tool: 'nobody_knows', input: { url: 'https://docs.example/a' }, endpoint: undefined },
];

for (const { tool, input, endpoint } of endpoints)
  verifies('loop:lanes', `${tool} of ${JSON.stringify(input)} waits for ${endpoint ?? 'the workspace'}`, () => {
    expect(endpointOf(knownTools.factsOf(tool), input)).toBe(endpoint);
  });

verifies(
  'loop:lanes',
  'an endpoint that does not answer holds up neither the workspace nor another endpoint',
  async () => {
    const lanes = lanesOf();
    const notes: string[] = [];
    void lanes.take(callOf('a', 'slow'), () => new Promise(() => undefined));
    void lanes.take(callOf('a'), async () => void notes.push('of the same cycle'));
    void lanes.take(callOf('b', 'slow'), async () => void notes.push('of the same endpoint'));
    await lanes.take(callOf('b2'), async () => void notes.push('workspace'));
    await lanes.take(callOf('c', 'quick'), async () => void notes.push('other endpoint'));
    expect(notes).toEqual(['workspace', 'other endpoint']);
  },
);

verifies('loop:lanes', 'a call that fails lets the next one of its lane and of its cycle go on', async () => {
  const lanes = lanesOf();
  const notes: string[] = [];
  const failed = lanes.take(callOf('a', 'e'), () => Promise.reject(new Error('a fault')));
  const others = [callOf('a'), callOf('b', 'e')].map((call) =>
    lanes.take(call, async () => void notes.push(call.cycleId)),
  );
  await expect(failed).rejects.toThrow('a fault');
  await Promise.all(others);
  expect(notes.toSorted()).toEqual(['a', 'b']);
});

const calls = fc.array(
  fc.record({
    cycleId: fc.constantFrom('c1', 'c2', 'c3'),
    endpoint: fc.constantFrom(undefined, 'e1', 'e2'),
    runsCode: fc.boolean(),
    length: fc.nat({ max: 4 }),
  }),
  { maxLength: 12 },
);

verifies(
  'loop:lanes',
  'calls of a cycle, and of an endpoint, never overlap, and those of a cycle keep their order',
  async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 3 }), async (played, codeMax) => {
        const lanes = lanesOf(codeMax);
        const begun = new Map<string, number[]>();
        const busy = new Set<string>();
        const ends = played.map(({ length, ...call }, at) =>
          lanes.take({ ...call, runId: call.cycleId }, async () => {
            const keys = [call.cycleId, call.endpoint ?? 'the workspace'];
            for (const key of keys) {
              expect(busy.has(key)).toBe(false);
              busy.add(key);
            }
            begun.set(call.cycleId, [...(begun.get(call.cycleId) ?? []), at]);
            for (let turn = 0; turn < length; turn += 1) await turnOfTheLoop();
            for (const key of keys) busy.delete(key);
          }),
        );
        await Promise.all(ends);
        for (const order of begun.values()) expect(order).toEqual(order.toSorted((one, other) => one - other));
        expect([...begun.values()].flat()).toHaveLength(played.length);
      }),
      { numRuns: 200 },
    );
  },
);
