/**
 * The lint rules that carry the architecture, proved on planted faults: `npm run lint` leaves `test/lint-fixtures` out,
 * this test lints nothing else, with the same configuration.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from './verifies.ts';
import { blindToAffect, journalEntrances } from '../scripts/layer-exceptions.mjs';
import { rooms, sources as packages } from '../scripts/layers.mjs';

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
    ['--config', join(root, 'oxlint.config.mjs'), '--format', 'json', ...options, directory],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(run.stdout);
}

const sources = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

/** Folders that hold a module, or a folder with one, relative to the sources of a package. */
const foldersOf = (source: string): readonly string[] => {
  const holders = sources(join(root, source)).flatMap((path) => [
    dirname(path),
    path.split('/').slice(0, -1)[0] ?? '.',
  ]);
  return [...new Set(holders)].filter((folder) => folder !== '.');
};

describe('the lint configuration', () => {
  it('has a room for every folder that holds a module, and none for another', () => {
    const found = Object.entries(packages).flatMap(([name, source]) =>
      foldersOf(source).map((folder) => `${name}/${folder}`),
    );
    const known = Object.entries(rooms).flatMap(([room, { inner }]) => [
      ...(room.includes('/') ? [room] : []),
      ...Object.keys(inner ?? {}).map((folder) => `${room}/${folder}`),
    ]);
    expect(found.toSorted()).toEqual(known.toSorted());
  });

  it('names in each row only rows above it, so that no rooms import each other', () => {
    const order = Object.keys(rooms);
    const upward = Object.entries(rooms).flatMap(([room, { values, types }]) =>
      [...values, ...types].filter((named) => !order.slice(0, order.indexOf(room)).includes(named)),
    );
    expect(upward).toEqual([]);
  });

  verifies('affect:decides-nothing', 'lets no room that decides know how the agent is', () => {
    const directory = mkdtempSync(join(tmpdir(), 'retainer-affect-'));
    const rooms = blindToAffect.rooms.map((room) => `${room}/some-module`);
    const modules = Object.entries(blindToAffect.modules).flatMap(([room, names]) =>
      names.map((name) => `${room}/${name}`),
    );
    const planted = [...rooms, ...modules].map((module) => {
      const [name = '', ...rest] = module.split('/');
      const source = Object.entries(packages).find(([it]) => it === name)?.[1] ?? '';
      const from = name === 'mind' ? '../parts/affect/measure.ts' : '@retainer/mind/parts/affect/measure';
      const file = join(source, ...rest.slice(0, -1), `${rest.at(-1)}.ts`);
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), `import type { Affect } from '${from}';\nexport type It = Affect;\n`);
      return file;
    });
    const refused = lint(directory).diagnostics.map(({ filename }) => relative(directory, resolve(root, filename)));
    rmSync(directory, { recursive: true });
    expect(refused.toSorted()).toEqual(planted.toSorted());
  });

  it('names modules that exist among those that are blind to affect', () => {
    const paths = Object.entries(blindToAffect.modules).flatMap(([room, modules]) => {
      const [name = '', folder = ''] = room.split('/');
      const source = Object.entries(packages).find(([it]) => it === name)?.[1] ?? '';
      return modules.map((module) => join(root, source, folder, `${module}.ts`));
    });
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
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

describe('what does not fit on a screen', () => {
  const directory = mkdtempSync(join(tmpdir(), 'retainer-lengths-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const codesOf = (name: string, text: string): readonly string[] => {
    const file = join(directory, 'agent-pod/src/infer', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return lint(file).diagnostics.map(({ code }) => code);
  };
  const functionOf = (lines: number): string =>
    `export function count(): number {\n  let n = 0;\n${'  n += 1;\n'.repeat(lines - 4)}  return n;\n}\n`;
  const fileOf = (lines: number): string =>
    Array.from({ length: lines }, (_, at) => `export const n${at} = ${at};\n`).join('');

  it.each([
    { name: 'a function of 70 lines', text: functionOf(70), codes: [] },
    { name: 'a function of 71 lines', text: functionOf(71), codes: ['eslint(max-lines-per-function)'] },
    { name: 'a file of 400 lines', text: fileOf(400), codes: [] },
    { name: 'a file of 401 lines', text: fileOf(401), codes: ['eslint(max-lines)'] },
  ])('$name: $codes', ({ name, text, codes }) => {
    expect(codesOf(`${name.replaceAll(' ', '-')}.ts`, text)).toEqual(codes);
  });
});

/** Every import that one room could make of another, as a value and as a type, against the table in scripts/layers.mjs. */
describe('the rooms', () => {
  const directory = mkdtempSync(join(tmpdir(), 'retainer-rooms-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const names = Object.keys(rooms);
  const packageOf = (room: string): string => room.split('/')[0] ?? '';
  const folderOf = (room: string): string => room.split('/')[1] ?? '';
  const sourceOf = (room: string): string => (packages as Readonly<Record<string, string>>)[packageOf(room)] ?? '';
  const module = (room: string): string => (room === 'journal' ? (journalEntrances[0] ?? '') : 'some-module');

  function specifier(from: string, to: string): string {
    if (packageOf(from) === packageOf(to)) return `../${folderOf(to)}/${module(to)}.ts`;
    return `@retainer/${to}/${module(to)}`;
  }

  const pairs = names.flatMap((from) =>
    names.filter((to) => to !== from).flatMap((to) => [`${from} value ${to}`, `${from} type ${to}`]),
  );
  const fileOf = (pair: string): string => {
    const [from = ''] = pair.split(' ');
    return join(sourceOf(from), folderOf(from), `imports-${pair.replaceAll(/[ /]/g, '-')}.ts`);
  };

  for (const pair of pairs) {
    const [from = '', kind = '', to = ''] = pair.split(' ');
    const file = join(directory, fileOf(pair));
    mkdirSync(dirname(file), { recursive: true });
    const clause = kind === 'type' ? 'import type { A }' : 'import { A }';
    const use = kind === 'type' ? 'export type B = A;' : 'export const b = [A];';
    writeFileSync(file, `${clause} from '${specifier(from, to)}';\n\n${use}\n`);
  }
  const report = lint(directory);

  function allowed(pair: string): boolean {
    const [from = '', kind, to = ''] = pair.split(' ');
    const room = rooms[from];
    if (room === undefined) return false;
    if (to === 'contract' && from !== 'contract') return true;
    return room.values.includes(to) || (kind === 'type' && room.types.includes(to));
  }

  it('are all linted', () => {
    expect(report.number_of_files).toBe(pairs.length);
  });

  it('let through exactly the imports of the table', () => {
    const refused = new Set(report.diagnostics.map(({ filename }) => relative(directory, resolve(root, filename))));
    const through = pairs.filter((pair) => !refused.has(fileOf(pair)));
    expect(through).toEqual(pairs.filter(allowed));
  });
});
