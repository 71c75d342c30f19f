import { describe, expect, it } from 'vitest';
import { agentDefinition } from '../../../test/support/agents.ts';
import { settingsOf } from './agent-settings.ts';
import { CODE_LIMITS } from '../tools/code-run.ts';
import { presets } from '@retainer/mind/memory/recall/presets';
import { DEFAULT_RECALL } from './recall.ts';

const settings = (spec: object = {}): ReturnType<typeof settingsOf> => settingsOf(agentDefinition(spec).agent);

describe('settingsOf', () => {
  it('of an Agent that says nothing are those of the tools themselves', () => {
    const { sandbox, fetch, ...rest } = settings();
    expect(sandbox).toEqual({
      enabled: true,
      languages: ['bash', 'javascript', 'python'],
      serve: false,
      reachesHosts: false,
      limits: {
        timeoutMs: CODE_LIMITS.timeoutMs,
        outputBytes: CODE_LIMITS.outputBytes,
        processes: CODE_LIMITS.processes,
      },
    });
    expect(fetch).toBeUndefined();
    expect(rest).toEqual({
      tend: { caseDedupSimilarity: 0.92 },
      dreamIntervalMs: 3_600_000,
      jobs: { timeZone: 'UTC', maxJobs: 100, isEnabled: true, allowsTool: expect.any(Function) },
      replanThreshold: 0.55,
      recall: DEFAULT_RECALL,
      toolOutputCharacters: 16_384,
      toolTimeoutMs: 60_000,
      prices: [],
      budgets: {
        ...{ tokensPerHour: 2_000_000, tokensPerDay: 20_000_000, costUsdPerDay: 50, toolCallsPerDay: 0 },
        ...{ schedulerCyclesPerHour: 20, schedulerTokensPerHour: 500_000 },
      },
      observer: {
        enabled: true,
        window: 50,
        cyclesPerMinute: 30,
        tightenFactor: 0.85,
        factorMin: 0.2,
        halfLifeMs: 21_600_000,
        cooldownMs: 5000,
      },
      maxRetries: 3,
      requestTimeoutMs: 300_000,
    });
  });

  it('carry what the Agent says', () => {
    const price = { model: 'm', input: 1, output: 2 };
    const said = settings({
      sandbox: { enabled: false, languages: ['Python'], serve: true, timeout: '2m', outputBytes: 2049, processes: 9 },
      memory: { windowDays: 7, recall: { preambleChars: 9000, cases: 2, minScore: 0.5, preset: 'Paper' } },
      limits: { toolOutputBytes: 2048, toolTimeout: '5s' },
      models: { provider: 'Anthropic', prices: [price], maxRetries: 0, requestTimeout: '30s' },
      budgets: { tokensPerHour: 1, tokensPerDay: 2, costUsdPerDay: 3, toolCallsPerDay: 4 },
      scheduler: { enabled: false, timeZone: 'Asia/Tokyo', maxJobs: 7, cyclesPerHour: 5, tokensPerHour: 6 },
      upkeep: { dreamInterval: '90s', caseDedupSimilarity: 0.5, forecaster: { replanThreshold: 0.7 } },
      gates: {
        meta: {
          enabled: false,
          window: 10,
          cyclesPerMinute: 5,
          tightenFactor: 0.5,
          tightenFloorModify: 0.3,
          tightenFloorReject: 0.6,
          halfLife: '1h',
          cooldown: '1m',
        },
      },
    });
    expect(said).toEqual({
      tend: { caseDedupSimilarity: 0.5 },
      dreamIntervalMs: 90_000,
      sandbox: {
        enabled: false,
        languages: ['python'],
        serve: true,
        reachesHosts: false,
        limits: { timeoutMs: 120_000, outputBytes: 1024, processes: 9 },
      },
      jobs: { timeZone: 'Asia/Tokyo', maxJobs: 7, isEnabled: false, allowsTool: expect.any(Function) },
      replanThreshold: 0.7,
      recall: { cases: 2, minScore: 0.5, weights: presets.paper, windowMs: 7 * 86_400_000 },
      toolOutputCharacters: 2048,
      toolTimeoutMs: 5000,
      prices: [price],
      budgets: {
        ...{ tokensPerHour: 1, tokensPerDay: 2, costUsdPerDay: 3, toolCallsPerDay: 4 },
        ...{ schedulerCyclesPerHour: 5, schedulerTokensPerHour: 6 },
      },
      observer: {
        enabled: false,
        window: 10,
        cyclesPerMinute: 5,
        tightenFactor: 0.5,
        factorMin: 0.3,
        halfLifeMs: 3_600_000,
        cooldownMs: 60_000,
      },
      maxRetries: 0,
      requestTimeoutMs: 30_000,
    });
  });

  it.each([
    [{ allowedDomains: ['a.example'] }, ['a.example']],
    [{ allowAnyPublicHost: true }, ['*']],
  ])('fetch where it is enabled: %j', (hosts, allowedDomains) => {
    const limits = { ports: [443], bytesMax: 4096, timeout: '9s', redirectsMax: 0 };
    expect(settings({ tools: { fetch: { enabled: true, ...hosts, ...limits } } }).fetch).toEqual({
      allowedDomains,
      ports: [443],
      bytesMax: 4096,
      timeoutMs: 9000,
      redirectsMax: 0,
    });
    expect(settings({ tools: { fetch: { enabled: false, ...hosts } } }).fetch).toBeUndefined();
  });

  it('keep every time within what a timer can hold, and above nothing at all', () => {
    const times = (text: string): readonly number[] => {
      const fetch = { enabled: true, allowAnyPublicHost: true, timeout: text };
      const said = settings({
        limits: { toolTimeout: text },
        models: { provider: 'Anthropic', requestTimeout: text },
        tools: { fetch },
      });
      return [said.toolTimeoutMs, said.requestTimeoutMs, said.fetch?.timeoutMs ?? -1];
    };
    expect(times('0s')).toEqual([1000, 1000, 1000]);
    expect(times('999999h')).toEqual([86_400_000, 86_400_000, 86_400_000]);
  });
});
