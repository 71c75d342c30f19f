/**
 * Retainer's own objects as data. This boundary alone parses them, once for each version of an object.
 *
 * The API server enforces the same schema and rules. An object that fails here comes from another version of the CRDs.
 */
import { CharacterSpec, characterSpecDefinition } from '@retainer/contract/api/character-spec';
import { structuralSchema } from '@retainer/contract/api/crd';
import { API_VERSION } from '@retainer/contract/api/names';
import { ruleCheck, type BrokenRule } from '@retainer/contract/manifest/cel-rules';
import { BootAgent, BootCharacter, BootSkill } from '@retainer/contract/wire/boot';
import type { z } from 'zod';
import type { KubeObject } from '@retainer/kube/kube-object';

export type Parsed<T> =
  | { readonly type: 'Found'; readonly value: T }
  | { readonly type: 'Missing' }
  /** `path` is the first field that breaks the schema. */
  | { readonly type: 'Invalid'; readonly path: string };

/** A CharacterSpec, and the rules of its kind that it breaks. */
export interface JudgedCharacter {
  readonly document: BootCharacter;
  readonly broken: readonly BrokenRule[];
}

/** Keyed by the object itself: caches keep one object for each version, so each version is parsed once. */
export function oncePerVersion<T>(parse: (object: KubeObject) => T): (object: KubeObject) => T {
  const known = new WeakMap<KubeObject, T>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const parsed = parse(object);
    known.set(object, parsed);
    return parsed;
  };
}

/** Without the status, which others write, and with the metadata that concerns an agent. */
function parser<T>(kind: string, schema: z.ZodType<T>): (object: KubeObject) => Parsed<T> {
  return ({ metadata: { name, namespace, uid }, spec }) => {
    const parsed = schema.safeParse({ apiVersion: API_VERSION, kind, metadata: { name, namespace, uid }, spec });
    if (parsed.success) return { type: 'Found', value: parsed.data };
    return { type: 'Invalid', path: parsed.error.issues[0]?.path.join('.') ?? '' };
  };
}

export const parseAgent: (object: KubeObject) => Parsed<BootAgent> = oncePerVersion(parser('Agent', BootAgent));

const parseOwnSkill = parser('Skill', BootSkill);

/** With the digest that the operator pinned for this version, where its author gave none. */
export const parseSkill: (object: KubeObject) => Parsed<BootSkill> = oncePerVersion((object) => {
  const parsed = parseOwnSkill(object);
  const pinned = parsed.type === 'Found' ? pinnedDigest(object, parsed.value) : undefined;
  if (parsed.type !== 'Found' || pinned === undefined) return parsed;
  const { spec } = parsed.value;
  const configMapRef =
    spec.configMapRef === undefined ? {} : { configMapRef: { ...spec.configMapRef, digest: pinned } };
  return { type: 'Found', value: { ...parsed.value, spec: { ...spec, ...configMapRef } } };
});

/** Whether the operator pins the text of the Skill, because its author did not. */
export function isPinnedByOperator({ spec }: KubeObject): boolean {
  const { configMapRef } = (spec ?? {}) as { readonly configMapRef?: { readonly digest?: string } };
  return configMapRef !== undefined && configMapRef.digest === undefined;
}

function pinnedDigest(object: KubeObject, { spec }: BootSkill): string | undefined {
  const { digest, pinnedVersion } = (object['status'] ?? {}) as {
    readonly digest?: string;
    readonly pinnedVersion?: string;
  };
  return isPinnedByOperator(object) && pinnedVersion === spec.version ? digest : undefined;
}

const brokenRules = ruleCheck(structuralSchema(characterSpecDefinition));
const parseDocument = parser(CharacterSpec.shape.kind.value, BootCharacter);

export const parseCharacter: (object: KubeObject) => Parsed<JudgedCharacter> = oncePerVersion((object) => {
  const parsed = parseDocument(object);
  if (parsed.type !== 'Found') return parsed;
  return { type: 'Found', value: { document: parsed.value, broken: brokenRules(parsed.value) } };
});

export function parsedOr<T>(object: KubeObject | undefined, parse: (object: KubeObject) => Parsed<T>): Parsed<T> {
  return object === undefined ? { type: 'Missing' } : parse(object);
}
