/**
 * The life cycle once without faults, as what every disturbed course must come to, and single steps of it with faults.
 *
 * A step begins with a fresh operator in the very state in which the undisturbed course began it, so that each fault costs one
 * step and not a whole life.
 */
import { WORD_HOLD_MS } from '../../../operator/src/status/agent/change-hold.ts';
import type { ApiRequest } from '../fake-api-server/api-request.ts';
import { memberAt } from '../fake-api-server/json.ts';
import { LIFE_CYCLE, type LifeStep } from './life-cycle.ts';
import { OperatorWorld, type SavedWorld } from './operator-world.ts';
import { differences, stateOf, type WorldState } from './world-state.ts';

/** More than any step takes. */
const STEP_MS_MAX = 120_000;
/**
 * For what is done later on purpose: held conditions, documents that are no longer used, the operator's slow loops. All steps
 * together stay below the time after which Jobs that ended are deleted.
 */
const QUIET_MS = WORD_HOLD_MS + 1000;

export interface RecordedStep {
  readonly step: LifeStep;
  /** Where it began. */
  readonly before: SavedWorld;
  /** Where it ended. */
  readonly after: WorldState;
  /** Calls of the operator from the act on, without Leases and watches. */
  readonly calls: number;
  /** Events sent to the operator from the act on. */
  readonly events: number;
}

/** Calls that a step is about: a Lease is renewed by the time, whatever happens. */
export function isStepCall({ verb, served, user }: ApiRequest): boolean {
  return user.startsWith('operator-') && verb !== 'watch' && served?.resource.plural !== 'leases';
}

/** @returns the step of each index; an index that is none is a mistake of the test */
export async function recordLifeCycle(): Promise<(index: number) => RecordedStep> {
  const recorded: RecordedStep[] = [];
  let saved = await worldAtBegin();
  for (const step of LIFE_CYCLE) {
    const world = await stepWorld(saved);
    let calls = 0;
    let events = 0;
    world.server.faults.onRequest((request) => {
      if (isStepCall(request)) calls += 1;
      return undefined;
    });
    world.server.faults.onEvent(() => {
      events += 1;
      return undefined;
    });
    step.act(world);
    const tookMs = await world.until(() => step.isDone(world), STEP_MS_MAX);
    if (tookMs === undefined) throw new Error(`without any fault the operator does not "${step.name}"`);
    await world.pass(QUIET_MS);
    recorded.push({ step, before: saved, after: stateOf(world.server), calls, events });
    saved = world.save();
    await world.close();
  }
  return (index) => {
    const step = recorded[index];
    if (step === undefined) throw new Error(`no step ${index} was recorded`);
    return step;
  };
}

async function worldAtBegin(): Promise<SavedWorld> {
  const world = new OperatorWorld();
  await world.open();
  world.startOperator();
  await world.untilLeading();
  const saved = world.save();
  await world.close();
  return saved;
}

/** A world with an operator that leads and rests. Whoever opens it closes it. */
export async function stepWorld(saved: SavedWorld): Promise<OperatorWorld> {
  const world = new OperatorWorld({}, saved);
  await world.open();
  world.startOperator();
  await world.untilLeading();
  return world;
}

export interface StepFault {
  /** Called when the operator leads and rests, before people act. */
  readonly disturb: (world: OperatorWorld) => void;
  /** Virtual time from the act to the state that the undisturbed course came to. */
  readonly withinMs: number;
}

export interface StepResult {
  /** Undefined: it never came to the same state. */
  readonly tookMs: number | undefined;
  /** What was not the same in the end. */
  readonly left: readonly string[];
  /** Claims that an operator deleted. */
  readonly claimsDeleted: number;
  /** Deletes without uid and resource version. */
  readonly blindDeletes: readonly string[];
  readonly world: OperatorWorld;
}

/** One step with a fault. An operator that was killed is followed by another one at once. */
export async function disturbedStep(
  { step, before, after }: RecordedStep,
  { disturb, withinMs }: StepFault,
): Promise<StepResult> {
  const world = await stepWorld(before);
  disturb(world);
  step.act(world);
  const isSame = (): boolean => {
    if (world.life === undefined) world.startOperator();
    return step.isDone(world) && differences(after, stateOf(world.server)).length === 0;
  };
  const tookMs = await world.until(isSame, withinMs);
  const left = tookMs === undefined ? differences(after, stateOf(world.server)) : [];
  await world.close();
  return { tookMs, left, claimsDeleted: claimsDeleted(world), blindDeletes: blindDeletes(world), world };
}

function claimsDeleted({ server }: OperatorWorld): number {
  return server.store.history.filter(
    ({ type, served, user }) =>
      type === 'DELETED' && served.resource.plural === 'persistentvolumeclaims' && user.startsWith('operator-'),
  ).length;
}

function blindDeletes({ requests }: OperatorWorld): readonly string[] {
  return requests
    .filter(({ verb }) => verb === 'delete' || verb === 'deletecollection')
    .filter(
      ({ body }) =>
        memberAt(body, 'preconditions.uid') === undefined ||
        memberAt(body, 'preconditions.resourceVersion') === undefined,
    )
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}
