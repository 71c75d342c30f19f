/**
 * Writes `.oxlintrc.json` from the tables here and in `layers.ts`; `npm run gen` calls it.
 *
 * An override replaces a rule's options and does not merge them, so the full list is written out for every folder.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { journalEntrances, laterFolders, layers, operatorLayers } from './layers.ts';
import type { Layer } from './layers.ts';

const error = (...options: unknown[]): unknown => (options.length === 0 ? 'error' : ['error', ...options]);

/** Sizes keep a function on one screen and a file in one sitting. A `switch` over a union counts once: it is a table. */
const sizes = {
  'max-lines-per-function': error({ max: 70, skipComments: true, skipBlankLines: true }),
  'max-lines': error({ max: 400 }),
  complexity: error({ max: 12, variant: 'modified' }),
  'max-depth': error({ max: 3 }),
  'max-params': error({ max: 4 }),
};

const everywhere = {
  ...sizes,
  eqeqeq: error(),
  'no-console': error(),
  'no-empty': error(),
  'no-eval': error(),
  'no-new-func': error(),
  'no-param-reassign': error(),
  'no-var': error(),
  'prefer-const': error(),
  'typescript/await-thenable': error(),
  'typescript/ban-ts-comment': error(),
  'typescript/consistent-type-imports': error(),
  'typescript/explicit-module-boundary-types': error(),
  'typescript/no-explicit-any': error(),
  'typescript/no-floating-promises': error(),
  'typescript/no-misused-promises': error(),
  'typescript/no-namespace': error(),
  'typescript/no-non-null-assertion': error(),
  'typescript/no-unnecessary-type-assertion': error(),
  'typescript/only-throw-error': error(),
  'typescript/parameter-properties': error(),
  'typescript/switch-exhaustiveness-check': error({ considerDefaultExhaustiveForUnions: true }),
  'import/no-cycle': error(),
  'import/no-default-export': error(),
  'import/no-mutable-exports': error(),
  'node/no-process-env': error(),
  'unicorn/filename-case': error({ case: 'kebabCase' }),
  'unicorn/no-abusive-eslint-disable': error(),
  'unicorn/prefer-node-protocol': error(),
  /** Checks for control characters are part of the work here. */
  'no-control-regex': 'off',
  /** A flag and its value stay on one line that way. */
  'unicorn/no-useless-spread': 'off',
};

const time = 'Time is an argument here: nowMs.';
const effect = 'Nothing waits or acts here: return an effect.';
const world = 'Reaches the world: take what is needed as an argument.';

/** Globals that would make thinking depend on anything but its arguments. */
const impureGlobals: Readonly<Record<string, string>> = {
  Date: time,
  performance: time,
  fetch: effect,
  Promise: effect,
  setTimeout: effect,
  setInterval: effect,
  setImmediate: effect,
  queueMicrotask: effect,
  process: world,
  crypto: 'Ids and randomness are arguments here; a content hash comes from contract/std/hash.',
  globalThis: world,
  global: world,
};

const purity = {
  /** A shell may react to some kinds and say so with `default`; thinking names them all. */
  'typescript/switch-exhaustiveness-check': error({ considerDefaultExhaustiveForUnions: false }),
  'no-restricted-globals': error(...Object.entries(impureGlobals).map(([name, message]) => ({ name, message }))),
  'no-restricted-properties': error({
    object: 'Math',
    property: 'random',
    message: 'Randomness is an argument here.',
  }),
};

interface Pattern {
  readonly regex?: string;
  readonly group?: readonly string[];
  readonly allowTypeImports?: true;
  readonly message: string;
}

const builtins: Pattern = {
  regex: '^node:',
  message: 'A pure folder does no I/O; a content hash comes from contract/std/hash.',
};

const heavyLibraries: Pattern = {
  regex: '^(@anthropic-ai/|libxml2-wasm|pino|yaml|html-to-text)',
  message: 'A pure folder parses and sends nothing: a library for that belongs to an adapter.',
};

const packages: Pattern = {
  regex: '^@retainer/(agent-pod|cli|operator|sandbox-runner|console)(/|$)',
  message: 'Packages import only @retainer/contract; inside a package, imports are relative.',
};

const operatorParts = Object.keys(operatorLayers).filter((folder) => folder !== 'kube');

/** Whoever talks to a cluster does so through `operator/kube`. */
const packagesButKube: Pattern = {
  regex: `^@retainer/((agent-pod|cli|sandbox-runner|console)(/|$)|operator/(${operatorParts.join('|')}|main|config)(/|$))`,
  message: 'Of other packages only @retainer/contract, @retainer/operator/kube and @retainer/operator/resources.',
};

const clientLibrary: Pattern = {
  regex: '^@kubernetes/',
  message: 'The client library is behind operator/src/kube.',
};

const distant: Pattern = { regex: '^(\\.\\./){3}', message: 'No import reaches three folders up.' };

const toolCatalog: Pattern = {
  regex: '(^|/)catalog/',
  message: 'Tools are reached through tools/registry.ts only, and run by tools/execute.ts only.',
};

/** A negated glob that matches ends the search in a list: groups come after what holds without exception. */
const journalInternals: Pattern = {
  group: ['**/journal/**', ...journalEntrances.map((name) => `!**/journal/${name}.ts`)],
  message: 'Only the entrances of journal/ may be imported: nothing else writes its files.',
};

/**
 * A folder with excepted modules needs a group; all others, and the journal's entrances, are expressions, since a negated
 * glob of any group lets an import through that another group refuses.
 */
function typesOnly(folder: string, layer: Layer): readonly Pattern[] {
  const excepted = layer.modules ?? [];
  const hasException = (name: string): boolean => excepted.some((module) => module.startsWith(`${name}/`));
  const entrances = journalEntrances.filter((name) => !excepted.includes(`journal/${name}`));
  const whole = layer.types.filter((name) => name !== 'journal' && !hasException(name)).map((name) => `${name}/`);
  const journal = layer.types.includes('journal') ? [`journal/(${entrances.join('|')})\\.ts$`] : [];
  const partly = layer.types.filter((name) => name !== 'journal' && hasException(name));
  const rest = { allowTypeImports: true, message: `${folder}/ may import types only from there.` } as const;
  const patterns: Pattern[] = [];
  if (whole.length + journal.length > 0)
    patterns.push({ regex: `^(\\.\\./)+(${[...whole, ...journal].join('|')})`, ...rest });
  if (partly.length > 0)
    patterns.push({
      group: [...partly.map((name) => `**/${name}/**`), ...excepted.map((name) => `!**/${name}.ts`)],
      ...rest,
    });
  return patterns;
}

/** @param depth  how many folders below `src` the importing module is: so far up are the composition roots */
function layerPatterns(folder: string, layer: Layer, depth: 1 | 2 = 1): readonly Pattern[] {
  const known = new Set([folder, ...layer.values, ...layer.types]);
  const strangers = [...Object.keys(layers), ...laterFolders].filter((name) => !known.has(name));
  const patterns: Pattern[] = [
    {
      regex: `^(\\.\\./)+(${strangers.join('|')})/`,
      message: `${folder}/ may not know this module: who may import whom is a table in docs/architecture.md.`,
    },
    {
      regex: `^(\\.\\./){${depth}}[a-z-]+\\.ts$`,
      message: 'Modules directly below src put the parts together: no part imports them.',
    },
    layer.pure ? packages : packagesButKube,
    clientLibrary,
    distant,
  ];
  if (layer.pure) patterns.push(builtins, heavyLibraries);
  if (folder !== 'tools') patterns.push(toolCatalog);
  patterns.push(...typesOnly(folder, layer));
  if (folder !== 'journal' && known.has('journal')) patterns.push(journalInternals);
  return patterns;
}

const imports = (patterns: readonly Pattern[]): Readonly<Record<string, unknown>> => ({
  'no-restricted-imports': error({ patterns }),
});

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

const contract: readonly Override[] = [
  {
    files: ['**/contract/src/**'],
    rules: {
      ...imports([
        { regex: '^node:', message: 'contract/ does no I/O; its one content hash is std/hash.ts.' },
        { regex: '^@retainer/', message: 'contract/ imports no other package, and itself by relative paths.' },
        distant,
      ]),
      ...purity,
    },
  },
  {
    files: ['**/contract/src/std/hash.ts'],
    rules: imports([{ group: ['*', '!node:crypto'], message: 'std/hash.ts stands on node:crypto alone.' }]),
  },
];

const agentPod: readonly Override[] = [
  { files: ['**/agent-pod/src/*.ts'], rules: imports([packagesButKube, clientLibrary, toolCatalog, journalInternals]) },
  ...Object.entries(layers).map(([folder, layer]) => ({
    files: [`**/agent-pod/src/${folder}/**`],
    rules: { ...imports(layerPatterns(folder, layer)), ...(layer.pure ? purity : {}) },
  })),
  ...Object.entries<Layer>(layers).flatMap(([folder, layer]) =>
    (layer.nested ?? []).map((inner) => ({
      files: [`**/agent-pod/src/${folder}/${inner}/**`],
      rules: imports(layerPatterns(folder, layer, 2)),
    })),
  ),
  {
    files: ['**/agent-pod/src/tools/*.ts'],
    rules: imports([toolCatalog, ...layerPatterns('tools', layers.tools)]),
  },
  { files: ['**/agent-pod/src/tools/registry.ts'], rules: imports(layerPatterns('tools', layers.tools)) },
];

const cli: Override = {
  files: ['**/cli/src/**'],
  rules: imports([
    {
      regex: `^@retainer/((cli|sandbox-runner|console)(/|$)|operator/(${operatorParts.join('|')}|main|config)(/|$))`,
      message: 'Nobody imports the command line; inside it, imports are relative. Of the operator: kube and resources.',
    },
    clientLibrary,
    { regex: '^(\\.\\./)+(agent-pod|contract|operator|console)/', message: 'Another package is imported by its name.' },
    distant,
    {
      group: ['@retainer/agent-pod/*/**', ...journalEntrances.map((name) => `!@retainer/agent-pod/journal/${name}`)],
      message: "Only agent-pod's published modules: those directly below its src, and the entrances of journal/.",
    },
  ]),
};

/** A folder of the operator knows what its row names, `resources.ts`, and no other part. */
function operatorPatterns(folder: string, layer: Layer): readonly Pattern[] {
  const wholes = layer.values.filter((name) => !name.includes('/'));
  const modules = layer.values.filter((name) => name.includes('/'));
  const known = new Set([folder, ...wholes, ...layer.types]);
  const strangers = Object.keys(operatorLayers).filter((name) => !known.has(name));
  const onlyTypes = layer.types.filter((name) => !modules.some((module) => module.startsWith(`${name}/`)));
  const partly = layer.types.filter((name) => modules.some((module) => module.startsWith(`${name}/`)));
  const patterns: Pattern[] = [
    {
      regex: `^(\\.\\./)+(${strangers.join('|')})/`,
      message: `${folder}/ may not know this module: who may import whom is a table in docs/architecture.md.`,
    },
    packages,
    distant,
  ];
  if (folder !== 'kube') patterns.push(clientLibrary);
  if (layer.pure) patterns.push(builtins, heavyLibraries);
  const rest = { allowTypeImports: true, message: `${folder}/ may import types only from there.` } as const;
  if (onlyTypes.length > 0) patterns.push({ regex: `^(\\.\\./)+(${onlyTypes.join('|')})/`, ...rest });
  if (partly.length > 0)
    patterns.push({
      group: [...partly.map((name) => `**/${name}/**`), ...modules.map((name) => `!**/${name}.ts`)],
      ...rest,
    });
  return patterns;
}

const operator: readonly Override[] = [
  { files: ['**/operator/src/*.ts'], rules: imports([packages, clientLibrary, distant]) },
  ...Object.entries<Layer>(operatorLayers).map(([folder, layer]) => ({
    files: [`**/operator/src/${folder}/**`],
    rules: { ...imports(operatorPatterns(folder, layer)), ...(layer.pure ? purity : {}) },
  })),
];

const sandboxRunner: Override = {
  files: ['**/sandbox-runner/src/**'],
  rules: imports([packages, clientLibrary, distant]),
};

const off = (...rules: readonly string[]): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(rules.map((rule) => [rule, 'off']));

const exemptions: readonly Override[] = [
  {
    files: ['**/config.ts', 'scripts/**', 'bench/**', 'test/support/**', 'test/chaos/**'],
    rules: off('node/no-process-env'),
  },
  {
    files: ['**/cli/src/output.ts', 'scripts/**', 'bench/**', 'test/chaos/**', 'test/integration/**'],
    rules: off('no-console'),
  },
  /** The type that zod infers is the point of a schema's function. */
  { files: ['**/contract/src/api/**'], rules: off('typescript/explicit-module-boundary-types') },
  { files: ['*.config.ts'], rules: off('import/no-default-export') },
  {
    files: ['**/*.test.ts'],
    rules: off(
      'max-lines-per-function',
      'max-lines',
      'no-restricted-imports',
      'no-restricted-globals',
      'no-restricted-properties',
      'node/no-process-env',
    ),
  },
];

/** The text of `.oxlintrc.json`: one line per rule, so that a change is seen in one line. */
export function lintConfig(): string {
  const config = {
    $schema: './node_modules/oxlint/configuration_schema.json',
    plugins: ['typescript', 'import', 'node', 'unicorn', 'promise'],
    categories: { correctness: 'error' },
    env: { es2024: true, node: true },
    rules: everywhere,
    overrides: [...contract, ...operator, ...agentPod, sandboxRunner, cli, ...exemptions],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(new URL('../.oxlintrc.json', import.meta.url), lintConfig());
