import { describe, expect, it } from 'vitest';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';
import type { Parked } from '@retainer/mind/request/parked';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { Seeded } from '../../../test/support/seeded.ts';
import { verifies } from '../../../test/verifies.ts';
import type { InferOptions, ModelPort } from '../ports/ports.ts';
import type { TriedFailure } from './model-attempt.ts';
import { parkingModel } from './parking-model.ts';
import { ASKED_WAIT_MS_MAX, parkMs } from './park.ts';

type Outcome = Result<ModelAnswer, TriedFailure>;
type Server = (model: string) => Outcome;

const answer: ModelAnswer = {
  content: [{ type: 'Text', text: 'done' }],
  stop: 'EndTurn',
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  model: 'm',
  latencyMs: 1,
  attempts: 1,
};

const failed = (kind: ModelFailureKind, more: Partial<TriedFailure> = {}): Outcome =>
  err({ kind, message: kind, attempts: 1, latencyMs: 1, ...more });

function requestOf(model: string): ModelRequest {
  return { role: 'executor', tier: 'Fast', model, system: [], messages: [], tools: [], maxOutputTokens: 100 };
}

/** A provider on a clock that a test moves, and what it was asked. */
class Provider {
  readonly clock: ManualClock = manualClock();
  readonly asked: { readonly model: string; readonly atMs: number; readonly retriesMax: number | undefined }[] = [];
  server: Server;
  readonly port: ModelPort;

  constructor(server: Server) {
    this.server = server;
    const infer = (request: ModelRequest, { retriesMax }: InferOptions): Promise<Outcome> => {
      this.asked.push({ model: request.model, atMs: this.clock.monotonicMs(), retriesMax });
      return Promise.resolve(this.server(request.model));
    };
    this.port = parkingModel({ name: 'fake', infer }, { clock: this.clock, random: () => 0 });
  }

  ask(model: string, more: Partial<InferOptions> = {}) {
    const told: (Parked | undefined)[] = [];
    const stop = new AbortController();
    const options = {
      callId: 'c',
      signal: stop.signal,
      timeoutMs: 1000,
      onParked: (it: Parked | undefined) => told.push(it),
    };
    const state: { outcome?: Awaited<ReturnType<ModelPort['infer']>> } = {};
    const ended = this.port
      .infer(requestOf(model), { ...options, ...more })
      .then((outcome) => (state.outcome = outcome));
    return { told, stop, ended, state };
  }

  /** Moves the time on in steps that no sleeper notices to be steps. */
  async pass(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs;) {
      await settle();
      const step = Math.min(this.clock.nextInMs() ?? durationMs, durationMs - passed);
      this.clock.advance(Math.max(step, 1));
      passed += Math.max(step, 1);
    }
    await settle();
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

const up: Server = () => ok(answer);

describe('a call whose provider is out', () => {
  const passing: readonly ModelFailureKind[] = ['RateLimited', 'Overloaded', 'Network', 'Timeout'];
  const lasting: readonly ModelFailureKind[] = ['Authentication', 'InvalidRequest', 'MalformedAnswer', 'Cancelled'];

  for (const kind of passing)
    verifies('infer:parks', `waits out ${kind}, says since when and until when, and goes on`, async () => {
      const provider = new Provider(() => failed(kind));
      const call = provider.ask('m');
      await provider.pass(20_000);
      expect(call.state.outcome).toBeUndefined();
      const startMs = provider.clock.nowMs() - 20_000;
      expect(call.told.map((it) => it && [it.why, it.sinceMs - startMs, it.nextTryAtMs - startMs])).toEqual([
        [kind, 0, 5000],
        [kind, 0, 15_000],
        [kind, 0, 35_000],
      ]);
      provider.server = up;
      await provider.pass(15_000);
      expect(call.state.outcome).toMatchObject({ ok: true, value: { attempts: 4 } });
      expect(call.told.at(-1)).toBeUndefined();
    });

  it.each(lasting)('ends at once with %s', async (kind) => {
    const provider = new Provider(() => failed(kind));
    const call = provider.ask('m');
    await settle();
    expect(call.state.outcome).toMatchObject({ ok: false, error: { kind } });
    expect(call.told).toEqual([]);
  });

  it('is not tried before the moment that the server names', async () => {
    const provider = new Provider(() => failed('RateLimited', { retryAfterMs: 3_600_000 }));
    provider.ask('m');
    await provider.pass(3_599_000);
    expect(provider.asked).toHaveLength(1);
    provider.server = up;
    await provider.pass(1000);
    expect(provider.asked).toHaveLength(2);
  });

  it('ends when an answer began and took all its time, or where its caller goes on without', async () => {
    const provider = new Provider(() => failed('Timeout', { isFinal: true }));
    const long = provider.ask('m');
    await settle();
    expect(long.state.outcome?.ok).toBe(false);
    provider.server = () => failed('Timeout');
    const question = provider.ask('m', { failsAtTimeout: true });
    await settle();
    expect(question.state.outcome?.ok).toBe(false);
  });

  it('ends when its answer is cut again and again: somebody pays for each', async () => {
    const provider = new Provider(() => failed('Network', { begun: 2 }));
    const call = provider.ask('m');
    await provider.pass(600_000);
    expect([call.state.outcome?.ok, provider.asked.length]).toEqual([false, 4]);
  });

  it('has its retries after a try that brought no answer of the API', async () => {
    const answers: Outcome[] = [failed('Network'), failed('MalformedAnswer'), ok(answer)];
    const provider = new Provider(() => answers.shift() ?? failed('Cancelled'));
    const call = provider.ask('m');
    await provider.pass(20_000);
    expect([call.state.outcome?.ok, provider.asked.length]).toEqual([true, 3]);
  });

  it('ends at its signal, and leaves its turn to the next', async () => {
    const provider = new Provider(() => failed('Network'));
    const first = provider.ask('m');
    const second = provider.ask('m');
    await settle();
    first.stop.abort(new Error('stopped'));
    provider.server = up;
    await provider.pass(10_000);
    expect(second.state.outcome?.ok).toBe(true);
  });

  it('leaves the try to the next when it is stopped in the middle of it', async () => {
    const provider = new Provider(() => failed('Network'));
    const first = provider.ask('m');
    const second = provider.ask('m');
    await settle();
    provider.server = () => {
      provider.server = up;
      first.stop.abort(new Error('stopped'));
      return failed('Cancelled');
    };
    await provider.pass(20_000);
    expect([first.state.outcome?.ok, second.state.outcome?.ok]).toEqual([false, true]);
  });

  it('does not wait where nobody is told', async () => {
    const provider = new Provider(() => failed('Network'));
    const { onParked: _, ...options } = {
      callId: 'c',
      signal: new AbortController().signal,
      timeoutMs: 1,
      onParked: 0,
    };
    expect((await provider.port.infer(requestOf('m'), options)).ok).toBe(false);
    provider.ask('m');
    await settle();
    const before = provider.asked.length;
    expect(await provider.port.infer(requestOf('m'), options)).toMatchObject({ ok: false, error: { kind: 'Network' } });
    expect(provider.asked).toHaveLength(before);
  });
});

describe('the calls beside it', () => {
  it('that were under way with it do not prolong the wait', async () => {
    const provider = new Provider(() => failed('Network'));
    for (const model of ['m', 'm', 'other']) provider.ask(model);
    await provider.pass(6000);
    expect(provider.asked.map(({ atMs }) => atMs)).toEqual([0, 0, 0, 5000]);
  });

  verifies('infer:parks', 'wait with it: one request a try, whatever the number of calls', async () => {
    const provider = new Provider(() => failed('Network'));
    provider.ask('m');
    await settle();
    const others = Array.from({ length: 10 }, (_, index) => provider.ask(index % 2 === 0 ? 'm' : 'other'));
    await provider.pass(60_000);
    // The first call, then tries after 5, 15 and 35 s.
    expect(provider.asked.map(({ atMs }) => atMs)).toEqual([0, 5000, 15_000, 35_000]);
    expect(provider.asked.slice(1).map(({ retriesMax }) => retriesMax)).toEqual([0, 0, 0]);
    provider.server = up;
    await provider.pass(60_000);
    expect(others.every(({ state }) => state.outcome?.ok)).toBe(true);
  });

  it.each<[ModelFailureKind, number]>([
    ['Overloaded', 2],
    ['RateLimited', 2],
    ['Network', 1],
  ])('of another model, after %s of one: %d requests', async (kind, requests) => {
    const provider = new Provider((model) => (model === 'm' ? failed(kind) : ok(answer)));
    provider.ask('m');
    await settle();
    provider.ask('other');
    await settle();
    expect(provider.asked).toHaveLength(requests);
  });

  it('that have a stand-in wait where it does not stand in: after too many requests', async () => {
    const provider = new Provider(() => failed('RateLimited'));
    const call = provider.ask('m', { hasStandIn: true });
    await provider.pass(10_000);
    expect(call.state.outcome).toBeUndefined();
    const other = provider.ask('m', { hasStandIn: true });
    await settle();
    expect(other.told.length).toBe(1);
    provider.server = up;
    await provider.pass(60_000);
    expect([call.state.outcome?.ok, other.state.outcome?.ok]).toEqual([true, true]);
  });

  it('that have a stand-in use it, unless the whole provider is out', async () => {
    const provider = new Provider(() => failed('Overloaded'));
    const other = provider.ask('m', { hasStandIn: true });
    await settle();
    expect(other.state.outcome).toMatchObject({ ok: false, error: { kind: 'Overloaded' } });
    provider.server = () => failed('Network');
    provider.ask('spare');
    await settle();
    const waits = provider.ask('m', { hasStandIn: true });
    await provider.pass(20_000);
    expect(waits.state.outcome).toBeUndefined();
    expect(waits.told.length).toBeGreaterThan(0);
  });
});

describe('a life with outages at random', () => {
  verifies('infer:parks', 'loses no call, and asks no more than one request a try', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const seeded = new Seeded(seed);
      const kinds: readonly ModelFailureKind[] = ['RateLimited', 'Overloaded', 'Network', 'Timeout'];
      const provider = new Provider(() => {
        const kind = kinds[seeded.below(6)];
        const asksFor = seeded.below(5) === 0 ? { retryAfterMs: seeded.below(120_000) } : {};
        return kind === undefined ? ok(answer) : failed(kind, asksFor);
      });
      const calls = [];
      for (let call = 0; call < 12; call += 1) {
        calls.push(provider.ask(seeded.below(2) === 0 ? 'm' : 'other'));
        await provider.pass(seeded.below(30_000));
      }
      provider.server = up;
      await provider.pass(400_000);
      const ended = calls.map(({ state }) => state.outcome?.ok);
      expect(ended, `seed ${seed}`).toEqual(calls.map(() => true));
    }
  });
});

describe('parkMs', () => {
  it.each([
    { tries: 1, retryAfterMs: undefined, waitMs: 5000 },
    { tries: 3, retryAfterMs: undefined, waitMs: 20_000 },
    { tries: 50, retryAfterMs: undefined, waitMs: 300_000 },
    { tries: 1, retryAfterMs: 3_600_000, waitMs: 3_600_000 },
    { tries: 1, retryAfterMs: 1e12, waitMs: ASKED_WAIT_MS_MAX },
    { tries: 1, retryAfterMs: 0, waitMs: 5000 },
    { tries: 4, retryAfterMs: 7000, waitMs: 40_000 },
  ])(
    'is $waitMs ms after $tries failed tries and a Retry-After of $retryAfterMs',
    ({ tries, retryAfterMs, waitMs }) => {
      expect(parkMs(retryAfterMs === undefined ? {} : { retryAfterMs }, tries, 0)).toBe(waitMs);
    },
  );
});
