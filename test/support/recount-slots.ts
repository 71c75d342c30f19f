/** The lines beside the sensorium that folds alone decide: how the agent is, what is counted, and its newest runs. */
import { fieldsOf, minute, type Moment } from './past.ts';
import { endedRuns } from './recount-runs.ts';
import { memoryCounts } from './recount-memory.ts';

const MONTH_MS = 30 * 86_400_000;

const ARROWS: Readonly<Record<string, string>> = { Rising: '↑', Falling: '↓', Stable: '↔' };

/** By the newest measurement of the last month. */
function affectLines({ past, nowMs }: Moment): readonly string[] {
  const newest = past.of('affect', 'AffectMeasured').at(-1);
  if (newest === undefined || nowMs - newest.timeMs > MONTH_MS) return [];
  const { trend, ...felt } = fieldsOf(newest)['affect'] as Readonly<Record<string, number | string>>;
  const names = ['desperation', 'calm', 'confidence', 'frustration', 'pressure'];
  return [`${names.map((name) => `${name} ${Math.round(Number(felt[name]))}%`).join(' · ')} ${ARROWS[String(trend)]}`];
}

function countLines(moment: Moment): readonly string[] {
  const { threads, cases, facts, artifacts, megrams } = memoryCounts(moment);
  const line = `${threads} threads, ${cases} cases, ${facts} facts, ${artifacts} artifacts, ${megrams} lessons`;
  return /[1-9]/.test(line) ? [line] : [];
}

function runLines({ past }: Moment): readonly string[] {
  return endedRuns(past)
    .slice(-5)
    .map(({ endedAtMs, task, outcome, tools }) => {
      const used = [...tools.keys()].slice(0, 6).join(' ');
      return `${minute(endedAtMs)} ${task}: ${outcome}${used === '' ? '' : `, with ${used}`}`;
    });
}

/** Each slot as it is where nothing is cut. */
export const recountedSlots: Readonly<Record<string, (moment: Moment) => readonly string[]>> = {
  affect: affectLines,
  counts: countLines,
  runs: runLines,
};
