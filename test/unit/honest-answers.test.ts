/** Answers of people's kind, played through whole runs: what is honest is accepted, and what is invented is not. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, manners, type Answer } from '../support/honest-answers.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { call, criterion, judged } from '../support/run-scenarios.ts';
import { liar, play } from '../support/liar.ts';
import { verifies } from '../verifies.ts';

describe('an honest answer', () => {
  verifies('verdict:honest-prose-passes', 'that counts its commands is accepted at once, and blocks nothing', () => {
    const world = play(
      liar({
        Executor: (purpose) => ({
          text: 'I used 1 short script; it took 2 commands (Python 3). The sum, 42, is in out/sum.txt.',
          calls: [
            call(purpose, {
              tool: 'run_code',
              target: 'out/sum.txt',
              output: '42\n',
              files: [{ path: 'out/sum.txt', sizeBytes: 3, sha256: '0'.repeat(64) }],
            }),
          ],
        }),
        AgentValidator: (purpose) => judged(purpose, true),
      }),
      { criteria: [criterion('out/sum.txt holds the sum')] },
    );
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.messages().filter((it) => it.type === 'CorrectionSignal')).toEqual([]);
    expect(world.concluded.unsupported).toBeUndefined();
  });

  verifies('verdict:unsupported-blocks-nothing', 'is delivered with marks behind what nothing shows', () => {
    const world = play(
      liar({
        Executor: (purpose) => ({
          text: 'The page is there. It saves its readers 4711 clicks.',
          calls: [call(purpose, { output: 'served' })],
        }),
      }),
      { criteria: [criterion('The page is served')] },
    );
    expect(world.concluded).toMatchObject({
      outcome: 'Accepted',
      summary: 'The page is there. It saves its readers 4711 [unsupported] clicks.',
      unsupported: ['4711'],
    });
    expect(world.messages().filter((it) => it.type === 'CorrectionSignal')).toEqual([]);
  });

  verifies('verdict:unsupported-blocks-nothing', 'whose figure nothing shows blames no tool and no target', () => {
    const world = play(
      liar({ Executor: (purpose) => ({ text: 'The sum is 4711.', calls: [call(purpose, { output: 'a 1, b 2' })] }) }),
      { criteria: [criterion('The sum is told')] },
    );
    expect(world.concluded.outcome).toBe('Abandoned');
    expect(world.messages().filter((it) => it.type === 'CorrectionSignal')).toHaveLength(1);
    for (const { explanation } of world.of('RoundSteered'))
      expect(explanation.blocked).toEqual({ tools: [], targets: [] });
    const classes = world.concluded.criteria.map((it) => it.failureClass);
    expect(classes).not.toContain('Logical');
  });
});

const SEED = 12;

type Asked = Pick<Answer, 'criterion' | 'output' | 'text'>;

interface Played<A extends Asked = Answer> {
  readonly answer: A;
  readonly outcome: string;
  readonly corrections: number;
  readonly unsupported: readonly string[];
}

/** With a validator that says yes to everything: for an honest answer it is a fair one. */
function played<A extends Asked>(answer: A): Played<A> {
  const { text, output } = answer;
  const world = play(liar({ Executor: (purpose) => ({ text, calls: [call(purpose, { output })] }) }), {
    criteria: [criterion(answer.criterion)],
  });
  const corrections = world.messages().filter((it) => it.type === 'CorrectionSignal').length;
  const { outcome, unsupported = [] } = world.concluded;
  return { answer, outcome, corrections, unsupported };
}

const told = ({ answer: { manner, language, text, output }, outcome, unsupported }: Played): string =>
  `${manner} (${language}) ${outcome}: ${JSON.stringify(text)} of ${JSON.stringify(output)}; ${unsupported.join(', ')}`;

const honest = answers(SEED, 6, 'Honest').map(played);
const invented = answers(SEED + 1, 2, 'Invented').map(played);

/** A row for each manner: honest ones told, accepted, corrected, with a mark; invented ones told, accepted. */
function tableOf(): string {
  const rows = [...manners.map((it) => it.name), 'all'].map((name) => {
    const own = (all: readonly Played[]): readonly Played[] =>
      all.filter((it) => name === 'all' || it.answer.manner === name);
    const [good, bad] = [own(honest), own(invented)];
    const accepted = (all: readonly Played[]): number => all.filter((it) => it.outcome === 'Accepted').length;
    const corrected = good.filter((it) => it.corrections > 0).length;
    const marked = good.filter((it) => it.unsupported.length > 0).length;
    return `| ${name} | ${good.length} | ${accepted(good)} | ${corrected} | ${marked} | ${bad.length} | ${accepted(bad)} |`;
  });
  return rows.join('\n');
}

describe('the corpus of answers', () => {
  verifies('verdict:honest-prose-passes', 'five hundred honest ones: none is abandoned, one in fifty corrected', () => {
    expect(honest.length).toBeGreaterThanOrEqual(500);
    expect(honest.filter((it) => it.outcome !== 'Accepted').map(told)).toEqual([]);
    expect(honest.filter((it) => it.corrections > 0).length).toBeLessThanOrEqual(honest.length / 50);
  });

  verifies('verdict:honest-prose-passes', 'a hundred invented ones: none is accepted', () => {
    expect(invented.length).toBeGreaterThanOrEqual(100);
    expect(invented.filter((it) => it.outcome === 'Accepted').map(told)).toEqual([]);
  });

  verifies('verdict:honest-prose-passes', 'the page has the table of today', () => {
    expect(readFileSync(join(repositoryRoot, 'docs/verdicts.md'), 'utf8')).toContain(tableOf());
  });
});

/** Written by hand, in styles that no generator has; most of them failed when they were written. */
const Gold = z.array(
  z.strictObject({
    name: z.string(),
    criterion: z.string(),
    output: z.string(),
    honest: z.string(),
    lie: z.string().exactOptional(),
  }),
);

describe('answers written by hand', () => {
  const gold = Gold.parse(JSON.parse(readFileSync(join(repositoryRoot, 'test/golden/answers.json'), 'utf8')));

  it.each(gold)('$name', ({ honest: text, lie, ...asked }) => {
    const { outcome, corrections, unsupported } = played({ ...asked, text });
    expect({ outcome, corrections, unsupported }).toEqual({ outcome: 'Accepted', corrections: 0, unsupported: [] });
    if (lie !== undefined) expect(played({ ...asked, text: lie }).outcome).not.toBe('Accepted');
  });
});
