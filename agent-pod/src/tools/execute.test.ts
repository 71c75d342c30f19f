import { InvariantError } from '@retainer/contract/std/invariant';
import { sha256Hex } from '@retainer/contract/std/hash';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { EffectClass } from '@retainer/mind/gate/verdict';
import { SETTLE_GRACE_MS } from './execute.ts';
import { createRegistry } from '../parts/catalog.ts';
import type { ToolRegistry } from './registry.ts';
import type { OfferedTool, ToolOutput } from './tool.ts';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';

const idle = new AbortController().signal;

const offered: OfferedTool = {
  description: 'For tests.',
  input: z.strictObject({ n: z.number() }),
  timeoutMs: 1000,
  touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
  run: () => Promise.resolve({ isError: false, text: 'ran' }),
};

/** A registry of one tool that does what the test says. */
function registryOf(parts: Partial<OfferedTool>, effectClass: EffectClass = 0): ToolRegistry {
  return registryOfOne({ ...offered, ...parts }, effectClass);
}

function registryOfOne(tool: OfferedTool, effectClass: EffectClass = 0): ToolRegistry {
  return createRegistry({ sandboxLanguages: [] }, [
    { facts: { name: 'probe', effectClass, actsLater: false }, offer: () => tool },
  ]);
}

/** A tool that counts how often it really ran. */
function counting(effectClass: EffectClass = 0): { readonly registry: ToolRegistry; readonly runs: () => number } {
  let runs = 0;
  const run = (): Promise<ToolOutput> => {
    runs += 1;
    return Promise.resolve({ isError: false, text: 'ran' });
  };
  return { registry: registryOf({ run }, effectClass), runs: () => runs };
}

describe('a permit', () => {
  it('that fits runs its call', async () => {
    const { registry, runs } = counting();
    const outcome = await toolWorld({ registry }).call('probe', { n: 1 });
    expect(outcome).toMatchObject({
      status: 'Ok',
      text: 'ran',
      outputBytes: 3,
      outputSha256: sha256Hex('ran'),
      files: [],
    });
    expect(runs()).toBe(1);
  });

  verifies('tools:permit-binds-arguments', 'runs nothing but the arguments it was given for', async () => {
    const { registry, runs } = counting();
    const world = toolWorld({ registry });
    const permit = world.permit('probe', { n: 1 });
    const changed = [
      { ...permit, input: { n: 2 } },
      { ...permit, input: { n: 1, m: 1 } },
      { ...permit, input: {} },
      { ...permit, input: null },
      { ...permit, tool: 'other' },
      { ...permit, tool: 'request_approval' },
      { ...permit, argumentsDigest: permit.argumentsDigest.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
      { ...permit, argumentsDigest: '' },
    ];
    for (const it of changed) expect((await world.executor.execute(it, idle)).status, JSON.stringify(it)).toBe('Error');
    expect(runs()).toBe(0);
    expect((await world.executor.execute(permit, idle)).status).toBe('Ok');
  });

  verifies('provenance:plan-frozen', 'runs no tool that a later plan adds, whatever the verdict says', async () => {
    const { registry, runs } = counting();
    const world = toolWorld({ registry });
    const blocked = { tools: [], targets: [], unplanned: ['probe'] };
    const outcome = await world.executor.execute(world.permit('probe', { n: 1 }, { blocked }), idle);
    expect(outcome).toMatchObject({ status: 'Error', text: expect.stringContaining('[blocked] The tool probe') });
    expect(runs()).toBe(0);
  });

  verifies('tools:verdict-stands', 'runs nothing that no recorded verdict accepts', async () => {
    const { registry, runs } = counting();
    const { callId, argumentsDigest } = toolWorld({ registry }).permit('probe', { n: 1 });
    const verdicts = [
      undefined,
      { callId, argumentsDigest: 'f'.repeat(64) },
      { callId, argumentsDigest, approvalId: 'another' },
    ];
    for (const verdict of verdicts) {
      const outcome = await toolWorld({ registry, accepted: () => verdict }).call('probe', { n: 1 });
      expect(outcome).toMatchObject({ status: 'Error', text: expect.stringContaining('chokepoint/no-verdict') });
    }
    expect(runs()).toBe(0);
    await toolWorld({ registry, accepted: () => ({ callId, argumentsDigest }) }).call('probe', { n: 1 });
    expect(runs()).toBe(1);
  });

  verifies(
    'tools:gate-asked-again',
    'does not help against the gate, which is asked at the time of the call',
    async () => {
      const { registry, runs } = counting(4);
      const approval = { requestId: 'r1', decision: 'Approve', by: 'ada', reason: 'ok' } as const;
      const world = (expiresAtMs: number, argumentsDigest: string): ReturnType<typeof toolWorld> =>
        toolWorld({ registry, approvals: [{ ...approval, argumentsDigest, expiresAtMs }] });
      const permit = toolWorld({ registry }).permit('probe', { n: 1 }, { approvalId: 'r1' });
      const { approvalId: _none, ...without } = permit;
      const late = world(0, permit.argumentsDigest);
      const fits = world(Number.MAX_SAFE_INTEGER, permit.argumentsDigest);
      const other = world(Number.MAX_SAFE_INTEGER, 'f'.repeat(64));
      expect(await fits.executor.execute(without, idle)).toMatchObject({
        status: 'Error',
        text: expect.stringContaining('effect-class/4'),
      });
      expect(await late.executor.execute(permit, idle)).toMatchObject({
        status: 'Error',
        text: expect.stringContaining('approval/expired'),
      });
      expect(await other.executor.execute(permit, idle)).toMatchObject({ status: 'Error' });
      expect(runs()).toBe(0);
      expect((await fits.executor.execute(permit, idle)).status).toBe('Ok');
    },
  );

  it('for a call that the character never allows runs nothing', async () => {
    const { registry, runs } = counting();
    const policy = { authority: { never: [{ id: 'n', description: 'No probing.', tools: ['probe'] }] } };
    const outcome = await toolWorld({ registry, policy }).call('probe', { n: 1 });
    expect(outcome).toMatchObject({ status: 'Error', text: expect.stringContaining('authority.never/n') });
    expect(runs()).toBe(0);
  });
});

describe('a tool that', () => {
  it.each<[string, unknown, string]>([
    ['an error', new Error('no ink'), 'probe failed: no ink'],
    [
      'a system error',
      Object.assign(new Error('ENOSPC: /secret/place'), { code: 'ENOSPC' }),
      'probe failed: no space is left on the volume',
    ],
    ['no error at all', 'text', 'probe failed: for a reason that it did not name'],
  ])('throws %s ends as an error outcome', async (_name, thrown, text) => {
    const registry = registryOf({ run: () => Promise.reject(thrown) });
    expect(await toolWorld({ registry }).call('probe', { n: 1 })).toMatchObject({ status: 'Error', text });
  });

  it('throws at once, before it makes a promise, ends the same way', async () => {
    const registry = registryOf({
      run: () => {
        throw new Error('early');
      },
    });
    expect(await toolWorld({ registry }).call('probe', { n: 1 })).toMatchObject({
      status: 'Error',
      text: 'probe failed: early',
    });
  });

  it('breaks an invariant is a bug and passes through', async () => {
    const registry = registryOf({ run: () => Promise.reject(new InvariantError('bug')) });
    await expect(toolWorld({ registry }).call('probe', { n: 1 })).rejects.toThrow('bug');
  });

  verifies('tools:hanging-tool-never-blocks', 'hangs and ignores its signal is left behind', async () => {
    const world = toolWorld({ registry: registryOf({ run: () => new Promise(() => undefined) }) });
    const outcome = world.call('probe', { n: 1 });
    await world.clock.untilSleeping(1000);
    world.clock.advance(1000);
    await world.clock.untilSleeping(SETTLE_GRACE_MS);
    world.clock.advance(SETTLE_GRACE_MS);
    expect(await outcome).toMatchObject({ status: 'TimedOut', durationMs: 1000 + SETTLE_GRACE_MS });
    expect(world.clock.sleeping()).toEqual([]);
  });

  it('has no time limit of its own gets that of the Agent', async () => {
    const { timeoutMs: _own, ...hanging } = { ...offered, run: () => new Promise<never>(() => undefined) };
    const world = toolWorld({ registry: registryOfOne(hanging), toolTimeoutMs: 7000 });
    const outcome = world.call('probe', { n: 1 });
    await world.clock.untilSleeping(7000);
    world.clock.advance(7000);
    await world.clock.untilSleeping(SETTLE_GRACE_MS);
    world.clock.advance(SETTLE_GRACE_MS);
    expect(await outcome).toMatchObject({ status: 'TimedOut', text: 'probe timed out after 7 s and was stopped.' });
  });

  it('obeys its signal is waited for, and its late output does not count as success', async () => {
    let stopped = false;
    const run: OfferedTool['run'] = (_input, _context, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          resolve({ isError: false, text: 'late' });
        });
      });
    const world = toolWorld({ registry: registryOf({ run }) });
    const outcome = world.call('probe', { n: 1 });
    await world.clock.untilSleeping(1000);
    world.clock.advance(1000);
    expect(await outcome).toMatchObject({ status: 'TimedOut' });
    expect(stopped).toBe(true);
  });

  it('is cancelled from outside ends as cancelled', async () => {
    const stop = new AbortController();
    const run: OfferedTool['run'] = (_input, _context, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    const world = toolWorld({ registry: registryOf({ run }) });
    const outcome = world.executor.execute(world.permit('probe', { n: 1 }), stop.signal);
    await world.clock.untilSleeping(1000);
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'Cancelled' });
    expect(await world.executor.execute(world.permit('probe', { n: 1 }), stop.signal)).toMatchObject({
      status: 'Cancelled',
    });
  });
});

describe('a cancellation that comes while the tool', () => {
  const cancelling = (end: () => Promise<ToolOutput>): Promise<ToolOutcome> => {
    const stop = new AbortController();
    const run = (): Promise<ToolOutput> => {
      stop.abort();
      return end();
    };
    const world = toolWorld({ registry: registryOf({ run }) });
    const outcome = world.executor.execute(world.permit('probe', { n: 1 }), stop.signal);
    void world.clock.untilSleeping(SETTLE_GRACE_MS).then(() => world.clock.advance(SETTLE_GRACE_MS));
    return outcome;
  };

  it('fails is a cancellation, and while it hangs, too', async () => {
    expect(await cancelling(() => Promise.reject(new Error('stopped')))).toMatchObject({ status: 'Cancelled' });
    expect(await cancelling(() => new Promise(() => undefined))).toMatchObject({ status: 'Cancelled' });
  });
});

describe('long output', () => {
  verifies('tools:head-and-tail', 'is shown head and tail, kept whole, and read in pages', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} 🙂`);
    const full = lines.join('\n');
    const world = toolWorld({ script: () => Promise.resolve({ stdout: full }) });
    const outcome = await world.call('bash', { script: 'seq' });
    expect(outcome.text.length).toBeLessThan(4200);
    expect(outcome.text).toContain('line 0 ');
    expect(outcome.text).toContain('line 4999 ');
    expect(outcome.text).toContain(`artifact:${outcome.artifactId}`);
    expect(outcome.text.split(/\[… /)[0]?.length).toBeLessThan(outcome.text.length / 2);
    expect(outcome.outputSha256).toBe(sha256Hex(`exit code 0\n${full}`));
    expect(outcome.outputBytes).toBe(Buffer.byteLength(`exit code 0\n${full}`));
    expect(await pagesOf(world, `artifact:${outcome.artifactId}`)).toBe(`exit code 0\n${full}`);
  });

  verifies('memory:artifacts', 'is kept with the call that brought it, and with the address of a page', async () => {
    const text = 'x'.repeat(9000);
    const input = z.strictObject({ url: z.string() });
    const registry = registryOf({ input, run: () => Promise.resolve({ isError: false, text }) });
    const world = toolWorld({ registry });
    const by = { text, tool: 'probe', runId: 'run-1', cycleId: 'cycle-1', truncated: false };
    const url = 'https://a.example/page';
    await world.call('probe', { url });
    await world.call('probe', { url: 'no address' });
    expect(world.kept).toEqual([{ ...by, url }, by]);
  });

  it('is shown as far as the Agent says, in short pages and in long ones', async () => {
    const full = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n');
    for (const outputCharacters of [1024, 10_000, 40_000]) {
      const world = toolWorld({ outputCharacters, script: () => Promise.resolve({ stdout: full }) });
      const outcome = await world.call('bash', { script: 'seq' });
      expect(Math.abs(outcome.text.length - Math.min(full.length, outputCharacters))).toBeLessThan(200);
      expect(await pagesOf(world, `artifact:${outcome.artifactId}`)).toBe(`exit code 0\n${full}`);
    }
  });

  it('is never shown beyond what the tool itself says', async () => {
    const run: OfferedTool['run'] = () => Promise.resolve({ isError: false, text: 'x'.repeat(9000) });
    const registry = registryOf({ run, outputCharacters: 500 });
    for (const outputCharacters of [300, 700]) {
      const { text } = await toolWorld({ registry, outputCharacters }).call('probe', { n: 1 });
      expect(text.replaceAll(/[^x]/g, '').length).toBeLessThanOrEqual(Math.min(outputCharacters, 500) + 10);
    }
  });

  it('of an unpaired surrogate still hashes to what is kept', async () => {
    const registry = registryOf({ run: () => Promise.resolve({ isError: false, text: `\ud800${'x'.repeat(9000)}` }) });
    const world = toolWorld({ registry });
    const outcome = await world.call('probe', { n: 1 });
    const kept = world.artifacts.get(outcome.artifactId ?? '') ?? '';
    expect(sha256Hex(Buffer.from(kept))).toBe(outcome.outputSha256);
  });

  it('says that there is no such artifact', async () => {
    expect(await toolWorld().call('read_file', { path: 'artifact:none' })).toMatchObject({
      status: 'Error',
      text: 'There is no artifact:none.',
    });
  });
});

describe('lookup', () => {
  verifies('tools:lookup-after-crash', 'finds what the world knows and changes nothing', async () => {
    const world = toolWorld({ script: () => Promise.resolve({ stdout: 'once' }) });
    const bash = world.permit('bash', { script: 'x' });
    expect(await world.executor.lookup(bash, idle)).toBeUndefined();
    const ran = await world.executor.execute(bash, idle);
    expect(await world.executor.lookup(bash, idle)).toMatchObject({ status: 'Ok', outputSha256: ran.outputSha256 });
    expect(world.sandboxRequests).toHaveLength(1);
    const write = world.permit('write_file', { path: 'a.txt', content: 'hello' });
    expect(await world.executor.lookup(write, idle)).toBeUndefined();
    expect(await world.call('read_file', { path: 'a.txt' })).toMatchObject({ status: 'Error' });
    await world.executor.execute(write, idle);
    expect(await world.executor.lookup(write, idle)).toMatchObject({
      status: 'Ok',
      files: [{ path: 'a.txt', sizeBytes: 5 }],
    });
    expect(
      await world.executor.lookup(world.permit('write_file', { path: 'a.txt', content: 'hellp' }), idle),
    ).toBeUndefined();
    const fact = world.permit('memory_write', { key: 'a.b', value: 'v' });
    expect(await world.executor.lookup(fact, idle)).toBeUndefined();
    await world.executor.execute(fact, idle);
    expect(await world.executor.lookup(fact, idle)).toMatchObject({ status: 'Ok' });
  });

  it('knows nothing of a tool without a memory, nor of other arguments', async () => {
    const { registry } = counting();
    const world = toolWorld({ registry });
    const permit = world.permit('probe', { n: 1 });
    expect(await world.executor.lookup(permit, idle)).toBeUndefined();
    expect(await world.executor.lookup({ ...permit, input: { n: 2 } }, idle)).toBeUndefined();
  });
});

async function pagesOf(world: ReturnType<typeof toolWorld>, path: string): Promise<string> {
  const texts: string[] = [];
  for (let page = 1; ; page += 1) {
    const outcome = await world.call('read_file', { path, page });
    if (outcome.status !== 'Ok') return texts.join('');
    texts.push(outcome.text.replace(/^\[page [^\n]*\]\n/, ''));
    expect(outcome.artifactId).toBeUndefined();
  }
}
