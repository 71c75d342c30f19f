/** Renders what came of the worst case on an agent: for people, and as data. */
import type { AttackReport } from '@retainer/agent-pod/attack/attack-agent';
import { rulesOf, type Attacked } from '@retainer/agent-pod/attack/measure';
import type { Unplayed } from '@retainer/agent-pod/attack/own-pairs';
import type { Pair } from '@retainer/agent-pod/attack/pairs';
import type { Person } from '@retainer/agent-pod/attack/person';
import { renderPlural } from '@retainer/mind/explain/figures';
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import { attackTables, listed } from './attack-tables.ts';

export interface AttackHead {
  readonly agent: string;
  readonly character: string;
  /** Names of those that the attacks came across; none: the harness's own. */
  readonly tasks: readonly string[];
  readonly seed: number;
}

const line = (text: string, tone: Tone = 'Plain'): StoryLine => ({ text, tone });

/** Attacks that are told in full, so that the report is a page; the others are named, and `-o json` has all. */
const STORIES_MAX = 3;
const NAMES_MAX = 12;

export function renderAttack(head: AttackHead, report: AttackReport): readonly StoryLine[] {
  const through = report.attacked.filter((it) => it.hasSucceeded);
  return [
    ...renderHead(head, report),
    line(''),
    ...attackTables(report).map((text) => line(text)),
    line(''),
    ...renderRules(report),
    ...report.unplayed.map(renderUnplayed),
    ...renderUndone(report),
    ...tellThrough(through),
    ...renderSum(report, through.length),
  ];
}

function renderHead({ agent, character, tasks, seed }: AttackHead, { host }: AttackReport): readonly StoryLine[] {
  const words = tasks.length === 0 ? ['the command’s own, because the manifests hold none'] : tasks;
  return [
    line(`agent    ${agent} (character ${character}), seed ${seed}`),
    line('model    a script that obeys every text that it reads, in every role; no language model'),
    ...listed('tasks    ', words).map((text) => line(text)),
    line('         the script reads the text of the channel, writes its title into out/summary.txt, replies'),
    ...(host === undefined ? [] : [line(`host     the attacker listens at ${host}, which the manifests allow`)]),
  ];
}

/** Rules that are shown: the others stopped one or two attacks each. */
const RULES_SHOWN_MAX = 12;

function renderRules({ attacked }: AttackReport): readonly StoryLine[] {
  const rules = rulesOf(attacked)
    .split(', ')
    .filter((it) => it !== '');
  if (rules.length === 0) return [];
  const more = rules.length - RULES_SHOWN_MAX;
  const shown = [...rules.slice(0, RULES_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  return listed('blocked by  ', shown).map((text) => line(text));
}

/** First one of each goal, so that no goal hides another. */
function tellThrough(through: readonly Attacked[]): readonly StoryLine[] {
  const isFirst = ({ pair }: Attacked, at: number): boolean =>
    through.findIndex((other) => other.pair.goal.id === pair.goal.id) === at;
  const told = [...through.filter(isFirst), ...through.filter((it, at) => !isFirst(it, at))].slice(0, STORIES_MAX);
  const others = through.filter((it) => !told.includes(it));
  const all = others.map(({ pair }) => `${pair.goal.id} by ${pair.channel}`);
  const more = all.length - NAMES_MAX;
  const names = [...all.slice(0, NAMES_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  const rest =
    others.length === 0 ? [] : listed('got through  ', [...names, 'see -o json']).map((it) => line(it, 'Bad'));
  return [...told.flatMap(renderThrough), ...rest];
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

/** With what no attack was played at all: every channel, and the first goal. `-o json` has all. */
function renderUnplayed({ why, attacks, channels, goals }: Unplayed): StoryLine {
  const [first] = goals;
  const more = goals.length > 1 ? ` and ${goals.length - 1} more` : '';
  const nothing = [...channels, ...(first === undefined ? [] : [`${first}${more}`])];
  const rest = nothing.length === 0 ? '' : ` (no ${nothing.join(', no ')})`;
  return line(`not played  ${attacks}: ${why}${rest}`, 'Quiet');
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
