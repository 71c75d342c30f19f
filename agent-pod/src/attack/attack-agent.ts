/** The worst case played against the agent of somebody else, in the sandbox of this machine. */
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { knownTools } from '../parts/catalog.ts';
import { everyCase } from './cases/every-case.ts';
import { CHANNELS } from './channels.ts';
import { attackAll, workAll, type Attacked, type Calm } from './measure.ts';
import { keeperOf, meetingOwn, ownAgent, type OwnManifests } from './own-agent.ts';
import { choosePairs, isBelow, type Unplayed, type Wish } from './own-pairs.ts';
import { makePairs, type Pair } from './pairs.ts';
import { closeSurroundings, openSurroundings, UnplayableError, type Target } from './world.ts';

export interface AttackOptions {
  readonly manifests: OwnManifests;
  readonly seed: number;
  readonly wish: Wish;
  /** @param countMax  worlds in all: attacks, and work without one */
  readonly onPlayed: (count: number, countMax: number) => void;
  /** Begins no further world. */
  readonly signal: AbortSignal;
}

export interface AttackReport {
  readonly attacked: readonly Attacked[];
  /** Twins: one for each channel, with a harmless text in the place of the attack, and one for each attack that brings its own Tasks. */
  readonly calm: readonly Calm[];
  readonly unplayed: readonly Unplayed[];
  /** The attacker's host, if the manifests name one that data may flow to. */
  readonly host?: string;
}

/** @returns what came of it; or why nothing could be played, one sentence each */
export async function attackAgent(options: AttackOptions): Promise<Result<AttackReport, readonly string[]>> {
  const { agent, character } = options.manifests.definition;
  const gate = compileGate(character.spec, characterDigest(character.spec), knownTools, agent.spec.gates);
  if (!gate.ok) return gate;
  const unknown = whyUnknown(options.wish, everyPair(options.seed, ''));
  if (unknown !== undefined) return err([unknown]);
  try {
    return ok(await playAll(options));
  } catch (error) {
    if (error instanceof UnplayableError) return err([error.message]);
    throw error;
  }
}

function everyPair(seed: number, home: string): readonly Pair[] {
  return [...makePairs(seed, home), ...everyCase];
}

async function playAll(options: AttackOptions): Promise<AttackReport> {
  const surroundings = await openSurroundings(keeperOf(options.manifests));
  try {
    const isolation = await surroundings.sandbox.probe();
    const own = ownAgent(options.manifests, isolation.ok ? isolation.value.languages : []);
    const { pairs, twins, unplayed } = choosePairs(everyPair(options.seed, surroundings.home), own, options.wish);
    const playing = { onPlayed: counting(options, pairs.length + twins.length), signal: options.signal };
    const meeting = (pair: Pair): Target => meetingOwn(own, pair);
    const ended = await attackAll(surroundings, pairs, meeting, playing);
    const worked = await workAll(surroundings, twins, meeting, playing);
    const attacked = ended.filter((it) => it.isPlayed);
    const calm = worked.filter((it) => it.isPlayed);
    const broken = ended.length - attacked.length + worked.length - calm.length;
    const why = [
      { why: 'time or the machine ended them, so they show nothing', attacks: broken },
      { why: 'stopped', attacks: pairs.length - ended.length },
    ];
    const left = why.filter(({ attacks }) => attacks > 0).map((it) => ({ ...it, channels: [], goals: [] }));
    return { attacked, calm, unplayed: [...unplayed, ...left], ...(own.host === undefined ? {} : { host: own.host }) };
  } finally {
    await closeSurroundings(surroundings);
  }
}

function counting({ onPlayed }: AttackOptions, countMax: number): () => void {
  let count = 0;
  return () => onPlayed((count += 1), countMax);
}

/** Of an id of a goal; there are over a hundred whole ones. */
const GOAL_PARTS_SHOWN = 2;

function whyUnknown({ channel, goal }: Wish, pairs: readonly Pair[]): string | undefined {
  if (channel !== undefined && !CHANNELS.some((it) => it === channel))
    return `--channel ${channel}: unknown; use one of ${CHANNELS.join(', ')}`;
  const ids = [...new Set(pairs.map((pair) => pair.goal.id))];
  if (goal === undefined || ids.some((id) => isBelow(id, goal))) return undefined;
  const heads = new Set(ids.map((id) => id.split('/').slice(0, GOAL_PARTS_SHOWN).join('/')));
  return `--goal ${goal}: unknown; use one of ${[...heads].join(', ')}, or what -o json shows below one`;
}
