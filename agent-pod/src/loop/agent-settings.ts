/**
 * An Agent's settings for tools, sandbox and model, in the terms of the code that applies them. Pure: the running agent and a
 * replay of its record get the same settings.
 *
 * Source: design 3.
 */
import type { Agent } from '@retainer/contract/api/agent';
import type { ModelPrice } from '@retainer/contract/api/agent-models';
import { allowsTool } from '@retainer/contract/api/agent-tools';
import { durationMs } from '@retainer/contract/api/fields';
import type { BudgetCaps } from '@retainer/mind/gate/budget/budget';
import type { ObserverSettings } from '@retainer/mind/gate/meta/observation';
import type { TendSettings } from '@retainer/mind/memory/tend/change';
import { presets, type Weights } from '@retainer/mind/memory/recall/presets';
import type { SandboxLanguage, SandboxLimits } from '../ports/sandbox-run.ts';
import type { RecallSettings } from './recall.ts';

/** Names of the languages in the manifest and in the sandbox. */
const LANGUAGES = { Bash: 'bash', JavaScript: 'javascript', Python: 'python' } as const satisfies Readonly<
  Record<Agent['spec']['sandbox']['languages'][number], SandboxLanguage>
>;

const DAY_MS = 86_400_000;

/** Weights of recall in the manifest and in the code. */
const PRESETS = {
  Adaptive: presets.adaptive,
  Paper: presets.paper,
  Hybrid: presets.hybrid,
  Index: presets.index,
  Field: presets.field,
} as const satisfies Readonly<Record<Agent['spec']['memory']['recall']['preset'], Weights>>;

/** Milliseconds. A shorter limit would end a call before it could begin. */
const TIMEOUT_MIN_MS = 1000;
/** Milliseconds, a day. A timer holds 24 days at most; with a longer time it fires at once. */
const TIMEOUT_MAX_MS = 86_400_000;

export interface AgentSettings {
  /** As `RegistryOptions.code` takes it. */
  readonly sandbox: {
    readonly enabled: boolean;
    readonly languages: readonly SandboxLanguage[];
    readonly serve: boolean;
    readonly reachesHosts: boolean;
    readonly limits: Pick<SandboxLimits, 'timeoutMs' | 'outputBytes' | 'processes'>;
  };
  /** As `RegistryOptions.fetch` takes it; absent when the agent may fetch nothing. */
  readonly fetch?: {
    /** `*` means every public host. */
    readonly allowedDomains: readonly string[];
    readonly ports: readonly number[];
    readonly bytesMax: number;
    readonly timeoutMs: number;
    readonly redirectsMax: number;
  };
  /** As `ToolSettings.jobs` takes it. */
  readonly jobs: {
    readonly timeZone: string;
    readonly maxJobs: number;
    readonly isEnabled: boolean;
    readonly allowsTool: (name: string) => boolean;
  };
  /** As `ToolSettings.mail` takes it; absent when the agent has no mail. */
  readonly mail?: { readonly address: string; readonly allowedRecipients: readonly string[] };
  readonly replanThreshold: number;
  readonly recall: RecallSettings;
  readonly toolOutputCharacters: number;
  readonly toolTimeoutMs: number;
  readonly prices: readonly ModelPrice[];
  readonly observer: ObserverSettings;
  /** Limits for the agent's whole work in an hour and a day, and of `spec.scheduler`; see `BudgetCaps`. */
  readonly budgets: BudgetCaps;
  /** Attempts of a model call after the first. */
  readonly maxRetries: number;
  readonly requestTimeoutMs: number;
  readonly tend: TendSettings;
  readonly dreamIntervalMs: number;
}

/** Total: every Agent that fits its schema has settings. Times are bounded to what a timer can hold. */
export function settingsOf({ spec }: Agent): AgentSettings {
  const { models, limits } = spec;
  const { tokensPerHour, tokensPerDay, costUsdPerDay, toolCallsPerDay } = spec.budgets;
  const { cyclesPerHour, tokensPerHour: schedulerTokensPerHour } = spec.scheduler;
  const own = { schedulerCyclesPerHour: cyclesPerHour, schedulerTokensPerHour };
  const fetch = fetchOf(spec.tools.fetch);
  return {
    sandbox: sandboxOf(spec.sandbox),
    ...(fetch === undefined ? {} : { fetch }),
    jobs: jobsOf(spec),
    ...mailOf(spec.channels.email),
    replanThreshold: spec.upkeep.forecaster.replanThreshold,
    recall: recallOf(spec.memory),
    toolOutputCharacters: limits.toolOutputBytes,
    toolTimeoutMs: timeoutMs(limits.toolTimeout),
    prices: models.prices,
    budgets: { tokensPerHour, tokensPerDay, costUsdPerDay, toolCallsPerDay, ...own },
    observer: observerOf(spec.gates.meta),
    maxRetries: models.maxRetries,
    requestTimeoutMs: timeoutMs(models.requestTimeout),
    tend: { caseDedupSimilarity: spec.upkeep.caseDedupSimilarity },
    dreamIntervalMs: timeoutMs(spec.upkeep.dreamInterval),
  };
}

function sandboxOf(sandbox: Agent['spec']['sandbox']): AgentSettings['sandbox'] {
  return {
    enabled: sandbox.enabled,
    languages: sandbox.languages.map((language) => LANGUAGES[language]),
    serve: sandbox.serve,
    reachesHosts: sandbox.egress.length > 0,
    limits: {
      timeoutMs: timeoutMs(sandbox.timeout),
      // The sandbox limits standard output and standard error separately; the Agent names their sum.
      outputBytes: Math.floor(sandbox.outputBytes / 2),
      processes: sandbox.processes,
    },
  };
}

function jobsOf({ scheduler: { timeZone, maxJobs, enabled }, tools }: Agent['spec']): AgentSettings['jobs'] {
  return { timeZone, maxJobs, isEnabled: enabled, allowsTool: (name) => allowsTool(tools, name) };
}

function mailOf(email: Agent['spec']['channels']['email']): Pick<AgentSettings, 'mail'> {
  if (email === undefined) return {};
  const { address, allowedRecipients } = email;
  return { mail: { address, allowedRecipients } };
}

function recallOf({ recall, windowDays }: Agent['spec']['memory']): RecallSettings {
  const { cases, minScore, preset } = recall;
  return { cases, minScore, weights: PRESETS[preset], windowMs: windowDays * DAY_MS };
}

function observerOf(meta: Agent['spec']['gates']['meta']): ObserverSettings {
  const { enabled, window, cyclesPerMinute, tightenFactor } = meta;
  return {
    enabled,
    window,
    cyclesPerMinute,
    tightenFactor,
    factorMin: Math.min(meta.tightenFloorModify, meta.tightenFloorReject),
    halfLifeMs: Math.max(durationMs(meta.halfLife), 1),
    cooldownMs: durationMs(meta.cooldown),
  };
}

function fetchOf(fetch: Agent['spec']['tools']['fetch']): AgentSettings['fetch'] {
  if (!fetch.enabled) return undefined;
  return {
    allowedDomains: fetch.allowAnyPublicHost ? ['*'] : fetch.allowedDomains,
    ports: fetch.ports,
    bytesMax: fetch.bytesMax,
    timeoutMs: timeoutMs(fetch.timeout),
    redirectsMax: fetch.redirectsMax,
  };
}

function timeoutMs(text: string): number {
  return Math.min(Math.max(durationMs(text), TIMEOUT_MIN_MS), TIMEOUT_MAX_MS);
}
