/** Worlds that a way of steering was not made for, judges that err, and whether what it says of its chances comes true. */
import { bySize } from '../bench-size.ts';
import type { ArmResult, ControlChange } from './arms.ts';
import { chance } from './chance.ts';
import { generateDependentTask } from './generate-dependent-task.ts';
import { generateMixedTask } from './generate-mixed-task.ts';
import { canBeDone, generateTask, type Judge, type SimulatedTask } from './generate-task.ts';
import { mean, playAll, table, type Played } from './report.ts';

export interface SimulatedWorld {
  readonly name: string;
  readonly tasks: readonly SimulatedTask[];
}

const TASKS = bySize({ smoke: 2, full: 200 });

function worldOf(which: string, make: (seed: number) => SimulatedTask, from: number): SimulatedWorld {
  const tasks = Array.from({ length: TASKS }, (_, at) => make(from + at));
  return { name: `${which} world, seeds ${from} to ${from + TASKS - 1}`, tasks };
}

/** The first seeds of the first two are those that the work was done with; nothing was chosen by the others. */
export const WORLDS: readonly SimulatedWorld[] = [
  worldOf('first', generateTask, 0),
  worldOf('first', generateTask, 1000),
  worldOf('second', generateMixedTask, 0),
  worldOf('second', generateMixedTask, 3000),
  worldOf('third', generateDependentTask, 7000),
];

/** The three rules alone: nothing but tokens and time ends a run. */
const RULES: ControlChange = {
  profile: 'Hardened',
  maxReplans: 16,
  timeBudget: '10m',
  worseningRoundsMax: 16,
  thresholds: { theta: 1, delta: 0 },
};

const ways: readonly (readonly [name: string, change: ControlChange])[] = [
  ['Spec', { profile: 'Spec' }],
  ['Hardened', { profile: 'Hardened' }],
  ['Rules', RULES],
  ['Evidence', { profile: 'Evidence' }],
];

interface WayRow {
  readonly name: string;
  readonly played: readonly Played[];
}

export function playWorld({ tasks }: SimulatedWorld): readonly WayRow[] {
  return ways.map(([name, change]) => ({ name, played: playAll('Steering', tasks, change) }));
}

/** Each way beside `Rules`, task by task, and the fifths of what `Evidence` said. */
export function worldTable(rows: readonly WayRow[]): readonly string[] {
  const rules = rows.find((it) => it.name === 'Rules')?.played ?? [];
  const lines = rows.map(({ name, played }) => {
    const [more, fewer] = [betterThan(played, rules), betterThan(rules, played)];
    return [name, ...figures(played), `${more} : ${fewer}`, signTest(more, fewer).toFixed(2)];
  });
  const head = ['arm', 'accepted of those that can be done', 'near enough', 'falsely accepted', 'rounds', 'tokens'];
  const evidence = rows.find((it) => it.name === 'Evidence')?.played ?? [];
  return [
    ...table([...head, 'only it : only Rules', 'sign test'], lines),
    '',
    ...table(['said by Evidence', 'cases', 'mean said', 'came true'], [...fifths(runClaims(evidence), 'run')]),
    '',
    ...table(['said by Evidence', 'cases', 'mean said', 'came true'], [...fifths(optionClaims(evidence), 'choice')]),
  ];
}

function figures(played: readonly Played[]): readonly (string | number)[] {
  const results = played.map((it) => it.result);
  return [
    `${results.filter(isAccepted).length} of ${played.filter((it) => canBeDone(it.task)).length}`,
    results.filter((it) => it.outcome === 'NearEnough').length,
    results.filter((it) => it.isFalseAccept).length,
    mean(results.map((it) => it.rounds.length)).toFixed(2),
    `${(mean(results.map((it) => it.tokens)) / 1000).toFixed(1)} k`,
  ];
}

function isAccepted({ outcome, isFalseAccept }: ArmResult): boolean {
  return outcome === 'Accepted' && !isFalseAccept;
}

function betterThan(a: readonly Played[], b: readonly Played[]): number {
  return a.filter(({ result }, at) => {
    const other = b[at];
    return isAccepted(result) && other !== undefined && !isAccepted(other.result);
  }).length;
}

/** Two-sided: how often equals would differ by as much or more. */
function signTest(a: number, b: number): number {
  const all = a + b;
  let [term, tail] = [0.5 ** all, 0];
  for (let k = 0; k <= Math.min(a, b); k += 1) {
    tail += term;
    term *= (all - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}

interface Claim {
  readonly said: number;
  readonly isTrue: boolean;
}

/** That all is done in the end, at each round that went on. */
function runClaims(played: readonly Played[]): readonly Claim[] {
  return played.flatMap(({ result }) =>
    result.rounds.flatMap(({ steered: { explanation } }) => {
      const { evidence, override } = explanation;
      const isOver = evidence === undefined || override !== undefined;
      return isOver ? [] : [{ said: evidence.chance, isTrue: result.outcome === 'Accepted' }];
    }),
  );
}

/** That the next round of a part succeeds, for the choice that the planner took. */
function optionClaims(played: readonly Played[]): readonly Claim[] {
  return played.flatMap(({ result: { rounds } }) =>
    rounds.flatMap(({ steered: { explanation } }, at) =>
      (explanation.parts ?? []).flatMap(({ criteria, options, avoid }) => {
        const next = rounds[at + 1]?.attempts.find((it) => criteria.includes(it.step.part.criterion));
        if (next === undefined) return [];
        const known = [...options, ...avoid];
        const fits = (option: (typeof options)[number], name: 'tool' | 'target'): boolean =>
          option[name] === undefined
            ? !known.some((it) => it[name] === next.step[name])
            : option[name] === next.step[name];
        const taken = options.find((it) => fits(it, 'tool') && fits(it, 'target'));
        return taken?.chance === undefined ? [] : [{ said: taken.chance, isTrue: next.isRight }];
      }),
    ),
  );
}

const FIFTHS = 5;

function fifths(claims: readonly Claim[], what: string): readonly (readonly (string | number)[])[] {
  return Array.from({ length: FIFTHS }, (_, at) => {
    const own = claims.filter((it) => Math.min(FIFTHS - 1, Math.floor(it.said * FIFTHS)) === at);
    const cells =
      own.length === 0
        ? ['–', '–']
        : [mean(own.map((it) => it.said)).toFixed(2), mean(own.map((it) => Number(it.isTrue))).toFixed(2)];
    return [`${what}, ${(at / FIFTHS).toFixed(1)} to ${((at + 1) / FIFTHS).toFixed(1)}`, own.length, ...cells];
  });
}

/** How often a step's judge errs. The judge of the whole says yes to everything, as it does elsewhere. */
const judges: readonly Judge[] = [
  { falseYes: 0, falseNo: 0 },
  { falseYes: 0.05, falseNo: 0.05 },
  { falseYes: 0.15, falseNo: 0.05 },
];

/** What the criteria name, so that code can look for it; and a wrong result may name it as well. */
const wordings = [
  { name: 'names nothing', worded: (task: SimulatedTask) => task },
  { name: 'names what is sought', worded: withNames },
];

/** Wrong results that name what was sought. */
const DECOY_RATIO = 0.2;

/** The same task, with criteria that name what is sought. */
export function withNames(task: SimulatedTask): SimulatedTask {
  const parts = task.parts.map((part) => {
    const sought = `amber-${part.name.toLowerCase()}`;
    return { ...part, sought, criterion: `Part ${part.name} shows "${sought}"` };
  });
  const hidden = [...task.hidden].map(
    ([pair, it]) => [pair, { ...it, isDecoy: chance(task.seed, 'decoy', pair) < DECOY_RATIO }] as const,
  );
  return { ...task, parts, hidden: new Map(hidden) };
}

/** What the arms accept, and how much of it is false. */
export function judgeTable(tasks: readonly SimulatedTask[]): readonly string[] {
  const lines = judges.flatMap((judge) =>
    wordings.flatMap(({ name, worded }) => {
      const judged = tasks.map((task) => ({ ...worded(task), judge }));
      const arms = [
        ...ways.map(([arm, change]) => ({ arm, played: playAll('Steering', judged, change) })),
        ...(['Retry', 'Next', 'None'] as const).map((arm) => ({ arm, played: playAll(arm, judged) })),
      ];
      return arms.map(({ arm, played }) => [judge.falseYes, judge.falseNo, name, arm, ...judgedFigures(played)]);
    }),
  );
  return table(['false yes', 'false no', 'a criterion', 'arm', 'accepted', 'falsely', 'rightly', 'tokens'], lines);
}

function judgedFigures(played: readonly Played[]): readonly (string | number)[] {
  const results = played.map((it) => it.result);
  const said = results.filter((it) => it.outcome === 'Accepted').length;
  const falsely = results.filter((it) => it.isFalseAccept).length;
  return [said, falsely, said - falsely, `${(mean(results.map((it) => it.tokens)) / 1000).toFixed(1)} k`];
}
