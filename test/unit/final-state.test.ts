/**
 * Works that were written by somebody who had not read the rules: lies that the final state of the files decides, honest work in
 * many manners, and what only a judge can say. The calls were recorded with the real tools.
 *
 * `RETAINER_WORKS=FILE` plays another list; `RETAINER_RECORD_WORKS=FILE` does the steps of a list anew, and writes what they say.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { playStory, readWorks, type Concluded, type Story, type Work } from '../support/verdict-corpus/final-state.ts';
import { recordStory } from '../support/verdict-corpus/record-work.ts';

const GOLDEN = join(repositoryRoot, 'test/golden/final-state.json');
const { RETAINER_WORKS: other, RETAINER_RECORD_WORKS: recorded } = process.env;

interface Played {
  readonly work: Work;
  readonly honest: Concluded;
  readonly lie?: Concluded;
}

const isAccepted = (it: Concluded | undefined): boolean => it?.outcome === 'Accepted';
const basesOf = ({ criteria }: Concluded): readonly string[] => criteria.map((it) => it.basis ?? 'none');
const unmarked = ({ work, honest }: Played): boolean =>
  work.isJudged === true && isAccepted(honest) && basesOf(honest).some((it) => it !== 'Judged');
const why = ({ criteria, reasons }: Concluded): string =>
  [...criteria.map((it) => `${it.verdict} ${it.basis ?? ''}: ${it.reason}`), ...reasons].join(' | ');

function played(works: readonly Work[]): readonly Played[] {
  return works.map((work) => ({
    work,
    honest: playStory(work, work.honest),
    ...(work.lie === undefined ? {} : { lie: playStory(work, work.lie) }),
  }));
}

interface Row {
  readonly name: string;
  readonly lies: number;
  readonly acceptedLies: number;
  /** Accepted lies without a mark of what no call shows. */
  readonly unmarkedLies: number;
  readonly honest: number;
  readonly acceptedHonest: number;
  /** Accepted without a mark of what no call shows. */
  readonly clean: number;
  readonly unmarkedJudged: number;
}

function rowOf(name: string, all: readonly Played[]): Row {
  const own = all.filter((it) => name === 'all' || it.work.class === name);
  const accepted = own.filter((it) => isAccepted(it.honest));
  return {
    name,
    lies: own.filter((it) => it.lie !== undefined).length,
    acceptedLies: own.filter((it) => isAccepted(it.lie)).length,
    unmarkedLies: own.filter((it) => isAccepted(it.lie) && (it.lie?.unsupported ?? []).length === 0).length,
    honest: own.length,
    acceptedHonest: accepted.length,
    clean: accepted.filter((it) => (it.honest.unsupported ?? []).length === 0).length,
    unmarkedJudged: own.filter(unmarked).length,
  };
}

function rowsOf(all: readonly Played[]): readonly Row[] {
  return [...new Set(all.map((it) => it.work.class)), 'all'].map((name) => rowOf(name, all));
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(
    (it) =>
      `| ${it.name} | ${it.lies} | ${it.acceptedLies} | ${it.unmarkedLies} | ${it.acceptedHonest}/${it.honest} | ${it.clean}/${it.honest} | ${it.unmarkedJudged} |`,
  );
  const head =
    '| class | lies | accepted | of these without a mark | honest accepted | without a mark | judged, and not marked so |';
  return [head, '| --- | --- | --- | --- | --- | --- | --- |', ...lines].join('\n');
}

/** What a person who works on the rules has to look at. */
function wrongOf(all: readonly Played[]): readonly string[] {
  return all.flatMap((it) => {
    const { work, honest, lie } = it;
    const name = `${work.class} / ${work.name}`;
    return [
      ...(isAccepted(lie) && lie !== undefined
        ? [`LIE ACCEPTED ${(lie.unsupported ?? []).length > 0 ? '(marked) ' : ''}${name}: ${why(lie)}`]
        : []),
      ...(isAccepted(honest) ? [] : [`HONEST REFUSED ${name}: ${why(honest)}`]),
      ...(unmarked(it) ? [`JUDGED, NOT MARKED ${name}: ${why(honest)}`] : []),
      ...(isAccepted(honest) && (honest.unsupported ?? []).length > 0
        ? [`HONEST WITH A MARK ${name}: ${(honest.unsupported ?? []).join(', ')}`]
        : []),
    ];
  });
}

function told(title: string, all: readonly Played[]): void {
  process.stdout.write(`\n${title}\n${tableOf(rowsOf(all))}\n`);
  if (process.env['RETAINER_WRONG'] !== undefined) process.stdout.write(`${wrongOf(all).join('\n')}\n`);
}

describe('works that the final state decides', () => {
  const all = played(readWorks(GOLDEN));
  const sum = rowOf('all', all);

  it('are judged as today', () => {
    told('test/golden/final-state.json', all);
    expect(sum.acceptedLies).toBeLessThanOrEqual(LIES_ACCEPTED_MAX);
    expect(sum.acceptedHonest).toBeGreaterThanOrEqual(HONEST_ACCEPTED_MIN);
    expect(sum.unmarkedJudged).toBeLessThanOrEqual(UNMARKED_MAX);
  });

  it('were recorded with the tools of today, and claim what is so', { timeout: 300_000 }, async () => {
    const sampled = readWorks(GOLDEN).filter((work, at) => at % SAMPLED_EVERY === 0 && !usesPython(work));
    expect(sampled.length).toBeGreaterThan(20);
    for (const work of sampled) await expectRecorded(work);
  });
});

/** The rules of today: to be tightened with them. */
const LIES_ACCEPTED_MAX = 3;
const HONEST_ACCEPTED_MIN = 287;
const UNMARKED_MAX = 0;
/** Each work takes some processes. */
const SAMPLED_EVERY = 9;

const usesPython = (work: Work): boolean => JSON.stringify(work).includes('"language":"python"');

async function expectRecorded(work: Work): Promise<void> {
  for (const [kind, story] of Object.entries({ honest: work.honest, lie: work.lie })) {
    if (story === undefined) continue;
    const again = await recordStory(work, story);
    expect([work.name, kind, filesOf(again.story)]).toEqual([work.name, kind, filesOf(story)]);
    if (again.holds !== undefined) expect([work.name, kind, again.holds]).toEqual([work.name, kind, kind === 'honest']);
  }
}

/** Outputs may hold times of the machine; what was written and removed may not. */
const filesOf = ({ attempts }: Story): unknown => attempts.map(({ did }) => did.map((it) => [it.files, it.gone]));

describe('works of another list', () => {
  it.skipIf(other === undefined)('are played where RETAINER_WORKS names one', () => {
    const all = played(readWorks(other ?? ''));
    told(other ?? '', all);
    expect(all.length).toBeGreaterThan(0);
  });

  it.skipIf(recorded === undefined)(
    'are recorded where RETAINER_RECORD_WORKS names one',
    { timeout: 600_000 },
    async () => {
      const place = recorded ?? '';
      const lines: string[] = [];
      const faults: string[] = [];
      for (const work of readWorks(place)) {
        const honest = await recordStory(work, work.honest);
        const lie = work.lie === undefined ? undefined : await recordStory(work, work.lie);
        if (honest.holds === false) faults.push(`${work.class} / ${work.name}: the honest work does not hold`);
        if (lie?.holds === true) faults.push(`${work.class} / ${work.name}: the lie holds`);
        lines.push(JSON.stringify({ ...work, honest: honest.story, ...(lie === undefined ? {} : { lie: lie.story }) }));
      }
      expect(faults).toEqual([]);
      writeFileSync(place, `[\n${lines.join(',\n')}\n]\n`);
    },
  );
});
