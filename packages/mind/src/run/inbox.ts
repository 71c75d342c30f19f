/**
 * The durable inbox: every arrival is a command on the disk before it is acknowledged, and each origin is taken once.
 *
 * Source: design 4 (input), 5; springdrift 10 (lessons of the re-injection loop), 17.
 */
import { z } from 'zod';
import { knownByField } from '../cycle/known-by.ts';
import { overrideKey } from '../gate/override.ts';
import { gateNames } from '../gate/verdict.ts';
import { RunSpec } from './event.ts';
import { fileKinds } from '../memory/files.ts';
import { defineProjection } from '../memory/projection.ts';

export const Command = z.discriminatedUnion('type', [
  z.object({ type: z.literal('StartRun'), spec: RunSpec }),
  z.object({
    type: z.literal('DecideApproval'),
    requestId: z.string(),
    argumentsDigest: z.string(),
    decision: z.enum(['Approve', 'Deny']),
    by: z.string(),
    reason: z.string(),
    ...knownByField,
  }),
  z.object({
    type: z.literal('AnswerQuestion'),
    runId: z.string(),
    questionId: z.string(),
    text: z.string(),
    by: z.string(),
    ...knownByField,
  }),
  z.object({
    type: z.literal('ReportFalsePositive'),
    cycleId: z.string(),
    gate: z.enum(gateNames),
    rule: z.string(),
    /** Digest of what was refused; absent if the record has none. */
    subjectDigest: z.string().exactOptional(),
    by: z.string(),
    reason: z.string().min(1),
    ...knownByField,
  }),
  /** Of a run that is set aside. */
  z.object({ type: z.literal('RetryRun'), runId: z.string(), by: z.string(), reason: z.string(), ...knownByField }),
  z.object({ type: z.literal('CancelRun'), runId: z.string(), by: z.string(), reason: z.string(), ...knownByField }),
  z.object({
    type: z.literal('TrustFile'),
    ...fileKinds.FileTrusted.required({ reason: true }).shape,
    ...knownByField,
  }),
]);
export type Command = z.infer<typeof Command>;

export const commandKinds = {
  CommandAccepted: z.object({
    /** Identifies the arrival at its source. A second arrival with the same id is dropped. */
    originId: z.string(),
    /** `manifest`, `spool` … */
    source: z.string(),
    command: Command,
  }),
  CommandDone: z.object({ originId: z.string() }),
} as const;

export interface Inbox {
  /** All origins ever accepted. */
  readonly origins: Set<string>;
  /** Accepted and not done, by origin, oldest first. */
  readonly open: Map<string, Command>;
  /** The run that each override was for, by its key: no other run gets it. */
  readonly overrides: Map<string, string>;
}

/** The spec without an override that an earlier run has carried. */
export function withoutSpent(spec: RunSpec, { overrides }: Pick<Inbox, 'overrides'>): RunSpec {
  const { override, ...others } = spec;
  const runId = override === undefined ? undefined : overrides.get(overrideKey(override));
  if (override === undefined || runId === undefined || runId === spec.runId) return spec;
  return { ...others, overrideSpent: { of: override.of, rule: override.rule, runId } };
}

export const inbox = defineProjection({
  store: 'inbox',
  kinds: commandKinds,
  start: (): Inbox => ({ origins: new Set(), open: new Map(), overrides: new Map() }),
  folds: {
    CommandAccepted: ({ origins, open, overrides }, { originId, command }) => {
      origins.add(originId);
      open.set(originId, command);
      const override = command.type === 'StartRun' ? command.spec.override : undefined;
      if (override === undefined || command.type !== 'StartRun') return;
      const key = overrideKey(override);
      if (!overrides.has(key)) overrides.set(key, command.spec.runId);
    },
    CommandDone: ({ open }, { originId }) => {
      open.delete(originId);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 2,
    schema: z.object({ origins: z.array(z.string()), overrides: z.array(z.tuple([z.string(), z.string()])) }),
    keep: ({ origins, overrides }) => ({ origins: [...origins], overrides: [...overrides] }),
    restore: ({ origins, overrides }, kept) => {
      for (const originId of kept.origins) origins.add(originId);
      for (const [key, runId] of kept.overrides) overrides.set(key, runId);
    },
  },
});
