import { describe, expect, it } from 'vitest';
import { toolWorld, type ToolWorld } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { ServeRequest, ServeStart, ServingPort } from '../../ports/serving-port.ts';
import { createRegistry } from '../../parts/catalog.ts';

const registry = createRegistry({ sandboxLanguages: ['bash', 'javascript'], code: { serve: true } });
const serving = { id: 'a1', ports: [{ name: 'web', port: 8080 }], deadlineMs: 1_900_000_000_000 };
const input = { language: 'bash', script: 'listen', ports: serving.ports, seconds: 30 };
const failed = { end: 'Exited', exitCode: 4, stdout: '', stderr: 'no module', droppedBytes: 0, durationMs: 1 } as const;

/** Serves what it is told to, in memory. */
class MemoryServing implements ServingPort {
  readonly requests: ServeRequest[] = [];
  readonly #start: ServeStart;
  readonly #known = new Map<string, ServeStart>();
  #stopped = false;

  constructor(start: ServeStart) {
    this.#start = start;
  }

  serve(request: ServeRequest): Promise<ServeStart> {
    this.requests.push(request);
    this.#known.set(request.idempotencyKey, this.#start);
    return Promise.resolve(this.#start);
  }

  lookup(key: string): Promise<ServeStart | undefined> {
    return Promise.resolve(this.#known.get(key));
  }

  stop(id: string): Promise<boolean> {
    const isStopped = this.list().some((one) => one.id === id);
    this.#stopped ||= isStopped;
    return Promise.resolve(isStopped);
  }

  list(): ReturnType<ServingPort['list']> {
    return this.#start.type === 'Serving' && !this.#stopped ? [this.#start.serving] : [];
  }

  forward(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  upgrade(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function world(start: ServeStart): ToolWorld & { readonly serving: MemoryServing } {
  const memory = new MemoryServing(start);
  return { ...toolWorld({ registry, serving: memory }), serving: memory };
}

const lookup = (it_: ToolWorld, tool: string, given: unknown): ReturnType<ToolWorld['executor']['lookup']> =>
  it_.executor.lookup(it_.permit(tool, given), new AbortController().signal);

describe('serve_code', () => {
  it.each([
    [{}, false],
    [{ code: { serve: false } }, false],
    [{ code: { serve: true } }, true],
    [{ code: { serve: true, enabled: false } }, false],
  ])('exists where the Agent allows it: %j', (options, expected) => {
    const { names } = createRegistry({ sandboxLanguages: ['bash'], ...options });
    expect([names.includes('serve_code'), names.includes('stop_serving')]).toEqual([expected, expected]);
  });

  verifies('serve:tools', 'says whether it answers, where, and until when; and again after a crash', async () => {
    const one = world({ type: 'Serving', serving, isAnswering: true });
    const outcome = await one.call('serve_code', input);
    expect(outcome).toMatchObject({
      status: 'Ok',
      text: expect.stringMatching(/^VERIFIED: it answers\.\nid a1, until 2030-/),
    });
    expect(outcome.text).toContain('port 8080: /serve/a1/web/');
    expect(one.serving.requests).toMatchObject([
      { idempotencyKey: 'call-1', ports: serving.ports, limits: { timeoutMs: 30_000 } },
    ]);
    expect((await lookup(one, 'serve_code', input))?.text).toBe(outcome.text);
    const silent = await world({ type: 'Serving', serving, isAnswering: false }).call('serve_code', input);
    expect(silent).toMatchObject({ status: 'Ok', text: expect.stringMatching(/^UNVERIFIED: /) });
    const over = await world({ type: 'Ended', result: failed }).call('serve_code', input);
    expect(over).toMatchObject({
      status: 'Error',
      text: expect.stringMatching(/^ENDED: .*\nexit code 4\nstderr:\nno module$/),
    });
  });

  it.each([
    ['a longer time than the Agent allows', { seconds: 61 }],
    ['no port', { ports: [] }],
    ['a port of the system', { ports: [{ name: 'web', port: 80 }] }],
    ['the port of the runner', { ports: [{ name: 'web', port: 7070 }] }],
    ['a name that is no part of an address', { ports: [{ name: 'We/b', port: 8080 }] }],
    ['a name twice', { ports: [...serving.ports, { name: 'web', port: 8081 }] }],
    ['six ports', { ports: Array.from({ length: 6 }, (_, index) => ({ name: `p${index}`, port: 8080 + index })) }],
  ])('refuses %s', async (_, change) => {
    const one = world({ type: 'Serving', serving, isAnswering: true });
    expect(await one.call('serve_code', { ...input, ...change })).toMatchObject({ status: 'Error' });
    expect(one.serving.requests).toEqual([]);
  });

  it('is judged by the gate as every tool that runs code, and says where it cannot', async () => {
    const never = [{ id: 'no-serving', description: 'not here', tools: ['serve_*'] }];
    const memory = new MemoryServing({ type: 'Serving', serving, isAnswering: true });
    const forbidden = toolWorld({ registry, serving: memory, policy: { authority: { never } } });
    expect((await forbidden.call('serve_code', input)).text).toMatch(/^\[refused\]/);
    expect(memory.requests).toEqual([]);
    const local = toolWorld({ registry });
    expect((await local.call('serve_code', input)).text).toMatch(/^Nothing can keep a port open here/);
    expect((await local.call('stop_serving', { id: 'a1' })).text).toMatch(/^Nothing can keep a port open here/);
  });
});

describe('stop_serving', () => {
  verifies(
    'serve:tools',
    'ends it, names what serves instead, and after a crash sees whether it was done',
    async () => {
      const one = world({ type: 'Serving', serving, isAnswering: true });
      const other = await one.call('stop_serving', { id: 'b2' });
      expect(other).toMatchObject({ status: 'Error', text: 'Nothing of the id "b2" serves. What serves now: a1.' });
      expect(await lookup(one, 'stop_serving', { id: 'a1' })).toBeUndefined();
      expect(await one.call('stop_serving', { id: 'a1' })).toMatchObject({ status: 'Ok', text: 'a1 serves no more.' });
      expect(await lookup(one, 'stop_serving', { id: 'a1' })).toMatchObject({ status: 'Ok' });
    },
  );
});
