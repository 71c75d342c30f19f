/**
 * What a part is: one feature of the agent as one declaration. The list in `parts/parts.ts` names each part once, and everything
 * that the agent has of features is derived from it: stores and their writers, projections, commands, the told story, metrics, what
 * a cycle is told at its start, and the manifest fields that have an effect.
 *
 * A part is found by its name alone, and taking its line out of the list takes the feature out.
 */
import type { Agent } from '@retainer/contract/api/agent';
import { z } from 'zod';
import type { Projection, Recorded } from './projection.ts';
import type { PartRecord, PartStore } from './store.ts';
import type { Telling } from './story.ts';

export type ProjectionTable = Readonly<Record<string, Projection<unknown>>>;

/** States by the names of their projections. */
export type StatesOf<Table> = { readonly [Name in keyof Table]: Table[Name] extends Projection<infer S> ? S : never };

/** Of a command that is carried out. */
export interface Given {
  readonly originId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The bare name of the person who gives a command; the inbox adds it, and how it is known. */
interface Said {
  readonly by: string;
}

/** What a command must be given with. */
export const Reason = z.string().min(1);

/** What people may tell the agent, on the disk before it is acknowledged. */
export interface CommandDefinition<Schema extends z.ZodObject = z.ZodObject> {
  /** Without `type`, which is its name, and without who gives it. */
  readonly schema: Schema;
  /** What no resource of a cluster carries, so that whoever may run programs in the container may say it. */
  readonly isOverPodsExec: boolean;
  /**
   * The records that it comes to; a store's table of writers must allow them to `Person`. Absent: it addresses a machine, and the
   * half of the part that touches the world carries it out.
   *
   * @param known  states of the agent's projections. Those of the part are among them
   */
  decide?(known: never, command: z.infer<Schema> & Said, given: Given): readonly PartRecord[];
}

/** Keeps the type of the schema for `decide`. */
export function defineCommand<const Schema extends z.ZodObject, Known>(command: {
  readonly schema: Schema;
  readonly isOverPodsExec: boolean;
  readonly decide?: (known: Known, command: z.infer<Schema> & Said, given: Given) => readonly PartRecord[];
}): CommandDefinition<Schema> {
  return command;
}

/** How `explain` tells a record of a run. */
export type Tell = (payload: Readonly<Record<string, unknown>>, shortId: (id: string) => string) => Telling;

/** A text of a payload; empty where there is none. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

export const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textIn) : []);

/** What happened to the agent, by the names of code alone; undefined: nothing of note. */
type Happened = (
  payload: Readonly<Record<string, unknown>>,
) => { readonly name: string; readonly title: string } | undefined;

/** A metric, `retainer_agent_NAME`. Gauges of one name are one metric: their labels tell them apart. No label has a text of others. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Undefined: it is not told, because nothing was measured yet. */
  readonly of: (known: never) => number | undefined;
}

export interface Counter {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Sets of labels that stand at 0 from the start: a counter that begins with 1 has no increase, and its alert would not fire. */
  readonly from?: readonly Readonly<Record<string, string>>[];
  /** By how much a durable record of any store raises it, for each set of labels. */
  count(record: Recorded): readonly { readonly labels?: Readonly<Record<string, string>>; readonly by?: number }[];
}

/** The cycle that begins. */
export interface Beginning {
  readonly runId: string;
  readonly cycleId: string;
  readonly role: string;
  /** Whom the run is for. Absent: the owner. */
  readonly principal?: string;
  /** The Agent's manifest. */
  readonly agent: Agent['spec'];
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** A run that is over, as its archive has it. */
export interface RunEnd {
  readonly runId: string;
  readonly outcome: string;
  /** Its result, as it is delivered. */
  readonly summary: string;
  /** Every call, in order. */
  readonly calls: readonly { readonly tool: string; readonly isOk: boolean }[];
  /** Cycles that worked, in order, and the tokens of the whole run. */
  readonly cycleIds: readonly string[];
  readonly tokens: number;
}

type CommandTable = Readonly<Record<string, CommandDefinition>>;

export interface PartShape {
  readonly name: string;
  readonly stores?: readonly PartStore[];
  readonly projections?: ProjectionTable;
  /** By type, in the record for life. */
  readonly commands?: CommandTable;
  /** By kind of record. A kind without a row is not told in the story of a run. */
  readonly tell?: Readonly<Record<string, Tell>>;
  /** By kind of record: what the agent is told of as an event of the last day. */
  readonly events?: Readonly<Record<string, Happened>>;
  readonly gauges?: readonly Gauge[];
  readonly counters?: readonly Counter[];
  /** Lines for the model at the start of a cycle; they stand in the record of the start. None: it has nothing to say. */
  contributes?(known: never, cycle: Beginning): readonly string[];
  /** Records that the end of a run comes to, by the writer `Archivist`. After a crash the same end comes again. */
  ended?(known: never, end: RunEnd): readonly PartRecord[];
  /** Whether a record of its stores is about one remembered thing, by the id that people have for it. Absent: it remembers nothing. */
  readonly isAbout?: (record: Recorded, id: string) => boolean;
  /** Manifest fields that have an effect through it, as `Agent spec.curiosity`; `docs/not-yet.md` lists them no more. */
  readonly fields?: readonly string[];
}

/** A part with the types of what is found by its names. The rest is reached through `PartShape`, so that its own types stay its own. */
export interface PartOf<Stores, Projections, Commands>
  extends Omit<PartShape, 'stores' | 'projections' | 'commands'>, Declared<Stores, Projections, Commands> {}

/** Keeps the literal types of stores, projections and commands. */
export function definePart<
  const Stores extends readonly PartStore[] = readonly [],
  const Projections extends ProjectionTable = Record<never, never>,
  const Commands extends CommandTable = Record<never, never>,
>(
  part: Omit<PartShape, 'stores' | 'projections' | 'commands'> & Partial<Declared<Stores, Projections, Commands>>,
): PartOf<Stores, Projections, Commands> {
  return { stores: [], projections: {}, commands: {}, ...part } as unknown as PartOf<Stores, Projections, Commands>;
}

interface Declared<Stores, Projections, Commands> {
  readonly stores: Stores;
  readonly projections: Projections;
  readonly commands: Commands;
}
