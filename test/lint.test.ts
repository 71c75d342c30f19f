/**
 * The lint rules that carry the architecture, proved on planted faults: `npm run lint` leaves `test/lint-fixtures` out,
 * this test lints nothing else, with the same configuration.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lintConfig } from '../scripts/lint-config.ts';
import { journalEntrances, layers, operatorLayers } from '../scripts/layers.ts';
import type { Layer } from '../scripts/layers.ts';

const root = join(import.meta.dirname, '..');
const fixtures = join(import.meta.dirname, 'lint-fixtures');

interface LintReport {
  readonly diagnostics: readonly { readonly filename: string; readonly code: string; readonly message: string }[];
  readonly number_of_files: number;
}

/** @param directory  absolute; overrides match by `**` globs, so they hold here as they do below the packages */
function lint(directory: string, ...options: readonly string[]): LintReport {
  const run = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--config', join(root, '.oxlintrc.json'), '--format', 'json', ...options, directory],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(run.stdout);
}

const sources = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

describe('the lint configuration', () => {
  it('is what scripts/lint-config.ts writes', () => {
    expect(readFileSync(join(root, '.oxlintrc.json'), 'utf8'), 'run npm run gen').toBe(lintConfig());
  });

  it('has a layer for every folder of agent-pod that holds a module', () => {
    const folders = new Set(
      sources(join(root, 'agent-pod/src'))
        .filter((path) => path.includes('/'))
        .map((path) => path.split('/')[0]),
    );
    expect(folders.size).toBeGreaterThan(0);
    expect([...folders].filter((folder) => folder === undefined || !(folder in layers))).toEqual([]);
  });

  it('has a layer for every folder of the operator that holds a module', () => {
    const folders = sources(join(root, 'operator/src'))
      .filter((path) => path.includes('/'))
      .map((path) => path.split('/')[0] ?? '');
    expect(folders.length).toBeGreaterThan(0);
    expect([...new Set(folders)].filter((folder) => !(folder in operatorLayers))).toEqual([]);
  });

  it('knows every folder inside a layer', () => {
    const inner = sources(join(root, 'agent-pod/src'))
      .filter((path) => path.split('/').length > 2)
      .map((path) => dirname(path));
    const known = Object.entries<Layer>(layers).flatMap(([folder, { nested }]) =>
      (nested ?? []).map((name) => `${folder}/${name}`),
    );
    expect([...new Set(inner)].toSorted()).toEqual(known.toSorted());
  });

  it('counts the modules of the product among those it lints', () => {
    expect(lint(join(root, 'contract/src')).number_of_files).toBeGreaterThan(0);
    expect(lint(join(root, 'agent-pod/src')).number_of_files).toBeGreaterThan(0);
  });
});

describe('a planted fault', () => {
  const report = lint(fixtures, '--type-aware');
  const found = report.diagnostics.map(({ filename, code }) => ({
    path: relative(fixtures, join(root, filename)),
    code,
  }));
  const cases = sources(fixtures).map((path) => {
    const [, rule] = /^\/\/ Violates ([\w()-]+):/.exec(readFileSync(join(fixtures, path), 'utf8')) ?? [];
    return {
      path,
      name: rule ?? 'clean',
      rules: rule === undefined ? [] : [rule.includes('(') ? rule : `eslint(${rule})`],
    };
  });

  it('is looked for in every fixture', () => {
    expect(report.number_of_files).toBe(cases.length);
    expect(cases.filter(({ rules }) => rules.length > 0).length).toBeGreaterThan(30);
    expect(cases.filter(({ rules }) => rules.length === 0).length).toBeGreaterThan(3);
  });

  it.each(cases)('$path: $name and nothing else', ({ path, rules }) => {
    expect(found.filter((it) => it.path === path).map(({ code }) => code)).toEqual(rules);
  });
});

/** Every import that one folder could make of another, as a value and as a type, against the table in scripts/layers.ts. */
describe('the layers', () => {
  const directory = mkdtempSync(join(tmpdir(), 'retainer-layers-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const folders = Object.keys(layers);
  const entrance = (folder: string): string => (folder === 'journal' ? journalEntrances[0] : 'some-module');
  const pairs = folders.flatMap((from) =>
    folders.filter((to) => to !== from).flatMap((to) => [`${from} value ${to}`, `${from} type ${to}`]),
  );
  const excepted = Object.entries<Layer>(layers).flatMap(([from, { modules }]) =>
    (modules ?? []).map((module) => ({ from, module })),
  );

  for (const pair of pairs) {
    const [from = '', kind = '', to = ''] = pair.split(' ');
    const file = join(directory, 'agent-pod/src', from, `imports-${kind}-of-${to}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    const clause = kind === 'type' ? 'import type { A }' : 'import { A }';
    const use = kind === 'type' ? 'export type B = A;' : 'export const b = [A];';
    writeFileSync(file, `${clause} from '../${to}/${entrance(to)}.ts';\n\n${use}\n`);
  }
  for (const { from, module } of excepted) {
    const file = join(directory, 'agent-pod/src', from, `imports-${module.replaceAll('/', '-')}.ts`);
    writeFileSync(file, `import { A } from '../${module}.ts';\n\nexport const b = [A];\n`);
  }
  const report = lint(directory);

  function allowed(pair: string): boolean {
    const [from = '', kind, to = ''] = pair.split(' ');
    const layer = (layers as Readonly<Record<string, Layer>>)[from];
    if (layer === undefined) return false;
    return layer.values.includes(to) || (kind === 'type' && layer.types.includes(to));
  }

  it('are all linted', () => {
    expect(report.number_of_files).toBe(pairs.length + excepted.length);
  });

  it('let through exactly the imports of the table', () => {
    const refused = new Set(
      report.diagnostics.map(({ filename }) => {
        const [, from, kind, to] = /src\/(\w+)\/imports-(value|type)-of-(\w+)\.ts$/.exec(filename) ?? [];
        return to === undefined ? filename : `${from} ${kind} ${to}`;
      }),
    );
    expect(pairs.filter((pair) => !refused.has(pair))).toEqual(pairs.filter(allowed));
    expect([...refused].filter((pair) => !pairs.includes(pair))).toEqual([]);
  });
});
