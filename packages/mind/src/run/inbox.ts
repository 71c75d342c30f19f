/**
 * The durable inbox: every arrival is a command on the disk before it is acknowledged, and each origin is taken once.
 *
 * Source: design 4 (input), 5; springdrift 10 (lessons of the re-injection loop), 17.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { z } from 'zod';
import { knownByField } from '../part/known-by.ts';
import { overrideKey } from '../gate/override.ts';
import { RunSpec } from './event.ts';
import { addNewest } from '../part/newest-members.ts';
import { Reason } from '../part/part.ts';
import { Held } from '../parts/aside/set-aside.ts';
import { defineProjection } from '../part/projection.ts';
import { defineStore } from '../part/store.ts';
import { commandSchemas, type PartCommand } from '../parts/derived.ts';

/** What the machines are told; the rest is told to parts. */
const machineCommands = [
  /** `held`: it does not begin before a person says so. */
  z.object({ type: z.literal('StartRun'), spec: RunSpec, held: Held.exactOptional() }),
  z.object({ type: z.literal('CancelRun'), runId: z.string(), by: z.string(), reason: z.string(), ...knownByField }),
  /** A dream is to begin now. */
  z.object({ type: z.literal('TendMemory'), by: z.string(), reason: Reason, ...knownByField }),
  /** Of a command that is set aside. `Drop`: nobody tries it again. */
  z.object({
    type: z.literal('DecideCommand'),
    originId: z.string(),
    decision: z.enum(['Retry', 'Drop']),
    by: z.string(),
    reason: z.string(),
    ...knownByField,
  }),
] as const;

export type MachineCommand = z.infer<(typeof machineCommands)[number]>;
export type Command = MachineCommand | PartCommand;

// The union knows the commands of parts at run time only; their type is derived from the list.
export const Command = z.discriminatedUnion('type', [...machineCommands, ...commandSchemas]) as z.ZodType<Command>;

export const commandKinds = {
  CommandAccepted: z.object({
    /** Identifies the arrival at its source. A second arrival with the same id is dropped. */
    originId: z.string(),
    /** `manifest`, `spool` … */
    source: z.string(),
    command: Command,
  }),
  CommandDone: z.object({ originId: z.string() }),
  /** The program failed in it, and it belongs to no run that could be set aside in its place. */
  CommandSetAside: z.object({
    originId: z.string(),
    /** Kind of the error and the places in the program, without its message, which may quote a person. */
    where: z.array(z.string()).readonly(),
    /** Of the program that failed. */
    version: z.string(),
  }),
} as const;

export const inboxStore = defineStore({
  name: 'inbox',
  durability: 'durable',
  kinds: commandKinds,
  writers: { Inbox: ['CommandAccepted'], Runtime: ['CommandDone', 'CommandSetAside'] },
});

/**
 * Accepted origins that are known by name. A source shows one again only until it sees the end: a Task until its status has the
 * outcome, a file of the spool until it is removed. So many take some 10 MB.
 */
const ORIGINS_KEPT = 50_000;

/**
 * Spent overrides that are known. A person writes each one by hand, with a reason: no agent lives to see so many. They take some
 * 2 MB.
 */
const OVERRIDES_KEPT = 10_000;

/** Commands set aside that are known. Each may be as large as a person's text; more than these nobody decides on one by one. */
export const COMMANDS_ASIDE_MAX = 1000;

const AsideCommand = z.object({ command: Command, where: z.array(z.string()).readonly(), version: z.string() });
type AsideCommand = Readonly<z.infer<typeof AsideCommand>>;

export interface Inbox {
  /** The newest accepted origins. */
  readonly origins: Set<string>;
  /** Accepted and not done, by origin, oldest first. */
  readonly open: Map<string, Command>;
  /** The newest that are set aside, by origin, oldest first: a person or a new version tries them again. */
  readonly aside: Map<string, AsideCommand>;
  /** The run that each of the newest overrides was for, by its key: no other run gets it. */
  readonly overrides: Map<string, string>;
  /** When a command came that no job gave, milliseconds since 1970; undefined before the first. */
  usedAtMs: number | undefined;
}

/** The source of commands that jobs give. */
export const JOB_COMMAND_SOURCE = 'job';

export interface NamedAside extends Omit<AsideCommand, 'command'> {
  readonly originId: string;
  readonly type: Command['type'];
}

/** Commands that wait for a person or a new version, oldest first. */
export function asideCommandsIn({ aside }: Pick<Inbox, 'aside'>): readonly NamedAside[] {
  return [...aside].map(([originId, { command, ...why }]) => ({ originId, type: command.type, ...why }));
}

/** Whether a command of this origin was accepted before. */
export function isTaken({ origins, open }: Inbox, originId: string): boolean {
  return origins.has(originId) || open.has(originId);
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
  start: (): Inbox => ({
    origins: new Set(),
    open: new Map(),
    aside: new Map(),
    overrides: new Map(),
    usedAtMs: undefined,
  }),
  folds: {
    CommandAccepted: (state, { originId, source, command }, { timeMs }) => {
      const { origins, open, overrides } = state;
      if (source !== JOB_COMMAND_SOURCE) state.usedAtMs = timeMs;
      addNewest(origins, originId, ORIGINS_KEPT);
      open.set(originId, command);
      const override = command.type === 'StartRun' ? command.spec.override : undefined;
      if (override === undefined || command.type !== 'StartRun') return;
      const key = overrideKey(override);
      if (!overrides.has(key)) overrides.set(key, command.spec.runId);
      forgetOldest(overrides, OVERRIDES_KEPT);
    },
    CommandDone: ({ open, aside }, { originId }) => {
      open.delete(originId);
      aside.delete(originId);
    },
    CommandSetAside: ({ open, aside }, { originId, ...why }) => {
      const command = open.get(originId) ?? aside.get(originId)?.command;
      if (command === undefined) return;
      open.delete(originId);
      aside.delete(originId);
      aside.set(originId, { command, ...why });
      forgetOldest(aside, COMMANDS_ASIDE_MAX);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 6,
    schema: z.object({
      usedAtMs: z.number().exactOptional(),
      origins: z.array(z.string()),
      aside: z.array(z.tuple([z.string(), AsideCommand])),
      overrides: z.array(z.tuple([z.string(), z.string()])),
    }),
    keep: ({ origins, aside, overrides, usedAtMs }) => ({
      ...(usedAtMs === undefined ? {} : { usedAtMs }),
      origins: [...origins],
      aside: [...aside],
      overrides: [...overrides],
    }),
    restore: (state, kept) => {
      const { origins, aside, overrides } = state;
      state.usedAtMs = kept.usedAtMs;
      for (const originId of kept.origins) origins.add(originId);
      for (const [originId, command] of kept.aside) aside.set(originId, command);
      for (const [key, runId] of kept.overrides) overrides.set(key, runId);
    },
  },
});
