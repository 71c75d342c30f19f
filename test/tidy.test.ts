/**
 * The rules of the house that no linter knows: where things are, how they are called, what the repository may hold.
 *
 * Source: aesthetics 3.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { architecturePage } from '../scripts/architecture.ts';
import { recordedSample } from '../scripts/sample.ts';
import { directoryOf, rooms } from '../scripts/layers.mjs';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';

const sizeBytesMax = 1024 * 1024;
/** Data that no smaller file could hold. */
const largeFiles = new Set(['agent-pod/words/glove-6b-100d-50k.bin']);
const linesMax = 400;

const paths = repositoryFiles().map((path) => relative(repositoryRoot, path));
const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

/** The rules' own words would be found in these. */
const aboutTheRules = new Set(['test/tidy.test.ts', 'package-lock.json']);
const isText = (path: string): boolean =>
  /(^|\/)(\.ci\/run|Dockerfile|LICENSE)$|\.(ts|mts|js|mjs|json|md|ya?ml|sh|go|svg|csv|txt|toml|xsd)$/.test(path);
const texts = paths.filter(
  (path) => isText(path) && !aboutTheRules.has(path) && !path.startsWith('test/lint-fixtures/'),
);
const code = texts.filter((path) => /\.(ts|mjs|js)$/.test(path));
const sources = code.filter((path) => /^(packages\/)?[\w-]+\/src\//.test(path) && !path.endsWith('.test.ts'));

/** Who may import `node:fs`, and which files are meant. Below the journal's directory nobody but the first writes. */
const fileUsers: Readonly<Record<string, string>> = {
  'packages/journal/src/': 'the record',
  'agent-pod/src/audit/': "the auditor's own directory; the journal is read only",
  'agent-pod/src/backup/': 'the second copy of the data directory',
  'agent-pod/src/boot/': 'what the operator mounted, and the last word of a container',
  'agent-pod/src/bus/tap-socket.ts': 'a socket that the auditor sees messages on',
  'agent-pod/src/deliver/': 'replies',
  'agent-pod/src/http/volume-proof.ts': 'a file that proves that the volume takes a write',
  'agent-pod/src/infer/vector-cache.ts': 'vectors that can be asked for again',
  'agent-pod/src/input/': 'commands that other programs leave',
  'agent-pod/src/loop/projection-cache.ts': 'a cache that can be deleted at any time',
  'agent-pod/src/open-agent.ts': 'the directories of an agent',
  'agent-pod/src/boot/seed-workspace.ts': 'files that a workspace begins with',
  'agent-pod/src/review/springdrift-files.ts': 'logs of another system',
  'agent-pod/src/parts/mail/approval-codes.ts': 'the key of approvals by mail',
  'agent-pod/src/sandbox/': 'results of scripts',
  'agent-pod/src/tools/': 'the workspace',
  'agent-pod/src/upkeep/': 'how full the volume is',
  'packages/kube/src/': 'what the kubelet mounts to let a pod in',
  'operator/src/http/': 'certificates that the kubelet mounts',
  'operator/src/egress-proxy/': "the operator's public key, which the kubelet mounts",
  'sandbox-runner/src/': 'the files that code works on',
  'agent-pod/src/attack/': 'worlds of their own, in a temporary directory',
  'cli/src/': 'manifests, where data directories are',
};

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Lines of the files that the pattern matches, so that a failure says where to go. */
function find(pattern: RegExp, among: readonly string[]): readonly Finding[] {
  return among.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((text, index) =>
        pattern.test(text) ? [{ path, line: index + 1, text: text.trim().slice(0, 160) }] : [],
      ),
  );
}

/** What a link names the headings of a document by, as GitHub and most viewers make it of their text. */
function headingsOf(path: string): ReadonlySet<string> {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase());
  return new Set(headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

const isComment = (line: string): boolean => /^(\/\/|\/?\*)/.test(line.trim());

describe('the tree', () => {
  it('is found at all', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it('has no file over 1 MiB but the table of words', () => {
    const large = paths.filter((path) => statSync(join(repositoryRoot, path)).size > sizeBytesMax);
    expect(new Set(large)).toEqual(largeFiles);
  });

  it('has no source file over 400 lines', () => {
    const long = code.filter((path) => !path.endsWith('.test.ts') && read(path).split('\n').length > linesMax);
    expect(long).toEqual([]);
  });

  it('has no drawer for odds and ends', () => {
    const drawer = /(^|[/.-])(utils?|helpers?|common|misc|managers?|services?|base)([/.-]|$)/;
    expect(code.filter((path) => drawer.test(path))).toEqual([]);
  });

  it('names files in kebab-case', () => {
    expect(code.filter((path) => !/^\.?[a-z0-9]+([.-][a-z0-9]+)*$/.test(basename(path)))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('has the tables of rooms and concepts as they are now', () => {
    expect(read('docs/architecture.md'), 'run npm run gen').toBe(architecturePage());
  });

  it('explains at most 45 words, each once', () => {
    const [, glossary = ''] = /\n## Glossary\n(.*?)\n## /s.exec(read('docs/architecture.md')) ?? [];
    const words = [...glossary.matchAll(/^\| (?!word \|)([^|]+) \| \S/gm)].map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(0);
    expect(words.length).toBeLessThanOrEqual(45);
    expect(words).toEqual([...new Set(words)].toSorted());
  });
});

describe('README.md', () => {
  const readme = read('README.md');

  it('is read in one sitting: 130 lines, 40 of them a sample', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(130);
    const sample = recordedSample();
    expect(sample).toMatch(/^ACCEPTED /m);
    expect(sample.split('\n').length).toBeLessThanOrEqual(40);
  });
});

describe('the documents', () => {
  const documents = paths.filter((path) => path.endsWith('.md') && !path.startsWith('test/cluster/'));

  it('name only files that exist', () => {
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|mjs|json|yaml|md))`/g)].map(([, file = '']) => ({
        path,
        file,
      })),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ file }) => !paths.includes(file))).toEqual([]);
  });

  it('link only to files that exist', () => {
    const links = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => ({ path, target })),
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(({ path, target }) => !paths.includes(join(dirname(path), target)))).toEqual([]);
  });

  it('link only to headings that exist', () => {
    const links = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, target = '', heading = '']) => ({
        path: target === '' ? path : join(dirname(path), target),
        heading,
        from: path,
      })),
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(({ path, heading }) => !headingsOf(path).has(heading))).toEqual([]);
  });

  it('tell a user of gates what to know in 1,500 words', () => {
    expect(read('docs/gates.md').trim().split(/\s+/).length).toBeLessThanOrEqual(1500);
  });
});

describe('the code', () => {
  it('reads the environment in config.ts only', () => {
    const readers = sources.filter((path) => basename(path) !== 'config.ts');
    expect(find(/process\.env|process\[|from 'node:process'/, readers)).toEqual([]);
  });

  it('reaches a tool in the chokepoint only', () => {
    const others = sources.filter((path) => path !== 'agent-pod/src/tools/execute.ts');
    expect(find(/registry\.tool\(|\btool\.(run|lookup)\b/, others)).toEqual([]);
    expect(find(/\btool\.run\(/, ['agent-pod/src/tools/execute.ts'])).toHaveLength(1);
  });

  it('opens a journal for writing in three places only', () => {
    const openers = new Set([
      'agent-pod/src/open-stores.ts',
      'agent-pod/src/audit/head-record.ts',
      'agent-pod/src/backup/mark-restored.ts',
    ]);
    const others = sources.filter((path) => !openers.has(path) && !path.startsWith('packages/journal/src/'));
    expect(find(/\bopenJournal\b/, others)).toEqual([]);
  });

  it('touches files only where a folder exists for it', () => {
    const strangers = sources.filter((path) => !Object.keys(fileUsers).some((known) => path.startsWith(known)));
    expect(find(/from 'node:fs/, strangers)).toEqual([]);
  });

  it('neither waits nor promises in a pure folder', () => {
    // The contract holds the interface of a clock, and the clock of the machine.
    const pure = Object.entries(rooms).flatMap(([room, { pure: isPure }]) =>
      isPure && room !== 'contract' ? [directoryOf(room)] : [],
    );
    const thinking = sources.filter((path) => pure.some((folder) => path.startsWith(folder)));
    expect(thinking.length).toBeGreaterThan(0);
    const waiting = find(/\basync\b|\bawait\b|\bPromise</, thinking);
    expect(waiting.filter(({ text }) => !isComment(text))).toEqual([]);
  });

  it('says what file a relative import means', () => {
    const relativeImport = /(?:from|import) '(\.{1,2}\/[^']+)'/;
    expect(find(relativeImport, code).filter(({ text }) => !/\.(ts|mjs|js|json)'/.test(text))).toEqual([]);
  });

  it('has no reminder without a number', () => {
    expect(find(/\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/, texts)).toEqual([]);
  });

  it('names a constant in capitals', () => {
    expect(find(/^(export )?const [a-z]\w* = (-?\d[\d_.]*( [*/+-] [\w.]+)*|'[^']*');/, sources)).toEqual([]);
  });

  it('disables a lint rule only with its reason beside it', () => {
    expect(find(/\/[/*] ?(oxlint|eslint)-disable(?!.* -- \S)/, code)).toEqual([]);
  });

  it('logs constant messages, with values in fields of their own, by the one log of all programs', () => {
    const programs = sources.filter((path) => /^(agent-pod|operator)\//.test(path));
    expect(find(/level: .*'(debug|info|warn|error)'.*, message(?!: ')/, programs)).toEqual([]);
    expect(find(/std(out|err)\.write\(.*JSON\.stringify|console\.(log|warn|error)\(/, programs)).toEqual([]);
  });

  it('skips or focuses no test by hand', () => {
    const tests = code.filter((path) => path.endsWith('.test.ts'));
    expect(find(/\b(it|describe|test)\.(only|skip|todo)\(/, tests)).toEqual([]);
  });
});

describe('the repository', () => {
  it('holds no path of one machine', () => {
    expect(find(/(^|[\s'"`(=])\/(work|farm|Users)\//, texts)).toEqual([]);
    expect(texts.filter((path) => read(path).includes(`${repositoryRoot}/`))).toEqual([]);
  });

  it('holds no address of a package registry', () => {
    const registry = /https?:\/\/[\w.-]*(registry|artifactory|nexus|verdaccio|goproxy)[\w.-]*/;
    expect(find(registry, [...texts, 'package-lock.json', '.npmrc'])).toEqual([]);
    expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/);
  });
});
