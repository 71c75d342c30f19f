/**
 * The rules of lint. Those that carry the architecture are made from the table in `scripts/layers.mjs`.
 *
 * An override replaces the options of a rule and does not merge them, so each room gets its full list of patterns.
 */
import { blindToAffect, journalEntrances, lentRoots, roots } from './scripts/layer-exceptions.mjs';
import { directoryOf, rooms, sources } from './scripts/layers.mjs';

/** @typedef {{ regex?: string, group?: readonly string[], allowTypeImports?: true, message: string }} Pattern */

const error = (...options) => (options.length === 0 ? 'error' : ['error', ...options]);

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
const impureGlobals = {
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

const purityBeyond = (more) => ({
  /** A shell may react to some kinds and say so with `default`; thinking names them all. */
  'typescript/switch-exhaustiveness-check': error({ considerDefaultExhaustiveForUnions: false }),
  'no-restricted-globals': error(
    ...Object.entries({ ...impureGlobals, ...more }).map(([name, message]) => ({ name, message })),
  ),
  'no-restricted-properties': error({
    object: 'Math',
    property: 'random',
    message: 'Randomness is an argument here.',
  }),
});

const purity = purityBeyond({});

/** The thinking runs in a browser too. */
const portablePurity = purityBeyond({ Buffer: 'Only Node has it: use Uint8Array.' });

const builtins = {
  regex: '^node:',
  message: 'A pure room does no I/O; a content hash comes from contract/std/hash.',
};
const heavyLibraries = {
  regex: '^(@anthropic-ai/|libxml2-wasm|pino|yaml|html-to-text|imapflow|nodemailer|mailauth|postal-mime)',
  message: 'A pure room parses and sends nothing: a library for that belongs to an adapter.',
};
const clientLibrary = { regex: '^@kubernetes/', message: 'The client library is behind packages/kube.' };
const distant = { regex: '^(\\.\\./){3}', message: 'No import reaches three folders up.' };
const affectPart = { regex: '(^|/)parts/affect/', message: 'Nothing that decides knows how the agent is.' };
/** Of a part of the agent pod other rooms know the lists alone. */
const partInternals = {
  regex: '^((\\.\\./)+|@retainer/agent-pod/)parts/[^/]+/',
  message: 'A part is reached through the lists in parts/ only, and its tools are run by tools/execute.ts only.',
};

/** A negated glob that matches ends the search in a list, so it comes last. */
const journalInternals = {
  group: ['@retainer/journal/*', ...journalEntrances.map((name) => `!@retainer/journal/${name}`)],
  message: 'Only the entrances of the journal may be imported: nothing else writes its files.',
};

const packageOf = (room) => room.split('/')[0];
const folderOf = (room) => room.split('/')[1];

/** How `from` spells an import of the room `to`. */
function spelling(from, to) {
  const folder = folderOf(to);
  if (packageOf(from) === packageOf(to)) return `^(\\.\\./)+${folder}/`;
  return `^@retainer/${packageOf(to)}/${folder === undefined ? '' : `${folder}/`}`;
}

/** How `from` spells an import of a root of the package `name`. */
function rootSpelling(from, name, modules) {
  const names = `(${modules.join('|')})`;
  return packageOf(from) === name ? `^(\\.\\./)+${names}\\.ts$` : `^@retainer/${name}/${names}$`;
}

/** The pattern that refuses the roots of a package, but for those that the room was lent; undefined where it was lent all. */
function rootPatterns(room) {
  const lent = lentRoots[room] ?? [];
  return Object.entries(roots).flatMap(([name, modules]) => {
    const refused = modules.filter((module) => name !== 'agent-pod' || !lent.includes(module));
    if (refused.length === 0) return [];
    return {
      regex: rootSpelling(room, name, refused),
      message: 'Modules directly below src put the parts together: no room imports them.',
    };
  });
}

/** @returns {Pattern[]} what a module of the room may not import */
function roomPatterns(room) {
  const { pure, values, types } = rooms[room];
  const known = new Set([room, 'contract', ...values, ...types]);
  const others = Object.keys(rooms).filter((name) => !known.has(name));
  const onlyTypes = types.filter((name) => !values.includes(name));
  const refuse = (names) => names.map((name) => spelling(room, name)).join('|');
  return [
    {
      regex: refuse(others),
      message: `${room} may not know this room: who may import whom is a table in docs/architecture.md.`,
    },
    ...(onlyTypes.length === 0
      ? []
      : [{ regex: refuse(onlyTypes), allowTypeImports: true, message: `${room} may import types only from there.` }]),
    ...rootPatterns(room),
    { regex: `^@retainer/${packageOf(room)}/`, message: 'Inside a package, imports are relative.' },
    distant,
    ...(room === 'kube' ? [] : [clientLibrary]),
    ...(known.has('mind/parts') && blindToAffect.rooms.includes(room) ? [affectPart] : []),
    ...(pure ? [builtins] : []),
    ...(pure && room !== 'contract' ? [heavyLibraries] : []),
    ...(packageOf(room) !== 'mind' && room !== 'agent-pod/parts' ? [partInternals] : []),
    ...(known.has('journal') && room !== 'journal' ? [journalInternals] : []),
  ];
}

const imports = (patterns) => ({ 'no-restricted-imports': error({ patterns }) });

const filesOf = (room) => `**/${directoryOf(room)}**`;

const purityOf = (room) => (packageOf(room) === 'mind' ? portablePurity : purity);

const roomRules = Object.entries(rooms).map(([room, { pure }]) => ({
  files: [filesOf(room)],
  rules: { ...imports(roomPatterns(room)), ...(pure ? purityOf(room) : {}) },
}));

const blindModules = Object.entries(blindToAffect.modules).map(([room, modules]) => ({
  files: modules.map((module) => `**/${directoryOf(room)}${module}.ts`),
  rules: imports([...roomPatterns(room), affectPart]),
}));

const otherImports = [
  ...blindModules,
  {
    files: Object.keys(roots).map((name) => `**/${sources[name]}/*.ts`),
    rules: imports([clientLibrary, distant, partInternals, journalInternals]),
  },
  {
    files: ['**/contract/src/std/sha256-node.ts'],
    rules: imports([{ group: ['*', '!node:crypto'], message: 'sha256-node.ts stands on node:crypto alone.' }]),
  },
];

const off = (...rules) => Object.fromEntries(rules.map((rule) => [rule, 'off']));

const exemptions = [
  /** The clock of the machine: the one module of the contract that is not pure. Thinking may not import it. */
  {
    files: ['**/contract/src/std/system-clock.ts', '**/contract/src/std/node-http.ts'],
    rules: off('no-restricted-globals', 'no-restricted-imports'),
  },
  /** The library of moments takes and gives dates; the module makes each from a number, and reads no clock. */
  { files: ['**/contract/src/schedule/moments.ts'], rules: off('no-restricted-globals') },
  {
    files: [
      '**/config.ts',
      '.ci/**',
      'scripts/**',
      'bench/**',
      'test/support/**',
      'test/chaos/**',
      'test/local-model/**',
    ],
    rules: off('node/no-process-env'),
  },
  {
    files: ['**/cli/src/output.ts', 'scripts/**', 'bench/**', 'test/chaos/**', 'test/integration/**'],
    rules: off('no-console'),
  },
  /** The type that zod infers is the point of a schema's function. */
  { files: ['**/contract/src/api/**'], rules: off('typescript/explicit-module-boundary-types') },
  /** Loaded by their path. */
  { files: ['*.config.*', '.ci/each-test.mjs'], rules: off('import/no-default-export') },
  { files: ['*.config.mjs', 'scripts/*.mjs'], rules: off('typescript/explicit-module-boundary-types') },
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

export default {
  plugins: ['typescript', 'import', 'node', 'unicorn', 'promise'],
  categories: { correctness: 'error' },
  env: { es2024: true, node: true },
  rules: everywhere,
  overrides: [...roomRules, ...otherImports, ...exemptions],
};
