/** `retainer memory bench`: the real program. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { retrievalData } from '../support/retrieval-cases.ts';
import { retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { paraphrasedIntents } from '../support/intents/paraphrased-intents.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

function file(name: string, rows: readonly unknown[]): string {
  const path = join(root.path, name);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}

interface Bench {
  readonly preset: string;
  readonly all: { readonly p4: number; readonly mrr: number; readonly p4Interval: readonly number[] };
}

async function bench(...flags: readonly string[]): Promise<Bench> {
  const { code, stdout, stderr } = await retainer('memory', 'bench', ...flags, '-o', 'json');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Bench;
}

describe('retainer memory bench', () => {
  const { cases, queries } = retrievalData(1);
  const caseFile = file(
    'cases.jsonl',
    cases.map(({ id, writtenAtMs, intent, domain, keywords, entities }) => ({
      case_id: id,
      timestamp: new Date(writtenAtMs).toISOString(),
      problem: { intent, domain, keywords, entities },
    })),
  );
  const queryFile = file(
    'queries.jsonl',
    queries.map(({ problem, relevant }, at) => ({
      query_id: `q${at}`,
      difficulty: at % 10 < 4 ? 'easy' : 'hard',
      ...problem,
      relevant_ids: [...relevant],
    })),
  );

  verifies('recall:bench', 'measures cases, and a preset by its name', async () => {
    const adaptive = await bench('--cases', caseFile, '--queries', queryFile);
    const field = await bench('--cases', caseFile, '--queries', queryFile, '--preset', 'field');
    expect(adaptive.preset).toBe('adaptive');
    expect(adaptive.all.p4).toBeGreaterThan(0.95);
    expect(field.all.p4).toBeLessThan(0.8);
    const { stdout } = await retainer('memory', 'bench', '--cases', caseFile, '--queries', queryFile);
    expect(stdout).toMatch(/^preset adaptive: 200 queries over 800 cases$/m);
    expect(stdout).toMatch(/^easy +1\.000 \(/m);
  });

  verifies('recall:paraphrase', 'finds paraphrases by the table of words, and few without it', async () => {
    const texts = file(
      'texts.jsonl',
      paraphrasedIntents.map(([wish], at) => ({ case_id: `c${at}`, problem: { user_input: wish } })),
    );
    const others = file(
      'others.jsonl',
      paraphrasedIntents.map(([, other], at) => ({ query_id: `q${at}`, text: other, relevant_ids: [`c${at}`] })),
    );
    expect((await bench('--cases', texts, '--queries', others)).all.mrr).toBeGreaterThan(0.78);
    expect((await bench('--cases', texts, '--queries', others, '--no-words')).all.mrr).toBeLessThan(0.3);
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['nothing', [], /give --cases FILE and --queries FILE, or --format/],
    ['cases alone', ['--cases', caseFile], /give --cases FILE and --queries FILE/],
    ['a file that is not there', ['--cases', 'nowhere.jsonl', '--queries', queryFile], /nowhere\.jsonl: /],
    ['queries for cases', ['--cases', queryFile, '--queries', queryFile], /queries\.jsonl:1: case_id: /],
    [
      'another preset',
      ['--cases', caseFile, '--queries', queryFile, '--preset', 'best'],
      /adaptive, paper, hybrid, index, field/,
    ],
    ['another format', ['--format', 'pdf', 'x'], /locomo, beam/],
    ['a directory without files', ['--format', 'beam', root.path], /no file there ends with chat\.json/],
  ];
  for (const [name, flags, reason] of refused)
    it(`refuses ${name} with what is wrong`, async () => {
      const { code, stdout, stderr } = await retainer('memory', 'bench', ...flags);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(reason);
    });
});

const shared = join(repositoryRoot, '../shared/data');
const published = join(shared, 'retrieval');
const page = readFileSync(join(repositoryRoot, 'docs/memory.md'), 'utf8');

describe.skipIf(!existsSync(published))('published cases (skipped where ../shared/data is not there)', () => {
  const files = ['--cases', join(published, 'cases.jsonl'), '--queries', join(published, 'queries.jsonl')];

  it.each(['adaptive', 'paper', 'hybrid', 'index', 'field'])(
    'are found by preset %s as the page says',
    async (preset) => {
      const { p4, p4Interval } = (await bench(...files, '--preset', preset)).all;
      const [from = 0, to = 0] = p4Interval;
      const told = `${p4.toFixed(3)} (${from.toFixed(3)}–${to.toFixed(3)})`;
      expect(page.split('\n').find((line) => line.startsWith(`| \`${preset}\` |`) && line.includes('| 0.'))).toContain(
        told,
      );
    },
  );

  verifies('recall:bench', 'has the two published figures to three digits, and more by its own preset', async () => {
    const of = async (preset: string): Promise<number> => (await bench(...files, '--preset', preset)).all.p4;
    expect([(await of('index')).toFixed(3), (await of('field')).toFixed(3)]).toEqual(['0.921', '0.705']);
    expect(await of('adaptive')).toBeGreaterThanOrEqual(0.965);
  });
});

const conversations = join(shared, 'recall/locomo-dev.json');

describe.skipIf(!existsSync(conversations))(
  'conversations of others (skipped where ../shared/data is not there)',
  () => {
    it('are recalled as the page says, and better than by words', async () => {
      const { stdout } = await retainer('memory', 'bench', '--format', 'locomo', conversations);
      const [own, words] = ['retainer', 'bm25'].map((ranker) => rowOf(stdout, `all, ${ranker}`));
      expect(page).toContain(`| Retainer | ${own?.text} |`);
      expect(page).toContain(`| BM25 | ${words?.text} |`);
      expect(own?.recall).toBeGreaterThanOrEqual(0.71);
      expect(own?.all).toBeGreaterThanOrEqual(0.64);
      expect(own?.recall).toBeGreaterThanOrEqual((words?.recall ?? 1) + 0.08);
      expect(own?.from).toBeGreaterThan(words?.to ?? 1);
    });
  },
);

interface BenchRow {
  /** As the page has it. */
  readonly text: string;
  readonly recall: number;
  readonly from: number;
  readonly to: number;
  readonly all: number;
}

/** Of the first table: that of turns. */
function rowOf(stdout: string, name: string): BenchRow | undefined {
  const line = stdout.split('\n').find((it) => it.startsWith(name));
  const columns = line?.slice(name.length).trim().split(/ {2,}/) ?? [];
  const figures = [...(line ?? '').matchAll(/0\.\d{3}/g)].map(([text]) => Number(text));
  const [recall = 0, from = 0, to = 0, all = 0] = figures;
  return line === undefined ? undefined : { text: columns.slice(0, 3).join(' | '), recall, from, to, all };
}
