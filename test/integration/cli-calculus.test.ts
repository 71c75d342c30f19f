/** `retainer calculus`: the real program. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { examplesPath, retainer, type Ended } from '../support/retainer-command.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const bundled = join(examplesPath, 'character.yaml');
const golden = (name: string): string => join(repositoryRoot, 'test/golden/calculus', name);
const clerk = golden('paper-character.yaml');

afterAll(() => root.remove());

async function judge(character: string, forecasts: unknown, ...flags: readonly string[]): Promise<Ended> {
  const file = join(root.path, 'forecasts.json');
  await writeFile(file, JSON.stringify(forecasts));
  return retainer('calculus', 'judge', character, file, ...flags);
}

const caseOf = (...magnitudes: readonly number[]): unknown => {
  const features = ['unsourced_claim', 'accuracy', 'certainty_overstatement', 'privacy_leak'];
  const forecasts = magnitudes.map((magnitude, at) => ({ feature: features[at], magnitude }));
  return { gate: 'output', cases: [{ name: 'only', forecasts }] };
};

interface Told {
  readonly pairs: readonly { readonly user: string; readonly system: string; readonly rule: string }[];
  readonly rules: readonly { readonly id: string; readonly pairs: number }[];
}

describe('retainer calculus', () => {
  it('prints the table, as text and with every pair by name', async () => {
    const [text, table, json] = await Promise.all([
      retainer('calculus'),
      retainer('calculus', 'table'),
      retainer('calculus', '-o', 'json'),
    ]);
    expect([text.code, table.code, json.code]).toEqual([0, 0, 0]);
    await expect(text.stdout).toMatchFileSnapshot(golden('table.txt'));
    expect(table.stdout).toBe(text.stdout);
    const told = JSON.parse(json.stdout) as Told;
    expect(told.pairs).toHaveLength(7056);
    const counted = told.rules.map(({ id }) => told.pairs.filter((pair) => pair.rule === id).length);
    expect(counted).toEqual(told.rules.map(({ pairs }) => pairs));
    expect(told.pairs.find(({ user, system }) => user === 'Legal/Ought' && system === 'Legal/Required')).toMatchObject({
      rule: 'axiom-6.4-moral-rank',
    });
  });

  verifies('calculus:pair-told', 'resolves one pair', async () => {
    const { stdout, code } = await retainer('calculus', 'pair', 'Operational/Ought', 'Legal/Required');
    expect(code).toBe(0);
    expect(stdout).toMatch(/no +axiom-6\.6-futility[^]*yes +axiom-6\.3-moral-priority/);
    const paper = await retainer(
      'calculus',
      'pair',
      'Economic/Ought',
      'Economic/Ought',
      '--scheme',
      'Paper',
      '-o',
      'json',
    );
    expect(JSON.parse(paper.stdout)).toMatchObject({
      rule: 'equal-weight-coordinate',
      severity: 'Coordinate',
      user: { ordinal: 1500 },
    });
  });

  it.each([
    [
      ['pair', 'Legal/Must', 'Prudential/Ought'],
      /<user> operator: found "Must"[^]*<system> level: .* belongs to Paper and/,
    ],
    [
      ['pair', 'Legal/Ought', 'Legal/Ought', '--scheme', 'Mine'],
      /Allowed choices are Springdrift, Paper, TallMountain/,
    ],
    [['pears'], /pair USER SYSTEM/],
    [['judge', bundled, join(root.path, 'none.yaml')], /none\.yaml: found nothing; allowed: a forecast file/],
    [['judge', bundled, root.path], /found no file; allowed: a forecast file/],
    [['judge', join(root.path, 'none.yaml'), bundled], /found no such file or directory/],
  ])('refuses %j and says what is allowed', async (args, said) => {
    const { stdout, stderr, code } = await retainer('calculus', ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(said);
  });

  it('tells the worst verdict by its exit code', async () => {
    const codes = await Promise.all(
      ['paper', 'harm'].map((name) =>
        retainer('calculus', 'judge', golden(`${name}-character.yaml`), golden(`${name}-forecasts.yaml`)),
      ),
    );
    expect(codes.map(({ code }) => code)).toEqual([3, 3]);
    expect((await judge(clerk, caseOf(1, 1))).code).toBe(0);
    expect((await judge(clerk, caseOf(4))).code).toBe(2);
    const rejected = await judge(clerk, caseOf(1, 4), '-o', 'json');
    expect(rejected.code).toBe(3);
    expect(JSON.parse(rejected.stdout)).toMatchObject({
      judged: [{ name: 'only', judgement: { gateVerdict: 'Reject', decidedBy: 'veto-feature-floor', trail: [] } }],
    });
  });

  it('tries the norms of the bundled character, each pair in order', async () => {
    const { stdout, code } = await judge(bundled, caseOf(5, 5, 5, 5), '-o', 'json');
    expect(code).toBe(3);
    const { endeavour, judged } = JSON.parse(stdout) as {
      readonly endeavour: { readonly commitments: readonly { readonly id: string }[] };
      readonly judged: readonly {
        readonly judgement: { readonly trail: readonly { readonly commitment: string }[] };
      }[];
    };
    const ids = endeavour.commitments.map(({ id }) => id);
    expect(judged[0]?.judgement.trail.map(({ commitment }) => commitment)).toEqual([...ids, ...ids, ...ids, ...ids]);
  });

  it('judges nothing when a forecast is wrong', async () => {
    const { stdout, stderr, code } = await judge(clerk, {
      gate: 'output',
      cases: [{ name: 'x', forecasts: [{ feature: 'acuracy', magnitude: 1 }] }],
    });
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/cases\[0\]\.forecasts\[0\]\.feature: found "acuracy".*did you mean accuracy\?/);
  });
});
