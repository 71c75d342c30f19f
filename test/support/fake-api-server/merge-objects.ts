/** Merging and pruning of values along a {@link MergeSchema}. */
import { isAtomicMap, itemStep, listType, memberSchema } from './field-set.ts';
import type { FieldPath } from './field-set.ts';
import { isRecord } from './json.ts';
import type { MergeSchema } from './merge-schema.ts';

/** `live` with everything that `config` says; what it does not say stays. */
export function mergeApplied(live: unknown, config: unknown, schema: MergeSchema | undefined): unknown {
  if (Array.isArray(live) && Array.isArray(config) && listType(schema) !== 'atomic')
    return mergeLists(live, config, schema);
  if (!isRecord(live) || !isRecord(config) || isAtomicMap(schema)) return config;
  const merged: Record<string, unknown> = { ...live };
  for (const [name, value] of Object.entries(config))
    merged[name] = mergeApplied(live[name], value, memberSchema(schema, name));
  return merged;
}

function mergeLists(
  live: readonly unknown[],
  config: readonly unknown[],
  schema: MergeSchema | undefined,
): readonly unknown[] {
  const wanted = new Map(config.map((item) => [itemStep(schema, item), item]));
  const present = new Set(live.map((item) => itemStep(schema, item)));
  const kept = live.map((item) => {
    const step = itemStep(schema, item);
    return wanted.has(step) ? mergeApplied(item, wanted.get(step), schema?.items) : item;
  });
  return [...kept, ...config.filter((item) => !present.has(itemStep(schema, item)))];
}

/** Without what stands at `path`; the same value where nothing does. */
export function withoutField(value: unknown, path: FieldPath, schema: MergeSchema | undefined): unknown {
  const [step = '', ...rest] = path;
  return step.startsWith('f:')
    ? withoutMember(value, step.slice(2), { rest, schema })
    : withoutItem(value, step, { rest, schema });
}

interface Remaining {
  readonly rest: FieldPath;
  readonly schema: MergeSchema | undefined;
}

function withoutMember(value: unknown, name: string, { rest, schema }: Remaining): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: withoutField(member, rest, memberSchema(schema, name)) };
}

function withoutItem(value: unknown, step: string, { rest, schema }: Remaining): unknown {
  if (!Array.isArray(value)) return value;
  return value.flatMap((item: unknown) => {
    if (itemStep(schema, item) !== step) return [item];
    return rest.length === 0 ? [] : [withoutField(item, rest, schema?.items)];
  });
}
