/** What the simulation says, as tables. */
import { DIRECTIVES, type Directive } from '@retainer/contract/api/task-status';
import { ARMS, playArm, type Arm, type ArmResult, type ControlChange, type Round } from './arms.ts';
import { canBeDone, FAILURE_MODES, pairOf, type SimulatedTask } from './generate-task.ts';

export interface Played {
  readonly task: SimulatedTask;
  readonly result: ArmResult;
}

export const PROFILES = ['Spec', 'Hardened'] as const;

export function playAll(arm: Arm, tasks: readonly SimulatedTask[], change: ControlChange = {}): readonly Played[] {
  return tasks.map((task) => ({ task, result: playArm(arm, task, change) }));
}

export interface ArmRow {
  readonly name: string;
  readonly played: readonly Played[];
}

/** Every arm, the steered one in both profiles. */
export function playArms(tasks: readonly SimulatedTask[]): readonly ArmRow[] {
  return ARMS.flatMap((arm) =>
    arm === 'Steering'
      ? PROFILES.map((profile) => ({ name: `Steering, ${profile}`, played: playAll(arm, tasks, { profile }) }))
      : [{ name: arm, played: playAll(arm, tasks) }],
  );
}

/** Means are over all tasks of the row, whatever became of them. */
export function armTable(rows: readonly ArmRow[]): readonly string[] {
  const modes = ['all', ...FAILURE_MODES] as const;
  const lines = modes.flatMap((mode) =>
    rows.map(({ name, played }) => {
      const some = played.filter((it) => mode === 'all' || it.task.mode === mode);
      const results = some.map((it) => it.result);
      const count = (outcome: ArmResult['outcome']): number => results.filter((it) => it.outcome === outcome).length;
      return [
        mode,
        name,
        `${count('Accepted')} of ${some.length}`,
        count('NearEnough'),
        count('GivenUp'),
        results.filter((it) => it.isFalseAccept).length,
        mean(results.map((it) => it.rounds.length)).toFixed(2),
        `${(mean(results.map((it) => it.tokens)) / 1000).toFixed(1)} k`,
        `${(mean(results.map((it) => it.elapsedMs)) / 1000).toFixed(0)} s`,
      ];
    }),
  );
  const head = ['tasks', 'arm', 'accepted', 'near enough', 'given up', 'falsely accepted', 'rounds', 'tokens', 'time'];
  return table(head, lines);
}

const confused: readonly Directive[] = DIRECTIVES.filter((it) => it !== 'Accept');

/** What answers a cause. Nothing answers chance but the same again, which no directive says. */
const fitting: Readonly<Record<TrueCause, readonly Directive[]>> = {
  WrongTool: ['ChangeApproach', 'BreakSymmetry'],
  WrongTarget: ['Refine', 'ChangePath'],
  Chance: [],
  Refused: [],
  Infeasible: ['Abandon'],
};

/** Rounds that failed: their true cause, and what they were answered with. */
export function confusionTable(played: readonly Played[]): readonly string[] {
  const rounds = played.flatMap(({ task, result }) =>
    result.rounds.map((round) => ({ cause: trueCause(task, round), directive: round.steered.explanation.directive })),
  );
  const lines = TRUE_CAUSES.map((cause) => {
    const own = rounds.filter((it) => it.cause === cause);
    const fit = own.filter((it) => fitting[cause].includes(it.directive)).length;
    const share = fitting[cause].length === 0 || own.length === 0 ? '–' : percent(fit, own.length);
    return [cause, ...confused.map((it) => own.filter(({ directive }) => directive === it).length), share];
  });
  return table(['true cause', ...confused, 'fitting'], lines);
}

export interface KillSwitch {
  /** Rounds after the first that the gradient calls worse than the one before, and those in which more parts were missing. */
  readonly worsening: number;
  readonly trulyWorse: number;
  /** Runs that it ended. */
  readonly fired: number;
  /** Of them, those whose task could be done: false positives. */
  readonly onFeasible: number;
  readonly feasible: number;
  /** Of the false positives: those in which more parts were missing from no round to the next. */
  readonly notWorse: number;
  /** Of the false positives: those that are accepted without the switch. */
  readonly wouldBeAccepted: number;
}

/** More rounds in a row than a run has. */
const NEVER = 16;

/** Source: artoo D. */
export function killSwitch(played: readonly Played[], change: ControlChange): KillSwitch {
  const fired = played.filter(({ result }) => result.rounds.at(-1)?.steered.explanation.override === 'Worsening');
  const falsely = fired.filter(({ task }) => canBeDone(task));
  const without = falsely.map(({ task }) => playArm('Steering', task, { ...change, worseningRoundsMax: NEVER }));
  const worsening = played.flatMap(({ result: { rounds } }) =>
    rounds.flatMap((round, at) => (at > 0 && round.steered.explanation.trend === 'Worsening' ? [{ rounds, at }] : [])),
  );
  return {
    worsening: worsening.length,
    trulyWorse: worsening.filter(({ rounds, at }) => isWorse(rounds, at)).length,
    fired: fired.length,
    onFeasible: falsely.length,
    feasible: played.filter(({ task }) => canBeDone(task)).length,
    notWorse: falsely.filter(({ result: { rounds } }) => !rounds.some((_, at) => isWorse(rounds, at))).length,
    wouldBeAccepted: without.filter((it) => it.outcome === 'Accepted').length,
  };
}

/** What was kept is not tried again, so what is missing is what was tried and failed. */
function isWorse(rounds: readonly Round[], at: number): boolean {
  const missing = (round: Round | undefined): number => (round?.attempts ?? []).filter((it) => !it.isRight).length;
  return at > 0 && missing(rounds[at]) > missing(rounds[at - 1]);
}

export function killSwitchTable(
  rows: readonly { readonly name: string; readonly found: KillSwitch }[],
): readonly string[] {
  const lines = rows.map(({ name, found }) => [
    name,
    found.worsening,
    found.trulyWorse,
    found.fired,
    `${found.onFeasible} of ${found.feasible} (${percent(found.onFeasible, found.feasible)})`,
    found.notWorse,
    found.wouldBeAccepted,
  ]);
  const head = [
    'profile',
    'rounds called worse',
    'in which more is missing',
    'runs ended',
    'of tasks that can be done',
    'of these, nothing got worse',
    'of these, accepted without it',
  ];
  return table(head, lines);
}

/** Small grids around the defaults, one knob at a time. */
const grid: readonly (readonly [name: string, change: Omit<ControlChange, 'profile'>])[] = [
  ['defaults', {}],
  ...[0.02, 0.05, 0.2].map((epsilon) => [`ε ${epsilon}`, { thresholds: { epsilon } }] as const),
  ...[0, 0.15, 0.5].map((delta) => [`δ ${delta}`, { thresholds: { delta } }] as const),
  ...[0.3, 0.7].map((rho) => [`ρ ${rho}`, { thresholds: { rho } }] as const),
  ...[0.6, 1].map((theta) => [`θ ${theta}`, { thresholds: { theta } }] as const),
  ['tools stay blocked', { accumulateBlockedTools: true }],
  ['6 replans', { maxReplans: 6 }],
  ['urgency', { urgency: true }],
];

export function sweepTable(tasks: readonly SimulatedTask[]): readonly string[] {
  const lines = grid.map(([name, change]) => [
    name,
    ...PROFILES.flatMap((profile) => {
      const results = playAll('Steering', tasks, { ...change, profile }).map((it) => it.result);
      const killed = results.filter((it) => it.rounds.at(-1)?.steered.explanation.override === 'Worsening');
      return [
        results.filter((it) => it.outcome === 'Accepted').length,
        results.filter((it) => it.outcome === 'NearEnough').length,
        killed.length,
        mean(results.map((it) => it.rounds.length)).toFixed(2),
        `${(mean(results.map((it) => it.tokens)) / 1000).toFixed(1)} k`,
      ];
    }),
  ]);
  const columns = ['accepted', 'near enough', 'killed', 'rounds', 'tokens'];
  return table(['change', ...PROFILES.flatMap((profile) => columns.map((it) => `${profile}: ${it}`))], lines);
}

export function table(head: readonly string[], lines: readonly (readonly (string | number)[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0) / Math.max(1, numbers.length);
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

/** Why a round of a simulated run really failed, which no role is told. */
const TRUE_CAUSES = ['WrongTool', 'WrongTarget', 'Chance', 'Refused', 'Infeasible'] as const;

/**
 * `Chance`: the pair works, and the call failed by itself. `Refused`: the step used what the round may not use.
 * `Infeasible`: no pair works.
 */
type TrueCause = (typeof TRUE_CAUSES)[number];

/** Of the first step that failed, as the directive names it; undefined where none was tried and failed. */
function trueCause({ hidden }: SimulatedTask, { attempts }: Round): TrueCause | undefined {
  const failed = attempts.find((it) => !it.isRight);
  if (failed === undefined) return undefined;
  if (!failed.step.part.canBeDone) return 'Infeasible';
  if (failed.record.refusal !== undefined) return 'Refused';
  const kind = hidden.get(pairOf(failed.step))?.kind ?? 'WrongTarget';
  return kind === 'Works' ? 'Chance' : kind;
}
