/** What follows from the list of parts. Each table is found by its names: two parts with one name for a thing are a bug. */
import { invariant } from '@retainer/contract/std/invariant';
import { z } from 'zod';
import { knownByField, type KnownBy } from '../part/known-by.ts';
import type {
  Beginning,
  CommandDefinition,
  Counter,
  Gauge,
  PartShape,
  ProjectionTable,
  RunEnd,
  StatesOf,
  Tell,
} from '../part/part.ts';
import type { Recorded } from '../part/projection.ts';
import type { PartRecord, PartStore } from '../part/store.ts';
import { parts } from './parts.ts';

type Part = (typeof parts)[number];
type Of<Key extends string> = Part extends infer P
  ? P extends { readonly [_ in Key]: infer Value }
    ? Value
    : never
  : never;
type Intersection<U> = (U extends unknown ? (it: U) => void : never) extends (it: infer I) => void ? I : never;

const all: readonly PartShape[] = parts;

function merged<Value>(
  what: string,
  tables: readonly Readonly<Record<string, Value>>[],
): Readonly<Record<string, Value>> {
  const table: Record<string, Value> = {};
  for (const [name, value] of tables.flatMap((it) => Object.entries(it))) {
    invariant(!Object.hasOwn(table, name), `two parts have a ${what} with the name ${name}`);
    table[name] = value;
  }
  return table;
}

export type StoreOfParts = Of<'stores'>[number];
export const storesOfParts: readonly PartStore[] = all.flatMap(({ stores = [] }) => stores);

type Projections = Intersection<Of<'projections'>>;
export type StatesOfParts = StatesOf<Projections>;
export const projectionsOfParts = merged(
  'projection',
  all.map(({ projections = {} }) => projections),
) as Projections & ProjectionTable;

/** Before anything is folded. */
export function startOfParts(): StatesOfParts {
  const states = Object.entries<ProjectionTable[string]>(projectionsOfParts).map(([name, it]) => [name, it.start()]);
  return Object.fromEntries(states) as StatesOfParts;
}

type CommandIn<Table> = {
  [Type in keyof Table & string]: Table[Type] extends CommandDefinition<infer Schema>
    ? { readonly type: Type; readonly by: string; readonly knownBy?: KnownBy } & Readonly<z.infer<Schema>>
    : never;
}[keyof Table & string];
type DistributeCommands<Table> = Table extends unknown ? CommandIn<Table> : never;
/** What people may tell a part. */
export type PartCommand = DistributeCommands<Of<'commands'>>;

export const commandsOfParts = merged(
  'command',
  all.map(({ commands = {} }) => commands),
);

/** Types of the commands that no resource of a cluster carries. */
export const commandsOverPodsExec: readonly string[] = Object.entries(commandsOfParts)
  .filter(([, { isOverPodsExec }]) => isOverPodsExec)
  .map(([type]) => type);

/** Of each command, with its type and who gives it. */
export const commandSchemas = Object.entries(commandsOfParts).map(([type, { schema }]) =>
  schema.extend({ type: z.literal(type), by: z.string(), ...knownByField }),
);

export const tellOfParts = merged<Tell>(
  'teller',
  all.map(({ tell = {} }) => tell),
);

/** By kind of record, with the store that has it. */
export const eventsOfParts = all.flatMap(({ events = {}, stores = [] }) =>
  Object.entries(events).map(([kind, happened]) => {
    const store = stores.find(({ kinds }) => Object.hasOwn(kinds, kind));
    invariant(store !== undefined, `an event of kind ${kind} is in no store of its part`);
    return { store: store.name, kind, happened };
  }),
);

/** Stores with records that the story of a run tells. */
export const toldStores: readonly string[] = [
  ...new Set(
    all.flatMap(({ stores = [], tell = {} }) =>
      stores
        .filter(({ kinds }) => Object.keys(kinds).some((kind) => Object.hasOwn(tell, kind)))
        .map(({ name }) => name),
    ),
  ),
];

/** Stores that memory consists of. */
export const rememberingStores: readonly string[] = all.flatMap(({ isAbout, stores = [] }) =>
  isAbout === undefined ? [] : stores.map(({ name }) => name),
);

/** @param id  `fact:KEY`, or the id of a megram, a run, a case or an artifact */
export function isAbout(record: Recorded, id: string): boolean {
  return all.some(
    (part) => part.stores?.some(({ name }) => name === record.store) === true && part.isAbout?.(record, id) === true,
  );
}

export const gaugesOfParts: readonly Gauge[] = all.flatMap(({ gauges = [] }) => gauges);
export const countersOfParts: readonly Counter[] = all.flatMap(({ counters = [] }) => counters);

/** What the parts have to say to a cycle that begins, in the order of the list. */
export function contributionsOfParts(known: StatesOfParts, cycle: Beginning): readonly string[] {
  return all.flatMap((part) => part.contributes?.(known as never, cycle) ?? []);
}

/** What the end of a run comes to, part by part. */
export function endsOfParts(known: StatesOfParts, end: RunEnd): readonly PartRecord[] {
  return all.flatMap((part) => part.ended?.(known as never, end) ?? []);
}

/** Manifest fields that parts bring into effect. */
export const fieldsOfParts: readonly string[] = all.flatMap(({ fields = [] }) => fields);
