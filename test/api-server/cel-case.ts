import { API_VERSION, type KindName } from '@retainer/contract/api/names';

/** JSON to merge into an object; `undefined` removes the member. */
export type Patch = { readonly [key: string]: unknown };

/** For one CEL rule, an object that it lets pass and one that it refuses. */
export interface CelCase {
  readonly kind: KindName;
  /** The node that carries the rule, as `CelRulePlace.path`. */
  readonly path: string;
  /** The rule's own message. */
  readonly message: string;
  /** For a transition rule: what the object said before. */
  readonly before?: Patch;
  readonly accepted: Patch;
  readonly refused: Patch;
  /** What else it refuses, where a rule compares more than one thing. */
  readonly refusedToo?: readonly Patch[];
}

export function refusals({ refused, refusedToo = [] }: CelCase): readonly Patch[] {
  return [refused, ...refusedToo];
}

const CHARACTER = {
  persona: 'A test.',
  highestEndeavour: [{ id: 'honest', description: 'Be honest.', level: 'EthicalMoral', operator: 'Required' }],
} as const;

const DIGEST = `sha256:${'0'.repeat(64)}`;

const SPECS: Readonly<Record<KindName, Patch>> = {
  Agent: { characterRef: { name: 'someone' } },
  Task: { agentRef: { name: 'someone' }, intent: 'Do it.' },
  Skill: { description: 'A skill.', version: '1.0.0', configMapRef: { name: 'texts', digest: DIGEST } },
  CharacterSpec: CHARACTER,
  SandboxRun: { agentRef: { name: 'someone' }, command: ['true'], runnerPublicKey: `${'A'.repeat(43)}=` },
};

/** A small valid object of a kind with `patch` merged into it. */
export function sample(kind: KindName, patch: Patch = {}): Patch {
  return merged(
    { apiVersion: API_VERSION, kind, metadata: { name: 'sample', namespace: 'default' }, spec: SPECS[kind] },
    patch,
  );
}

/** Deep merge; lists and scalars of `patch` replace, `undefined` removes. */
export function merged(base: Patch, patch: Patch): Patch {
  const all = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const before = all[key];
    all[key] = isPatch(before) && isPatch(value) ? merged(before, value) : value;
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function isPatch(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `{ a: { b: value } }` for `nested(['a', 'b'], value)`. */
export function nested(path: readonly string[], value: unknown): Patch {
  const [first, ...rest] = path;
  if (first === undefined) throw new Error('a path needs a step');
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}
