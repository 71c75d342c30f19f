/**
 * The real program, killed while an ended run is archived: 100 times (4 in a check). The model of the Archivist is slow here, so that
 * most of a life is archiving. Each Task writes a file of its own: one that was there before needs the leave of a person.
 */
import { describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { archivistRules, toldCase } from '../support/archivist.ts';
import { life, plainAgent, recordsByRun, taskOf, writeManifests } from '../support/killed-life.ts';
import { oneStepRule } from '../support/runs.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const killsWanted = bySize({ check: 4, nightly: 100 });
/** Lives, killed or not, until so many kills have met an archiving; a test that is not done by then has lost its way. */
const livesMax = 20 * killsWanted;
const neverMs = 300_000;
const tasks = ['first', 'second', 'third'];
/** Milliseconds: each answer of the Archivist takes that long. */
const slowMs = 400;

const manifests = `${plainAgent}${tasks
  .map((name) => `${taskOf(name)}  intent: "Write the note called ${name}."`)
  .join('\n')}
`;

const script = `
version: 1
rules:
  - name: the Archivist is slow
    when: {role: archivist}
    fault: {kind: Fail, failure: RateLimited, retryAfterMs: ${slowMs}, times: 1}
${archivistRules({ prose: 'The note is written.', rest: toldCase })}
${oneStepRule}
  - name: write
    when: {role: executor, turn: 1, task: 'the note called (?P<name>\\w+)'}
    answer: {calls: [{tool: write_file, input: {path: '{{task.name}}.md', content: A note.}}]}
  - name: done
    when: {role: executor}
    answer: {text: The note is written.}
`;

/** Runs whose archiving is open in the record. */
async function openArchives(directory: string): Promise<number> {
  const archives = await recordsByRun(directory, ['archive']);
  return [...archives.values()].filter(({ ArchiveClosed = 0 }) => ArchiveClosed === 0).length;
}

/** One data directory until all its runs are archived. @returns how many kills met an archiving */
async function killedLives(
  directory: string,
  random: Seeded,
  lifeMs: number,
): Promise<{ kills: number; lives: number }> {
  for (let [kills, lives] = [0, 1]; ; lives += 1) {
    const { code, output } = await life(directory, 100 + random.below(lifeMs));
    if (code !== undefined) {
      expect(code, output).toBe(0);
      return { kills, lives };
    }
    if ((await openArchives(directory).catch(() => 0)) > 0) kills += 1;
  }
}

describe('the program, killed while it archives', () => {
  verifies(
    'memory:archived-once',
    `${killsWanted} times: each run has one entry, one reflection, one thread and one case`,
    async () => {
      const seed = testSeed;
      const random = new Seeded(seed);
      const lifeMs = await inTemporaryDirectory(async (directory) => {
        await writeManifests(directory, manifests, script);
        const start = performance.now();
        expect((await life(directory, neverMs)).code).toBe(0);
        return performance.now() - start;
      });
      let [kills, lives] = [0, 0];
      while (kills < killsWanted) {
        expect(lives, `seed ${seed}: ${kills} kills in ${lives} lives`).toBeLessThan(livesMax);
        await inTemporaryDirectory(async (directory) => {
          await writeManifests(directory, manifests, script);
          const ended = await killedLives(directory, random, lifeMs);
          [kills, lives] = [kills + ended.kills, lives + ended.lives];
          const remembered = await recordsByRun(directory, ['narrative', 'thread', 'case', 'archive']);
          const once = { RunRemembered: 1, RunReflected: 1, ThreadJoined: 1, CaseWritten: 1, ArchiveConcluded: 1 };
          for (const [runId, counts] of remembered) expect(counts, `${runId}, seed ${seed}`).toMatchObject(once);
          expect([...remembered.keys()], `seed ${seed}`).toHaveLength(tasks.length);
        });
      }
      console.log(`      ${kills} kills while archiving, in ${lives} lives, seed ${seed}`);
    },
    limitMs(1_000_000, 5),
  );
});
