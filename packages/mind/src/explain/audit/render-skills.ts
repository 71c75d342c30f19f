/** Renders which skills were shown in which runs. */
import { renderPlural } from '../figures.ts';
import type { StoryLine } from '../../part/story.ts';
import type { Tally } from './day-summary.ts';
import type { ShownSkill } from './skills-shown.ts';

export const NO_CAUSE =
  'A skill and the outcome of a run stand side by side here; nothing says that the one caused the other.';

export function renderSkills(skills: readonly ShownSkill[]): readonly StoryLine[] {
  if (skills.length === 0) return [{ tone: 'Plain', text: 'the agent was never configured with a skill' }];
  return [...skills.flatMap(skillLines), { tone: 'Quiet', text: NO_CAUSE }];
}

function skillLines({ name, version, runs, outcomes, others }: ShownSkill): readonly StoryLine[] {
  const shown =
    runs.length === 0 ? 'shown in no run' : `shown in ${renderPlural(runs.length, 'run')}: ${tallyText(outcomes)}`;
  const rest = tallyText(others);
  return [
    { tone: runs.length === 0 ? 'Warning' : 'Plain', text: `${name} ${version}  ${shown}` },
    ...runs.map(({ runId, outcome, cycles, inFull }): StoryLine => {
      const part = inFull ? '' : ', in some by its title alone';
      return { tone: 'Quiet', text: `  ${runId}  ${outcome}, ${renderPlural(cycles, 'cycle')}${part}` };
    }),
    ...(rest === '' ? [] : [{ tone: 'Quiet' as const, text: `  runs without it: ${rest}` }]),
  ];
}

function tallyText(tally: Tally): string {
  return Object.entries(tally)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
