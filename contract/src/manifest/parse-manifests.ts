/**
 * Parses manifests into objects with the schema, defaults and CEL rules of the API server.
 *
 * I1 The parser reports all faults of all documents at once, each with file, line, field path, value found and values allowed.
 *     It returns objects only if there is no fault.
 * I2 An unknown field is a fault, as with `kubectl apply --validate=strict`.
 * I3 A null field counts as absent, as on the API server.
 * I4 A list counts as its items. Objects of other groups are left to whoever they are for, and named.
 * I5 An object with `generateName` gets a name that follows from its content: the same manifest means the same object again, and
 *    a changed one another object, as `kubectl create` would make.
 *
 * Source: design 3, 6; platforms 6.
 */
import { structuralSchema, type StructuralSchema } from '../api/crd.ts';
import { KIND_DEFINITIONS, KIND_SCHEMAS, type KindObjects } from '../api/kinds.ts';
import { API_VERSION, KINDS, type KindName } from '../api/names.ts';
import { DNS_LABEL_LENGTH_MAX } from '../api/fields.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { sha256Hex } from '../std/hash.ts';
import { err, ok, type Result } from '../std/result.ts';
import { jobFaults, taskScheduleFault, type FaultyField } from '../schedule/schedule-fault.ts';
import { isRecord, ruleCheck, type BrokenRule, type RuleCheck } from './cel-rules.ts';
import { ConfigMap, configMapStructure } from './config-map.ts';
import { NOTHING, renderFound, renderPath, type ManifestError } from './manifest-error.ts';
import { nearestWord } from './nearest-word.ts';
import { schemaFault, valueAt } from './schema-issues.ts';
import { structureFaults, type StructureFault } from './structure-faults.ts';
import { itemsOf, lineOf, readYaml, type YamlSource } from './yaml-source.ts';

/** Our kinds, and ConfigMaps to which Agents refer. */
interface ManifestKinds extends KindObjects {
  readonly ConfigMap: ConfigMap;
}
type ManifestKind = keyof ManifestKinds;

/** One object of a manifest, with defaults, and its place. */
export type ManifestObject = {
  [K in ManifestKind]: {
    readonly kind: K;
    readonly object: ManifestKinds[K];
    readonly file: string;
    /** 1 is the first line. */
    readonly line: number;
  };
}[ManifestKind];

interface KindCheck {
  readonly structure: StructuralSchema;
  readonly rules: RuleCheck;
}

const CHECKS: Readonly<Record<ManifestKind, KindCheck>> = {
  Agent: kindCheck('Agent'),
  Task: kindCheck('Task'),
  Skill: kindCheck('Skill'),
  CharacterSpec: kindCheck('CharacterSpec'),
  SandboxRun: kindCheck('SandboxRun'),
  ConfigMap: { structure: withMetadata(configMapStructure), rules: () => [] },
};

const SCHEMAS = { ...KIND_SCHEMAS, ConfigMap };

function kindCheck(kind: KindName): KindCheck {
  const structure = withMetadata(structuralSchema(KIND_DEFINITIONS[kind]));
  return { structure, rules: ruleCheck(structure) };
}

/** Adds the metadata fields that a manifest may contain. */
function withMetadata(schema: StructuralSchema): StructuralSchema {
  const text: StructuralSchema = { type: 'string' };
  const texts: StructuralSchema = { type: 'object', additionalProperties: text };
  const metadata: StructuralSchema = {
    type: 'object',
    properties: {
      name: text,
      generateName: text,
      namespace: text,
      labels: texts,
      annotations: texts,
      finalizers: { type: 'array', items: text },
      uid: text,
      resourceVersion: text,
      generation: { type: 'integer' },
      creationTimestamp: text,
      deletionTimestamp: text,
      deletionGracePeriodSeconds: { type: 'integer' },
      selfLink: text,
      managedFields: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true },
      ownerReferences: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  return { ...schema, properties: { ...schema.properties, metadata } };
}

/** The rules that an update would break, including transition rules. Both objects have their defaults. */
export function brokenByUpdate<K extends KindName>(
  kind: K,
  old: KindObjects[K],
  update: KindObjects[K],
): readonly BrokenRule[] {
  return CHECKS[kind].rules(update, old);
}

/** An object for another program. */
export interface OtherObject {
  readonly file: string;
  readonly line: number;
  /** Such as `apps/v1 Deployment/web`. */
  readonly name: string;
}

export interface ReadManifests {
  readonly objects: readonly ManifestObject[];
  readonly others: readonly OtherObject[];
  /** Documents that lack `apiVersion` or `kind`, each with its fault: the file may be none of manifests. */
  readonly strangers: readonly ManifestError[];
}

/** Parses documents of which all are ours: objects, or all faults, in the order of the text. @param file  its name, for messages */
export function parseManifests(
  text: string,
  file: string,
): Result<readonly ManifestObject[], readonly ManifestError[]> {
  const read = readManifests(text, file);
  if (!read.ok) return read;
  const { objects, others, strangers } = read.value;
  const foreign = others.map(({ name, line }) => ({
    ...{ file, line, object: '', path: 'apiVersion' },
    ...{ found: name, allowed: API_VERSION },
  }));
  const errors = [...foreign, ...strangers];
  return errors.length === 0 ? ok(objects) : err(errors);
}

/** Parses YAML or JSON documents, as kubectl reads them: objects, or all faults, in the order of the text. */
export function readManifests(text: string, file: string): Result<ReadManifests, readonly ManifestError[]> {
  const sources = readYaml(text, file);
  if (!sources.ok) return sources;
  const found = sources.value.flatMap(withItems);
  // An item of a list is meant to be an object.
  const strangers = found.filter((source) => sources.value.includes(source) && isStranger(source));
  const others = found.filter((source) => isForOthers(source.value));
  const parsed = found
    .filter((source) => !strangers.includes(source) && !others.includes(source))
    .map((source) => parseDocument(named(source)));
  const errors = parsed.flatMap((result) => (result.ok ? [] : result.error));
  const objects = parsed.flatMap((result) => (result.ok ? [result.value] : []));
  const all = [...errors, ...duplicates(objects)];
  if (all.length > 0) return err(all);
  return ok({
    objects,
    others: others.map((source) => ({ file, line: lineOf(source, []), name: otherName(source.value) })),
    strangers: strangers.map((source) => manifestError(source, strangerFault(source.value))),
  });
}

/** I4. `kubectl get` prints `v1 List`; the API server has lists of each kind. */
function withItems(source: YamlSource): readonly YamlSource[] {
  const { value } = source;
  if (!isRecord(value) || !String(value['kind']).endsWith('List')) return [source];
  if (value['apiVersion'] !== 'v1' && value['apiVersion'] !== API_VERSION) return [source];
  const { items = [] } = value;
  if (!Array.isArray(items)) return [source];
  return itemsOf(source, items).flatMap(withItems);
}

/** Nothing that says which program it is for. */
function isStranger({ value }: YamlSource): boolean {
  if (!isRecord(value)) return true;
  const { apiVersion, kind } = value;
  const isOurs = String(apiVersion).split('/')[0] === GROUP || KINDS.some((name) => name === kind);
  return !isOurs && (apiVersion === undefined || kind === undefined);
}

const GROUP = API_VERSION.split('/')[0] ?? '';

/** Of another group, and no misspelling of ours. */
function isForOthers(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') return false;
  if (apiVersion === 'v1') return kind !== 'ConfigMap' && !KINDS.some((name) => name === kind);
  const [group = ''] = apiVersion.split('/');
  if (group === GROUP) return false;
  return !KINDS.some((name) => name === kind) || nearestWord(group, [GROUP]) === undefined;
}

function otherName(value: unknown): string {
  return `${String(valueAt(value, ['apiVersion']))} ${objectName(value)}`;
}

/** Characters of a digest: two of a million objects meet once in a million manifests. */
const GENERATED_LENGTH = 10;

/** What people say about a Task that runs: it stays the same Task. */
const saidLater: ReadonlySet<string> = new Set(['answers', 'approvals', 'cancel', 'continueUnder']);

/** I5. A name that is there counts more, as on the API server. */
function named(source: YamlSource): YamlSource {
  const { value } = source;
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(value) || !isRecord(metadata) || metadata['name'] !== undefined) return source;
  const { generateName, namespace, ...more } = metadata;
  if (typeof generateName !== 'string' || generateName === '') return source;
  const { kind, spec, data, binaryData } = value;
  const work = isRecord(spec) ? Object.entries(spec).filter(([field]) => !saidLater.has(field)) : [];
  const content = canonicalJson({ kind, generateName, namespace, spec: Object.fromEntries(work), data, binaryData });
  const base = generateName.slice(0, DNS_LABEL_LENGTH_MAX - GENERATED_LENGTH);
  const name = `${base}${sha256Hex(content).slice(0, GENERATED_LENGTH)}`;
  const given = namespace === undefined ? {} : { namespace };
  return { ...source, value: { ...value, metadata: { ...more, ...given, generateName, name } } };
}

function parseDocument(source: YamlSource): Result<ManifestObject, readonly ManifestError[]> {
  const kind = kindOf(source);
  if (!kind.ok) return err([manifestError(source, kind.error)]);
  const { structure, rules } = CHECKS[kind.value];
  const parsed = SCHEMAS[kind.value].safeParse(source.value);
  const faults = [
    ...structureFaults(structure, source.value),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => schemaFault(issue, source.value))),
  ];
  if (faults.length > 0 || !parsed.success)
    return err(withoutEchoes(faults.map((fault) => manifestError(source, fault))));
  const broken = rules(parsed.data).map(({ path, rule }) => {
    const at = [...path, ...(rule.fieldPath ?? '').split('.').filter((step) => step !== '')];
    return { path: at, found: renderFound(valueAt(parsed.data, at)), allowed: rule.message, candidates: [] };
  });
  const faulty = [...broken, ...scheduleFaults(parsed.data)];
  if (faulty.length > 0) return err(faulty.map((fault) => manifestError(source, fault)));
  return ok({ kind: kind.value, object: parsed.data, file: source.file, line: lineOf(source, []) } as ManifestObject);
}

/** Times of schedules that no pattern can judge. A cluster takes such an object, and its operator says the same of it. */
function scheduleFaults(object: ManifestObject['object']): readonly StructureFault[] {
  return faultsOfSchedules(object).map(({ path, allowed }) => {
    const at = ['spec', ...path];
    const candidates = path.at(-1) === 'timeZone' ? Intl.supportedValuesOf('timeZone') : [];
    return { path: at, found: renderFound(valueAt(object, at)), allowed, candidates };
  });
}

function faultsOfSchedules(object: ManifestObject['object']): readonly FaultyField[] {
  if (!('kind' in object)) return [];
  if (object.kind === 'Agent') return jobFaults(object.spec.scheduler);
  const fault = object.kind === 'Task' ? taskScheduleFault(object.spec) : undefined;
  return fault === undefined ? [] : [fault];
}

function kindOf(source: YamlSource): Result<ManifestKind, StructureFault> {
  const { value } = source;
  if (!isRecord(value)) return err(strangerFault(value));
  if (value['apiVersion'] === 'v1' && value['kind'] === 'ConfigMap') return ok('ConfigMap');
  if (value['apiVersion'] !== API_VERSION) {
    const found = renderFound(value['apiVersion']);
    return err({ path: ['apiVersion'], found, allowed: API_VERSION, candidates: [API_VERSION] });
  }
  const kind = KINDS.find((name) => name === value['kind']);
  if (kind === undefined)
    return err({ path: ['kind'], found: renderFound(value['kind']), allowed: KINDS.join(', '), candidates: KINDS });
  return ok(kind);
}

function strangerFault(value: unknown): StructureFault {
  if (isRecord(value)) {
    const [path, candidates] = value['apiVersion'] === undefined ? ['apiVersion', [API_VERSION]] : ['kind', KINDS];
    return { path: [path], found: NOTHING, allowed: candidates.join(', '), candidates };
  }
  return { path: [], found: renderFound(value), allowed: `an object of ${API_VERSION}`, candidates: [] };
}

function manifestError(source: YamlSource, fault: StructureFault): ManifestError {
  const last = fault.path.at(-1);
  const word = fault.found === 'an unknown field' ? last : valueAt(source.value, fault.path);
  const suggestion = typeof word === 'string' ? nearestWord(word, fault.candidates) : undefined;
  return {
    file: source.file,
    line: lineOf(source, fault.path),
    object: objectName(source.value),
    path: renderPath(fault.path),
    found: fault.found,
    allowed: fault.allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** One error per cause, in the order of the text: a misspelt field is not missing too; of two faults the first counts. */
function withoutEchoes(errors: readonly ManifestError[]): readonly ManifestError[] {
  const meant = new Set(
    errors.map(({ path, suggestion }) => [...path.split('.').slice(0, -1), suggestion ?? ''].join('.')),
  );
  return errors
    .filter(({ path }, index) => errors.findIndex((other) => other.path === path) === index)
    .filter(({ path, found }) => found !== NOTHING || !meant.has(path))
    .toSorted((a, b) => a.line - b.line);
}

function objectName(value: unknown): string {
  const kind = valueAt(value, ['kind']);
  const name = valueAt(value, ['metadata', 'name']);
  return typeof kind === 'string' ? [kind, ...(typeof name === 'string' ? [name] : [])].join('/') : '';
}

function duplicates(objects: readonly ManifestObject[]): readonly ManifestError[] {
  const keys = objects.map(({ kind, object }) => `${kind}/${object.metadata.namespace}/${object.metadata.name}`);
  return objects.flatMap((object, index) => {
    const first = objects[keys.indexOf(keys[index] ?? '')];
    if (first === undefined || first === object) return [];
    return [
      {
        file: object.file,
        line: object.line,
        object: `${object.kind}/${object.object.metadata.name}`,
        path: 'metadata.name',
        found: `the same object as at line ${first.line}`,
        allowed: 'each object once',
      },
    ];
  });
}
