/** Every field that a manifest may set has its effect, or stands in the table of those that have none yet. */
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { notYet } from '@retainer/contract/api/not-yet';
import { describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { repositoryFiles, repositoryRoot } from '../support/repository-files.ts';

interface Leaf {
  /** `Agent spec.models.prices[].model`. */
  readonly path: string;
  readonly parent: string;
  readonly name: string;
}

function leavesOf(schema: StructuralSchema, path: string): readonly Leaf[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, child]) => leavesOf(child, `${path}.${name}`));
  if (schema.items !== undefined) return leavesOf(schema.items, `${path}[]`);
  const [name = '', parent = ''] = path.replaceAll('[]', '').split('.').toReversed();
  return [{ path, parent: parent.split(' ').at(-1) ?? '', name }];
}

const leaves = Object.entries(KIND_DEFINITIONS).flatMap(([kind, definition]) => {
  const spec = structuralSchema(definition).properties?.['spec'];
  return spec === undefined ? [] : leavesOf(spec, `${kind} spec`);
});

const isInTable = ({ path }: Leaf): boolean =>
  notYet.some(({ kind, path: field, unless }) => {
    const begin = `${kind} ${field}`;
    return unless === undefined && (path === begin || path.startsWith(`${begin}.`) || path.startsWith(`${begin}[`));
  });

/** Schemas say what there is; what is read is read elsewhere. */
const isProgram = (file: string): boolean =>
  /^(agent-pod|operator|cli|sandbox-runner|contract|packages\/\w+)\/src\/.*\.ts$/.test(file) &&
  !file.startsWith('contract/src/api/') &&
  !file.endsWith('.test.ts');

const read = /\.([A-Za-z]\w*)/g;
/** Shorthand, with a default under its own or another name, or taken apart further; never `name: value`, which may be an object that is made. */
const taken = /[{,]\s*([A-Za-z]\w*)(?=\s*(?:,|\}|=[^=>]|:\s*\{|:\s*\w+\s*=[^=>]))/g;

/** Names that are read, by file: paths from the root of the repository. */
/**
 * Which properties the programs read, by file: `.name`, and `name` taken out of an object by its braces. A plain scan of the text,
 * without comments and strings: it knows no types, so that one name in two places is one name.
 */
function propertyReads(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = repositoryFiles().map((file) => ({ file, path: relative(repositoryRoot, file) }));
  return new Map(
    files.filter(({ path }) => isProgram(path)).map(({ file, path }) => [path, namesIn(readFileSync(file, 'utf8'))]),
  );
}

function namesIn(source: string): ReadonlySet<string> {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/'[^'\n]*'/g, "''");
  return new Set([...code.matchAll(read), ...code.matchAll(taken)].flatMap(([, name]) => name ?? []));
}

const reads = propertyReads();
const named = (name: string): number => leaves.filter((leaf) => leaf.name === name).length;

/** A name of one field alone is read wherever it is; another one in a file that takes it out of its own parent. */
const isRead = ({ parent, name }: Leaf): boolean =>
  [...reads.values()].some((names) => names.has(name) && (named(name) === 1 || names.has(parent)));

/** Read in a file that is handed the object around the field, not what is around that. */
const readIn: Readonly<Record<string, string>> = {
  'CharacterSpec spec.authority.alone[].tools[]': 'packages/mind/src/gate/authority-entry.ts',
  'CharacterSpec spec.authority.alone[].effectClass': 'packages/mind/src/gate/authority-entry.ts',
  'CharacterSpec spec.authority.alone[].pattern': 'packages/mind/src/gate/authority-entry.ts',
  'CharacterSpec spec.authority.consult[].tools[]': 'packages/mind/src/gate/authority-entry.ts',
  'CharacterSpec spec.authority.never[].tools[]': 'packages/mind/src/gate/authority-entry.ts',
};

/** What people write for people, or an agent for whoever looks at its objects; no program decides by it. */
const forPeople: readonly RegExp[] = [
  /^Skill spec\.provenance\./,
  /^CharacterSpec .*\.rules\[\]\.description$/,
  /^SandboxRun spec\.(script|stdin)\.digest$/,
];

/** By names that are no words of the language. */
const quoted: readonly RegExp[] = [/\.ephemeral-storage$/];

describe('every field of the five kinds', () => {
  verifies('cli:says-what-has-no-effect', 'is read by a program, or stands in the table', () => {
    const unread = leaves
      .filter((leaf) => !isInTable(leaf) && !isRead(leaf) && readIn[leaf.path] === undefined)
      .map(({ path }) => path)
      .filter((path) => ![...forPeople, ...quoted].some((pattern) => pattern.test(path)));
    expect(unread).toEqual([]);
  });

  it.each(Object.entries(readIn))('%s is read in %s', (path, file) => {
    const leaf = leaves.find((it) => it.path === path);
    expect(leaf).toBeDefined();
    expect(reads.get(file)?.has(leaf?.name ?? '')).toBe(true);
    // What is found without it needs no line.
    expect(leaf === undefined || isRead(leaf)).toBe(false);
  });

  it.each([...forPeople, ...quoted])('that fits %s exists', (pattern) => {
    expect(leaves.some(({ path }) => pattern.test(path))).toBe(true);
  });

  it('that nobody reads is found', () => {
    expect(isRead({ path: 'Agent spec.models.moodiness', parent: 'models', name: 'moodiness' })).toBe(false);
    expect(leaves.length).toBeGreaterThan(400);
  });
});
