/**
 * Row 19 with the effects that exist: the real program is killed 200 times (6 in a check), at random moments, and goes on from
 * its record.
 *
 * One life is one data directory: it is started and killed until its Tasks are done, then the next begins. Each step of the work
 * adds one line to a log in the workspace, so that an effect that is lost or done twice can be counted where it happened.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { inTemporaryDirectory } from '../support/agents.ts';
import { archivistRules, toldCase } from '../support/archivist.ts';
import { life, plainAgent, recordsByRun, taskOf, writeManifests } from '../support/killed-life.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const killsWanted = bySize({ check: 6, nightly: 200 });
/** Where the fault is planted. */
const plantedKillsMax = 20;
/** Enough for 200 kills with some to spare; a test that is not done by then has lost its way. */
const livesMax = 120;
/** Kills come within this share of an undisturbed life: past the start, mostly before the end. */
const killWithinRatio = 0.9;
/** After so many kills of one life they come twice as late, and so on: a machine that has become slow still gets to the work. */
const patienceKills = 6;
/** Longer than any life. */
const neverMs = 300_000;
const steps = [1, 2, 3, 4];
const tasks = ['first', 'second'];

const manifests = `${plainAgent}  limits: {turnsPerCycle: 200, toolCallsPerCycle: 1000, consecutiveErrors: 20, wallClockPerCycle: 30m}
${tasks
  .map(
    (name) => `${taskOf(name)}  intent: "Do the work called ${name}, in ${name}.log."
  successCriteria: [{text: The work is in the log}]
  budget: {wallClock: 30m}`,
  )
  .join('\n')}
`;

/** Step N is done by one line in the log; what became unknown is looked up in the log before anything else is done. */
const lookingAfter = `
  - name: look after an unknown result
    when: {role: executor, task: 'called (?P<name>\\w+)', last: {text: '\\[unknown\\]'}}
    answer: {calls: [{tool: bash, input: {script: 'touch {{task.name}}.log; echo looked; sort {{task.name}}.log | uniq | tail -1'}}]}`;

/** @param careful  rules for a result that is unknown; without them it is the planted fault: the step is done again */
const scriptWith = (careful: string): string => `
version: 1
rules:${archivistRules({ prose: 'The log has all steps.', rest: toldCase })}${oneStepRule}${citingRule}${careful}
${steps
  .map(
    (step) => `  - name: after step ${step}
    when: {role: executor, task: 'called (?P<name>\\w+)', last: {text: '(?m)^{{STEP}} ${step}$'}}
    answer: ${
      step === steps.length
        ? "{text: 'All steps of {{task.name}} are done.'}"
        : `{calls: [{tool: bash, input: {script: 'echo "step ${step + 1}" >> {{task.name}}.log; echo "step ${step + 1}"'}}]}`
    }`,
  )
  .join('\n')
  .replaceAll('{{STEP}}', 'step')}
  - name: first step, or none yet
    when: {role: executor, task: 'called (?P<name>\\w+)'}
    answer: {calls: [{tool: bash, input: {script: 'echo "step 1" >> {{task.name}}.log; echo "step 1"'}}]}
`;

/** How long this machine takes, so that kills fall into the work on a slow one as on a fast one. */
async function undisturbedLifeMs(): Promise<number> {
  return inTemporaryDirectory(async (directory) => {
    await writeManifests(directory, manifests, scriptWith(lookingAfter));
    const start = performance.now();
    const { code, output } = await life(directory, neverMs);
    expect(code, output).toBe(0);
    await expectWholeLife(directory);
    return performance.now() - start;
  });
}

async function expectWholeLife(directory: string): Promise<void> {
  for (const name of tasks) {
    const log = await readFile(join(directory, 'data', 'workspace', `${name}.log`), 'utf8');
    expect(log.trim().split('\n')).toEqual(steps.map((step) => `step ${step}`));
  }
  const deliveries = (await readdir(join(directory, 'data', 'outbox'))).filter((it) => it.endsWith('.json'));
  expect(deliveries).toHaveLength(tasks.length);
  for (const file of deliveries) {
    expect(JSON.parse(await readFile(join(directory, 'data', 'outbox', file), 'utf8'))).toMatchObject({
      body: { outcome: 'Accepted' },
    });
  }
  const remembered = await recordsByRun(directory, ['narrative', 'thread', 'case']);
  const once = { RunRemembered: 1, RunReflected: 1, ThreadJoined: 1, CaseWritten: 1 };
  expect(remembered.size).toBe(tasks.length);
  for (const counts of remembered.values()) expect(counts).toMatchObject(once);
}

interface Killing {
  readonly lifeMs: number;
  readonly random: Seeded;
  /** After so many the life may end in peace. */
  readonly killsMax: number;
}

/** One life to its end. @returns how often it was killed, the exit code at the end, and what was said then */
async function killedLife(
  directory: string,
  { lifeMs, random, killsMax }: Killing,
): Promise<{ readonly kills: number; readonly code: number; readonly output: string }> {
  for (let kills = 0; ; kills += 1) {
    // From the first moments of the start to well into the work.
    const withinMs = lifeMs * killWithinRatio * (1 + kills / patienceKills);
    const { code, output } = await life(directory, kills < killsMax ? 100 + random.below(withinMs) : neverMs);
    if (code !== undefined) return { kills, code, output };
  }
}

describe('the program, killed', () => {
  verifies(
    'loop:killed-and-resumed',
    `${killsWanted} times at random moments: nothing is lost, nothing is done or delivered twice`,
    async () => {
      const seed = testSeed;
      const random = new Seeded(seed);
      const lifeMs = await undisturbedLifeMs();
      let kills = 0;
      let lives = 0;
      while (kills < killsWanted) {
        expect(lives, `seed ${seed}: ${kills} kills in ${lives} lives`).toBeLessThan(livesMax);
        lives += 1;
        await inTemporaryDirectory(async (directory) => {
          await writeManifests(directory, manifests, scriptWith(lookingAfter));
          const ended = await killedLife(directory, { lifeMs, random, killsMax: killsWanted - kills });
          expect(ended.code, `seed ${seed}, life ${lives}\n${ended.output}`).toBe(0);
          kills += ended.kills;
          await expectWholeLife(directory);
        });
      }
      console.log(`      ${kills} kills in ${lives} lives, seed ${seed}`);
    },
    limitMs(1_000_000, 5),
  );

  it(
    `is found to do a step twice within ${plantedKillsMax} kills where it is told to do again what is unknown`,
    async () => {
      const random = new Seeded(1);
      const lifeMs = await undisturbedLifeMs();
      let isFound = false;
      for (let kills = 0; kills < plantedKillsMax && !isFound;) {
        await inTemporaryDirectory(async (directory) => {
          await writeManifests(directory, manifests, scriptWith(''));
          kills += (await killedLife(directory, { lifeMs, random, killsMax: plantedKillsMax - kills })).kills;
          isFound = await expectWholeLife(directory).then(
            () => false,
            () => true,
          );
        });
      }
      expect(isFound).toBe(true);
    },
    limitMs(600_000, 5),
  );

  it('leaves no process of a killed life behind', async () => {
    const running = await readdir('/proc');
    const orphans = [];
    for (const id of running.filter((it) => /^\d+$/.test(it))) {
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('retainer-test-') && command.includes('bwrap')) orphans.push(command);
    }
    expect(orphans).toEqual([]);
  });
});
