/**
 * What the model calls of runs took: tokens and money, by role and by purpose.
 *
 * Counted from the record alone: what an answer reported, at the price of its day. A call without an answer reported nothing.
 *
 * Source: design 1 (a decision that cannot be reconstructed did not happen properly).
 */
import { roleName } from '@retainer/contract/api/roles';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { ArchiveEventOf } from '../archive/event.ts';
import type { CycleEvent } from '../cycle/event.ts';
import { eventOf } from '../part/projection.ts';
import type { Usage } from '../request/model-request.ts';

/** Work: the roles of a run. Gates: scores. Probes: both canaries. Reader: long texts by strangers. Memory: the Archivist and the Dreamer. */
export const PURPOSES = ['Work', 'Gates', 'Probes', 'Reader', 'Memory'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface Spent {
  /** Model calls that were answered. */
  readonly calls: number;
  /** Tokens. `inputTokens` are those that no cache held or took. */
  readonly usage: Usage;
  /** US dollars. */
  readonly costUsd: number;
  /** Whether the price of every call was known. */
  readonly isCostComplete: boolean;
  /** Tokens of prompts that were read from a provider's cache, of all tokens of prompts: 0 to 1. */
  readonly cachedShare: number;
}

export interface Spending {
  readonly total: Spent;
  /** In the order of {@link PURPOSES}; only those with calls. */
  readonly byPurpose: readonly (Spent & { readonly purpose: Purpose })[];
  /** In the order of their first answers. */
  readonly byRole: readonly (Spent & { readonly role: string; readonly purpose: Purpose })[];
  /** What the same tokens would have cost with one model for every call, cheapest first; only known prices, and none where there was one model. */
  readonly otherModels: readonly { readonly model: string; readonly costUsd: number }[];
}

export interface Prices {
  /** Models to compare: those that might have answered, each once. */
  readonly models: readonly string[];
  /** US dollars of one call; undefined without a price. */
  readonly costOf: (usage: Usage, model: string) => number | undefined;
}

/** One answered question to a model; both canaries count as one with two calls. */
export interface PaidCall {
  readonly role: string;
  readonly purpose: Purpose;
  readonly calls: number;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
}

/** Roles of the gates in the story: names of their rows in the table of roles. */
const GATE_CALLS = {
  GateScored: { role: 'scorer', purpose: 'Gates', calls: 1 },
  GateProbed: { role: 'canary', purpose: 'Probes', calls: 2 },
  TextRead: { role: 'reader', purpose: 'Reader', calls: 1 },
} as const satisfies Partial<Record<CycleEvent['kind'], Pick<PaidCall, 'role' | 'purpose' | 'calls'>>>;

/** Takes the records of any runs in their order; empty for a record that no model answered. */
export function callReader(): (record: JournalRecord) => readonly PaidCall[] {
  const roles = new Map<string, string>();
  return (record) => {
    if (record.store === 'archive' || record.store === 'dream') return memoryCall(record);
    if (record.store !== 'cycle') return [];
    const event = eventOf<CycleEvent>(record);
    if (event.kind === 'CycleStarted') roles.set(event.spec.cycleId, roleName(event.spec.worker ?? event.spec.role));
    return callOf(event, roles.get(record.cycleId ?? '') ?? 'unknown');
  };
}

/** Whose call each answer about memory was. */
const MEMORY_CALLS: Readonly<Record<string, string>> = {
  ArchiveAnswered: roleName('Archivist'),
  DreamAnswered: roleName('Dreamer'),
};

function memoryCall({ kind, payload }: JournalRecord): readonly PaidCall[] {
  const role = MEMORY_CALLS[kind];
  const { usage, costUsd } = payload as unknown as Pick<ArchiveEventOf<'ArchiveAnswered'>, 'usage' | 'costUsd'>;
  return role === undefined || usage === undefined ? [] : [{ role, purpose: 'Memory', calls: 1, usage, costUsd }];
}

export function spendingOf(calls: readonly PaidCall[], prices: Prices): Spending {
  const roles = [...new Set(calls.map(({ role }) => role))];
  return {
    total: spent(calls),
    byPurpose: PURPOSES.flatMap((purpose) => {
      const own = calls.filter((it) => it.purpose === purpose);
      return own.length === 0 ? [] : [{ purpose, ...spent(own) }];
    }),
    byRole: roles.flatMap((role) => {
      const own = calls.filter((it) => it.role === role);
      return own.slice(0, 1).map(({ purpose }) => ({ role, purpose, ...spent(own) }));
    }),
    otherModels: otherModels(calls, prices),
  };
}

function callOf(event: CycleEvent, role: string): readonly PaidCall[] {
  if (event.kind === 'ModelAnswered')
    return [{ role, purpose: 'Work', calls: 1, usage: event.answer.usage, costUsd: event.costUsd }];
  if (event.kind !== 'GateScored' && event.kind !== 'GateProbed' && event.kind !== 'TextRead') return [];
  return event.usage === undefined ? [] : [{ ...GATE_CALLS[event.kind], usage: event.usage, costUsd: event.costUsd }];
}

function spent(calls: readonly PaidCall[]): Spent {
  const sum = (of: (call: PaidCall) => number): number => calls.reduce((total, it) => total + of(it), 0);
  const usage = {
    inputTokens: sum((it) => it.usage.inputTokens),
    outputTokens: sum((it) => it.usage.outputTokens),
    cacheReadTokens: sum((it) => it.usage.cacheReadTokens),
    cacheWriteTokens: sum((it) => it.usage.cacheWriteTokens),
  };
  return {
    calls: sum((it) => it.calls),
    usage,
    costUsd: sum((it) => it.costUsd ?? 0),
    isCostComplete: calls.every((it) => it.costUsd !== undefined),
    cachedShare: usage.cacheReadTokens / Math.max(1, promptTokensOf(usage)),
  };
}

/** All tokens of the prompts, cached or not. */
export function promptTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Call by call, because a long prompt may have a price of its own. */
function otherModels(calls: readonly PaidCall[], { models, costOf }: Prices): Spending['otherModels'] {
  if (models.length < 2) return [];
  const rows = models.flatMap((model) => {
    const costs = calls.flatMap(({ usage }) => costOf(usage, model) ?? []);
    return costs.length < calls.length ? [] : [{ model, costUsd: costs.reduce((sum, it) => sum + it, 0) }];
  });
  return rows.toSorted((a, b) => a.costUsd - b.costUsd);
}
