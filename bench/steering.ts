/**
 * Whether steering helps: `npm run bench:steering`.
 *
 * 200 tasks that go wrong in known ways, met by steering, by the same plan again, by the next plan whatever the reason, and by
 * nothing. Everything comes from the seeds; time is virtual.
 *
 * Source: artoo D.
 */
import { bySize } from './bench-size.ts';
import { BUDGET } from './steering/arms.ts';
import { generateTask } from './steering/generate-task.ts';
import { judgeTable, playWorld, WORLDS, worldTable } from './steering/worlds.ts';
import {
  armTable,
  confusionTable,
  killSwitch,
  killSwitchTable,
  playArms,
  PROFILES,
  sweepTable,
} from './steering/report.ts';

/** From seed 0 on. */
const TASKS = bySize({ smoke: 2, full: 200 });

/** Each is played in four ways, of which some take ten times as many rounds. */
const PLAYED_WORLDS = bySize({ smoke: 1, full: WORLDS.length });

/** Of the sweep: every mode as often as every other, and all of it in a minute. */
const SWEPT_TASKS = bySize({ smoke: 1, full: 100 });

/** Under each of three judges and in two wordings, by seven arms. */
const JUDGED_TASKS = bySize({ smoke: 1, full: 60 });

function section(title: string, lines: readonly string[]): void {
  console.log(`\n${title}\n\n${lines.join('\n')}`);
}

const tasks = Array.from({ length: TASKS }, (_, seed) => generateTask(seed));
const rows = playArms(tasks);
const steered = PROFILES.map((profile, at) => ({ profile, played: rows[at]?.played ?? [] }));
const budget = `${BUDGET.tokens / 1000} k tokens and ${BUDGET.ms / 1000} s`;
section(`Arms: seeds 0 to ${TASKS - 1}, each with ${budget}`, armTable(rows));
for (const { profile, played } of steered) section(`Directive against true cause, ${profile}`, confusionTable(played));
const switches = steered.map(({ profile, played }) => ({ name: profile, found: killSwitch(played, { profile }) }));
section('Kill-switch', killSwitchTable(switches));
for (const world of WORLDS.slice(0, PLAYED_WORLDS)) section(`Parts: ${world.name}`, worldTable(playWorld(world)));
const judged = Array.from({ length: JUDGED_TASKS }, (_, at) => generateTask(1000 + at));
section(`Judges that err: first world, seeds 1000 to ${999 + JUDGED_TASKS}`, judgeTable(judged));
section(`Thresholds, one at a time: seeds 0 to ${SWEPT_TASKS - 1}`, sweepTable(tasks.slice(0, SWEPT_TASKS)));
