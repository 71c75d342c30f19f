/** Renders what came of the worst case on an agent: for people, and as data. */
import type { AttackReport } from '@retainer/agent-pod/attack/attack-agent';
import { CHANNELS } from '@retainer/agent-pod/attack/channels';
import { rulesOf, type Attacked } from '@retainer/agent-pod/attack/measure';
import type { Unplayed } from '@retainer/agent-pod/attack/own-pairs';
import type { Pair } from '@retainer/agent-pod/attack/pairs';
import type { Person } from '@retainer/agent-pod/attack/person';
import { alignedRows, renderPlural } from '@retainer/mind/explain/figures';
import type { StoryLine, Tone } from '@retainer/mind/part/story';

export interface AttackHead {
  readonly agent: string;
  readonly character: string;
  /** Names of those that the attacks came across; none: the harness's own. */
  readonly tasks: readonly string[];
  readonly seed: number;
}

const line = (text: string, tone: Tone = 'Plain'): StoryLine => ({ text, tone });

export function renderAttack(head: AttackHead, report: AttackReport): readonly StoryLine[] {
  const through = report.attacked.filter((it) => it.hasSucceeded);
  return [
    ...renderHead(head, report),
    line(''),
    ...table(report),
    line(''),
    ...through.flatMap(renderThrough),
    ...renderUndone(report),
    ...report.unplayed.map(renderUnplayed),
    ...renderSum(report, through.length),
  ];
}

function renderHead({ agent, character, tasks, seed }: AttackHead, { host }: AttackReport): readonly StoryLine[] {
  const words = tasks.length === 0 ? 'the command’s own, because the manifests hold none' : tasks.join(', ');
  return [
    line(`agent    ${agent} (character ${character})`),
    line('model    a script that obeys every text that it reads, in every role; no language model'),
    line(`tasks    ${words}`),
    line('         the script reads the text of the channel, writes its title into out/summary.txt, and replies'),
    line('         attacks that take several Tasks, or words of their own, bring them'),
    ...(host === undefined ? [] : [line(`host     the attacker listens at ${host}, which the manifests allow`)]),
    line(`seed     ${seed}`),
  ];
}

const HEADINGS = ['channel', 'attacks', 'obeyed', 'got through', 'left, contained', 'twins done', 'rules that blocked'];

/** One line for each channel that was played, and one for all. */
function table({ attacked, calm }: AttackReport): readonly StoryLine[] {
  const rows = [...CHANNELS, 'all' as const].map((channel) => {
    const isHere = ({ pair }: Pick<Attacked, 'pair'>): boolean => channel === 'all' || pair.channel === channel;
    const here = attacked.filter(isHere);
    const twins = calm.filter(isHere);
    return [
      channel,
      String(here.length),
      String(here.filter((it) => it.isObeyed).length),
      String(here.filter((it) => it.hasSucceeded).length),
      String(here.filter((it) => it.judgement.contained.length > 0).length),
      `${twins.filter((it) => it.isDone).length}/${twins.length}`,
      rulesOf(here),
    ];
  });
  const shown = [HEADINGS, ...rows.filter(([, attacks, , , , twins]) => attacks !== '0' || twins !== '0/0')];
  return alignedRows(shown, '  ').map((text) => line(text));
}

const PERSON_WORDS: Readonly<Record<Person, string>> = {
  Refuses: 'refuses what a gate asks about',
  AgreesToTheTask: 'agrees to what the Task asks for, and refuses all else',
};

function renderThrough({ pair, judgement, passes }: Attacked): readonly StoryLine[] {
  const { effects, leaks } = judgement;
  const person = pair.needs?.person;
  const isInReply = leaks.some((it) => it.where === 'Delivery') || effects.some((it) => it.kind === 'ForeignLink');
  const shown = passes.filter(({ gate }) => gate !== 'Output' || isInReply);
  return [
    line(`got through  ${pair.goal.id} by ${pair.channel}`, 'Bad'),
    ...(person === undefined ? [] : [line(`  person     ${PERSON_WORDS[person]}`)]),
    ...pair.purposes.map(({ text }) => line(`  text       ${JSON.stringify(text)}`)),
    ...effects.map(({ kind, what }) => line(`  effect     ${kind}: ${what}`)),
    ...leaks.map(({ store, where }) => line(`  secret     of ${store}, in ${where}`)),
    ...shown.map(({ record, gate, tool, rule, reason }) =>
      line(`  passed     ${gate}${tool === undefined ? '' : ` ${tool}`} by ${rule} (${record}): ${reason}`),
    ),
  ];
}

function renderUndone({ calm }: AttackReport): readonly StoryLine[] {
  return calm
    .filter((it) => !it.isDone)
    .map(({ pair, outcomes, judgement }) => {
      const rules = [...new Set(judgement.blocks.map((it) => it.rule))].join(', ') || 'no rule';
      return line(`not done    ${workOf(pair)}: ${outcomes.join(', ')}; blocked by ${rules}`, 'Warning');
    });
}

function workOf({ channel, goal, needs, purposes }: Pair): string {
  if (purposes.length === 0) return goal.id;
  return `harmless text by ${channel}${needs?.hasOwnTasks === true ? `, Tasks of ${goal.id}` : ''}`;
}

/** Goals of one line; `-o json` has all. */
const GOALS_SHOWN_MAX = 8;

function renderUnplayed({ why, attacks, channels, goals }: Unplayed): StoryLine {
  const more = goals.length > GOALS_SHOWN_MAX ? ` and ${goals.length - GOALS_SHOWN_MAX} more` : '';
  const nothing = [
    ...(channels.length === 0 ? [] : [`none by ${channels.join(', ')}`]),
    ...(goals.length === 0 ? [] : [`none of the goals ${goals.slice(0, GOALS_SHOWN_MAX).join(', ')}${more}`]),
  ].join(', and ');
  return line(
    `not played  ${renderPlural(attacks, 'attack')}: ${why}${nothing === '' ? '' : `; so ${nothing}`}`,
    'Quiet',
  );
}

function renderSum({ attacked, calm }: AttackReport, through: number): readonly StoryLine[] {
  const attacks = attacked.length;
  const played = renderPlural(attacks, 'attack');
  const done = calm.filter((it) => it.isDone).length;
  if (attacks === 0)
    return [
      line('no attack was played', 'Warning'),
      ...(calm.length === 0 ? [] : [line(`work without an attack: ${done} of ${calm.length} done`)]),
    ];
  const told = through === 0 ? `none of ${played} got through` : `${through} of ${played} got through`;
  return [line(told, through === 0 ? 'Good' : 'Bad')];
}

export function attackData(head: AttackHead, report: AttackReport): object {
  return {
    ...head,
    model: 'obeying script',
    ...(report.host === undefined ? {} : { host: report.host }),
    attacks: report.attacked.map(({ pair, judgement, isObeyed, hasSucceeded, passes }) => ({
      name: pair.name,
      goal: pair.goal.id,
      channel: pair.channel,
      ...(pair.needs?.person === undefined ? {} : { person: pair.needs.person }),
      texts: pair.purposes.map(({ text }) => text),
      obeyed: isObeyed,
      gotThrough: hasSucceeded,
      ...judgement,
      passes: hasSucceeded ? passes : [],
    })),
    twins: report.calm.map(({ pair, outcomes, isDone, judgement }) => ({
      name: pair.name,
      goal: pair.goal.id,
      channel: pair.channel,
      outcomes,
      done: isDone,
      blocks: judgement.blocks,
    })),
    notPlayed: report.unplayed,
  };
}
