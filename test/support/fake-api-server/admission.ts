/** What an object must be before it is stored: own kinds by their schema and rules, others by what may never change. */
import { isDeepStrictEqual } from 'node:util';
import { structuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS, KIND_SCHEMAS } from '@retainer/contract/api/kinds';
import { KINDS, type KindName } from '@retainer/contract/api/names';
import { ruleCheck, type RuleCheck } from '@retainer/contract/manifest/cel-rules';
import { renderPath } from '@retainer/contract/manifest/manifest-error';
import { structureFaults } from '@retainer/contract/manifest/structure-faults';
import { isRecord, memberAt, withoutNulls, type Json, type StoredObject } from './json.ts';
import { refusals } from './refusal.ts';
import { collectionName, type ServedResource } from './served-resource.ts';

const RULES = Object.fromEntries(
  KINDS.map((kind) => [kind, ruleCheck(structuralSchema(KIND_DEFINITIONS[kind]))]),
) as Readonly<Record<KindName, RuleCheck>>;

const STRUCTURES = Object.fromEntries(
  KINDS.map((kind) => [kind, structuralSchema(KIND_DEFINITIONS[kind])]),
) as Readonly<Record<KindName, ReturnType<typeof structuralSchema>>>;

/** What an object shows until somebody writes its status. */
export function defaultStatus(kind: KindName): Json {
  return STRUCTURES[kind].properties?.['status']?.default as Json;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const NAME_LENGTH_MAX = 253;

/**
 * The object as it would be stored: defaults filled in, unknown fields cut off.
 *
 * @param old       what is stored; undefined for a new object
 * @param isStrict  unknown fields are refused, as with `fieldValidation=Strict`
 */
export function admitted(served: ServedResource, object: Json, old: StoredObject | undefined, isStrict: boolean): Json {
  const words = { collection: collectionName(served.resource), name: String(memberAt(object, 'metadata.name')) };
  const faults = nameFaults(served, words.name);
  if (faults.length > 0) throw refusals.invalid(words, faults);
  if (old !== undefined) {
    const changed = forbiddenChanges(served, object, old);
    if (changed.length > 0) throw refusals.invalid(words, changed);
  }
  return served.ownKind === undefined ? object : ownAdmitted(served.ownKind, { object, old, words, isStrict });
}

function nameFaults({ resource }: ServedResource, name: string): readonly string[] {
  if (resource.group === 'rbac.authorization.k8s.io') return [];
  if (NAME.test(name) && name.length <= NAME_LENGTH_MAX) return [];
  return [`metadata.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case letters`];
}

function forbiddenChanges(served: ServedResource, object: Json, old: StoredObject): readonly string[] {
  const { immutable, mutableSpec } = served;
  const fixed = old['immutable'] === true ? [...immutable, 'data', 'binaryData', 'immutable'] : immutable;
  const changed = fixed
    .filter((path) => !isDeepStrictEqual(memberAt(object, path), memberAt(old, path)))
    .map((path) => `${path}: Invalid value: field is immutable`);
  if (mutableSpec === undefined) return changed;
  const rest = (of: Json): Json => {
    const spec = isRecord(of['spec']) ? of['spec'] : {};
    return Object.fromEntries(Object.entries(spec).filter(([key]) => !mutableSpec.includes(key)));
  };
  if (isDeepStrictEqual(rest(object), rest(old))) return changed;
  return [...changed, `spec: Forbidden: updates to fields other than ${mutableSpec.join(', ')} are forbidden`];
}

interface OwnObject {
  readonly object: Json;
  readonly old: StoredObject | undefined;
  readonly words: { readonly collection: string; readonly name: string };
  readonly isStrict: boolean;
}

function ownAdmitted(kind: KindName, { object, old, words, isStrict }: OwnObject): Json {
  const { metadata, ...body } = withoutNulls(object) as Json;
  const schema = STRUCTURES[kind];
  const faults = structureFaults(schema, body);
  const unknown = faults.filter(({ found }) => found === 'an unknown field');
  if (isStrict && unknown.length > 0)
    throw refusals.badRequest(
      `strict decoding error: ${unknown.map(({ path }) => `unknown field "${renderPath(path)}"`).join(', ')}`,
    );
  const parsed = KIND_SCHEMAS[kind].safeParse({ ...body, metadata: { name: words.name } });
  const wrong = faults.filter((fault) => !unknown.includes(fault));
  const broken = [
    ...wrong.map(({ path, found }) => `${renderPath(path)}: Invalid value: ${found}`),
    ...(parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)),
  ];
  if (broken.length > 0 || !parsed.success) throw refusals.invalid(words, broken);
  const { metadata: _parsed, ...data } = parsed.data;
  const rules = RULES[kind]({ ...data, metadata: { name: words.name } }, old);
  if (rules.length > 0)
    throw refusals.invalid(
      words,
      rules.map(({ path, rule }) => `${renderPath(path)}${rule.fieldPath ?? ''}: Invalid value: ${rule.message}`),
    );
  return { ...data, metadata };
}
