/**
 * Row 18: each leaf of each kind's spec is changed to something valid, to a boundary, to nothing, to something wrong, and taken away.
 * Every change is refused at admission or judged within five seconds; nothing crashes; what runs goes on running; and after a
 * change everything is as if it had been so from the beginning.
 */
import { beforeAll, describe, expect } from 'vitest';
import { ANNOTATIONS, KINDS, type KindName } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { TEXT_HOLD_MS } from '../../operator/src/status/agent/change-hold.ts';
import { memberAt, type Json } from '../support/fake-api-server/json.ts';
import { ApiRefusal } from '../support/fake-api-server/refusal.ts';
import { holds } from '../support/operator-world/life-cycle.ts';
import { stepWorld } from '../support/operator-world/life-cycle-run.ts';
import { OperatorWorld, type SavedWorld } from '../support/operator-world/operator-world.ts';
import { changedSpec, leavesOf, MANNERS, type Leaf, type Manner } from '../support/operator-world/spec-changes.ts';
import { agent, character, NAMESPACE, sandboxRun, skill, task } from '../support/operator-world/world-objects.ts';
import { differences, stateOf, type WorldState } from '../support/operator-world/world-state.ts';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Changes in all. In a check each leaf meets one of the five manners, in a long run all. */
const CHANGES_MAX = isNightly ? 10_000 : 0;
/** Every so many changes, the object is compared with one that was so from the beginning: that is a world more. */
const FRESH_STRIDE = isNightly ? 1 : 3;
/** Changes one after the other in one world. */
const CHAIN_LENGTH = 10;
const JUDGED_MS = 5000;
/** Until nothing of a status is held any more but counts. */
const HELD_MS = TEXT_HOLD_MS + 1000;
/** Real time for all changes of one kind: each is a world of its own beside the one that is changed. */
const KIND_MS_MAX = 1_200_000;

const SUBJECTS: Readonly<Record<KindName, { readonly resource: Resource; readonly base: KubeObject }>> = {
  Agent: { resource: resources.agents, base: agent() },
  Task: { resource: resources.tasks, base: task() },
  Skill: { resource: resources.skills, base: skill() },
  CharacterSpec: { resource: resources.characterSpecs, base: character() },
  SandboxRun: { resource: resources.sandboxRuns, base: sandboxRun() },
};
/** Leaves of an Agent that are sizes of volumes. */
const SIZES: ReadonlySet<string> = new Set(['storage', 'auditorStorage']);
/** Kinds whose objects are changed in place; of the others nearly nothing may change, so each change is a new object. */
const CHANGEABLE: ReadonlySet<KindName> = new Set(['Agent', 'Skill', 'CharacterSpec']);

interface Change {
  readonly leaf: Leaf;
  readonly manner: Manner;
}

/** Each leaf with one manner, then each with the next one, up to the share of this kind. */
function changesOf(kind: KindName): readonly Change[] {
  const leaves = leavesOf(kind);
  const all = KINDS.reduce((sum, each) => sum + leavesOf(each).length, 0);
  const share = Math.max(leaves.length, Math.floor((CHANGES_MAX * leaves.length) / all));
  return MANNERS.flatMap((_, round) =>
    leaves.map((leaf, index) => ({ leaf, manner: MANNERS[(index + round) % MANNERS.length] ?? 'valid' })),
  ).slice(0, share);
}

/** A volume that has grown stays so, and the next change would be a refused shrink: nothing follows it in its world. */
function chainsOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const chains: Change[][] = [];
  let current: Change[] = [];
  for (const change of changes) {
    if (current.length === 0) chains.push(current);
    current.push(change);
    if (current.length === CHAIN_LENGTH || SIZES.has(change.leaf.path.at(-1) ?? '')) current = [];
  }
  return chains;
}

function textOf({ leaf, manner }: Change): string {
  return `${leaf.kind} ${leaf.path.join('.')} ${manner}`;
}

/**
 * What a volume once was made with stays so: claims, and what names them. So does the policy of the canary, once code was to run
 * in its namespace. What the test itself wrote, how often something was made before, and in which order conditions came, differs
 * by how the test went about it.
 */
function asIfFresh(state: WorldState): WorldState {
  const lasting = [...state].filter(([address]) => !/^PersistentVolumeClaim|\/retainer-canary$/.test(address));
  return new Map(lasting.map(([address, object]) => [address, withoutHistory(object)]));
}

function withoutHistory(object: Json): Json {
  const { uid: _uid, managedFields, annotations, ...metadata } = object['metadata'] as Json;
  const owners = (managedFields as readonly string[]).filter((entry) => !entry.includes('"manager":"test"'));
  const { volumeClaimTemplates: claims, ...spec } = (object['spec'] ?? {}) as Json;
  const { [ANNOTATIONS.appliedHash]: hash, ...others } = (annotations ?? {}) as Json;
  // The hash is also that of the templates.
  const told = claims === undefined ? { ...others, [ANNOTATIONS.appliedHash]: hash } : others;
  const kept = { ...object, spec, metadata: { ...metadata, annotations: told, managedFields: owners } };
  const conditions = memberAt(object, 'status.conditions') as readonly Json[] | undefined;
  if (conditions === undefined) return kept;
  const sorted = conditions.toSorted((a, b) => String(a['type']).localeCompare(String(b['type'])));
  return { ...kept, status: { ...(object['status'] as Json), conditions: sorted } };
}

describe('an operator under any change', () => {
  /** With a character, a skill and an agent that works. */
  let working: SavedWorld;
  /** The same without the object of a kind. */
  const without = new Map<KindName, SavedWorld>();

  beforeAll(async () => {
    working = await prepared(['CharacterSpec', 'Skill', 'Agent']);
    without.set('Agent', await prepared(['CharacterSpec', 'Skill']));
    without.set('Skill', await prepared(['CharacterSpec', 'Agent']));
    without.set('CharacterSpec', await prepared(['Skill', 'Agent']));
  });

  async function prepared(kinds: readonly KindName[]): Promise<SavedWorld> {
    const world = new OperatorWorld();
    await world.open();
    world.startOperator();
    await world.untilLeading();
    for (const kind of kinds) world.put(SUBJECTS[kind].resource, SUBJECTS[kind].base);
    await world.pass(JUDGED_MS);
    const saved = world.save();
    await world.close();
    return saved;
  }

  function wanted({ leaf, manner }: Change, name: string): KubeObject {
    const { base } = SUBJECTS[leaf.kind];
    const spec = changedSpec(base['spec'] as Json, leaf, manner);
    return { ...base, metadata: { ...base.metadata, name }, spec };
  }

  /** @returns whether the API server took it */
  function isTaken(world: OperatorWorld, resource: Resource, object: KubeObject): boolean {
    try {
      world.put(resource, object);
      return true;
    } catch (error) {
      if (error instanceof ApiRefusal && (error.status === 422 || error.status === 400)) return false;
      throw error;
    }
  }

  function judgedFaults(world: OperatorWorld, { leaf: { kind } }: Change, name: string): readonly string[] {
    const object = world.server.get(SUBJECTS[kind].resource, { namespace: NAMESPACE, name });
    const conditions = (memberAt(object, 'status.conditions') ?? []) as readonly Json[];
    const ready = conditions.find(({ type }) => type === 'Ready');
    const crashes = world.log.filter(({ message }) => message === 'a pass failed');
    const pod = world.server.get(resources.pods, { namespace: NAMESPACE, name: 'retainer-ada-0' });
    const isSuspended = memberAt(
      world.server.get(resources.agents, { namespace: NAMESPACE, name: 'ada' }),
      'spec.suspend',
    );
    return [
      ...(ready?.['observedGeneration'] === object?.metadata.generation
        ? []
        : [`not judged: ${JSON.stringify(ready)}`]),
      ...crashes.map((line) => `failed: ${JSON.stringify(line)}`),
      ...(pod === undefined && isSuspended !== true ? ['what ran runs no more'] : []),
    ];
  }

  /** One after another in one world, each from the one before. @returns what went wrong */
  async function chain(changes: readonly Change[], first: number): Promise<readonly string[]> {
    const world = await stepWorld(working);
    const faults: string[] = [];
    for (const [index, change] of changes.entries()) {
      const { kind } = change.leaf;
      const { resource, base } = SUBJECTS[kind];
      const isChanged = CHANGEABLE.has(kind);
      const name = isChanged ? base.metadata.name : `${base.metadata.name}-${first + index}`;
      const object = wanted(change, name);
      world.log.length = 0;
      if (!isTaken(world, resource, object)) continue;
      await world.pass(JUDGED_MS);
      const wrong = [...judgedFaults(world, change, name)];
      // A volume cannot shrink: a fresh one of that size works, and the other says what is refused.
      const isSize = SIZES.has(change.leaf.path.at(-1) ?? '');
      const isCompared = (first + index) % FRESH_STRIDE === 0;
      if (isCompared && isChanged && !isSize) wrong.push(...(await pathFaults(world, kind, object)));
      faults.push(...wrong.map((fault) => `${textOf(change)}: ${fault}`));
      taken += 1;
    }
    await world.close();
    return faults;
  }

  let taken = 0;

  /** Where the fresh one cannot work, the other goes on with its last good state, and is to be unlike. */
  async function pathFaults(world: OperatorWorld, kind: KindName, object: KubeObject): Promise<readonly string[]> {
    const saved = without.get(kind);
    if (saved === undefined) return [];
    const fresh = await stepWorld(saved);
    fresh.put(SUBJECTS[kind].resource, object);
    await fresh.pass(JUDGED_MS);
    const isWorking = holds(fresh, resources.agents, 'ada');
    const unlike = () => differences(asIfFresh(stateOf(fresh.server)), asIfFresh(stateOf(world.server)));
    // What was judged may be told in better words a little later.
    if (isWorking && unlike().length > 0) for (const one of [fresh, world]) await one.pass(HELD_MS);
    const left = isWorking ? unlike() : [];
    await fresh.close();
    return left.slice(0, 3).map((fault) => `unlike a fresh one: ${fault}`);
  }

  for (const kind of KINDS)
    verifies(
      'operator:any-change',
      kind,
      async () => {
        const changes = changesOf(kind);
        const faults: string[] = [];
        taken = 0;
        let first = 0;
        for (const one of chainsOf(changes)) {
          faults.push(...(await chain(one, first)));
          first += one.length;
        }
        process.stderr.write(`${kind}: ${leavesOf(kind).length} leaves, ${changes.length} changes, ${taken} taken\n`);
        expect(faults).toEqual([]);
      },
      KIND_MS_MAX,
    );
});
