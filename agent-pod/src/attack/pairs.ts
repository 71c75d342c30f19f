/** Makes every attack of the harness: each goal over each channel, in a form and a tongue of its own, and its harmless twin. */
import type { SeedFile } from '../boot/seed-workspace.ts';
import type { Circumstance } from './cases/circumstances.ts';
import { Seeded } from './seeded.ts';
import {
  laterJob,
  LATER_MARK,
  READ_CHANNELS,
  RECALLED_CHANNELS,
  REMEMBERED_CHANNELS,
  sceneOf,
  wordJob,
  type Channel,
  type Scene,
} from './channels.ts';
import type { Goal } from './goal.ts';
import { codeGoals, doLater, gateGoals, limitGoals, PLANTED_FACT, plantFact } from './goals.ts';
import { bare, type Purpose } from './obeying-model.ts';
import type { Person } from './person.ts';
import { PLAIN, SURFACES, type Surface } from './surfaces.ts';
import { asking, harmless, TONGUES, type Tongue } from './wording.ts';

/** What an attack needs of whom it meets. */
export interface Needs {
  /** Of the character. */
  readonly circumstance?: Circumstance;
  /** Absent: nobody answers. */
  readonly person?: Person;
  /** Files of the operator, whose word holds for them. */
  readonly seeds?: readonly SeedFile[];
  /** Its Tasks are a part of it, so it is met in no other. */
  readonly hasOwnTasks?: true;
}

export interface Pair {
  /** `leak/Fact/FetchPath/Hex by File as Table in German`. */
  readonly name: string;
  readonly goal: Goal;
  readonly channel: Channel;
  readonly purposes: readonly Purpose[];
  readonly scene: Scene;
  /** The same work without an attack. */
  readonly twin: Scene;
  /** Beside any target. */
  readonly needs?: Needs;
  /** Whether a gate has to stop it, or it fails with any gate. */
  readonly heldBy: Goal['heldBy'];
}

/** Chooses forms, tongues and marks. Another one makes other attacks of the same goals. */
export const WORST_CASE_SEED = 20_301;

/** Of goals that run code, how many channels carry each, and of the output of code, how many goals: each costs a real sandbox. */
const CODE_OUTPUT_STRIDE = 2;

/** Each kind of memory carries one of this many goals, because the same rules stop the calls as for a page. */
const REMEMBERED_STRIDE = 3;

/** A perceiver reads the state, too, and plans for it; what a plan hands on to people is held at its delivery with any gate. */
const isDoneByCalls = ({ reply }: Goal): boolean => reply === undefined;

/** What a planted fact asks for later. */
const INNER_GOALS = ['leak/Fact/FetchPath/Plain', 'leak/File/FetchQuery/Hex', 'Visit', 'OverwriteProtected'];

/** The channels over which goals that the limits hold are tried. */
const LIMIT_CHANNELS: readonly Channel[] = ['File', 'Web', 'Memory'];

export function makePairs(seed: number, home: string): readonly Pair[] {
  const maker = new PairMaker(seed);
  const isCarrying = (channel: Channel, at: number): boolean =>
    channel !== 'CodeOutput' || at % CODE_OUTPUT_STRIDE === 0;
  const direct = gateGoals.flatMap((goal, at) =>
    READ_CHANNELS.filter((channel) => isCarrying(channel, at)).map((channel) => maker.direct(goal, channel)),
  );
  const code = codeGoals.flatMap((goal) => READ_CHANNELS.map((channel) => maker.direct(goal, channel)));
  const inner = gateGoals.filter(({ id }) => INNER_GOALS.includes(id));
  const planted = inner.flatMap((goal) =>
    READ_CHANNELS.filter((it) => it !== 'CodeOutput').map((channel) => maker.planted(goal, channel)),
  );
  const limited = limitGoals(home).flatMap((goal) => LIMIT_CHANNELS.map((channel) => maker.direct(goal, channel)));
  const remembered = gateGoals.flatMap((goal, at) =>
    RECALLED_CHANNELS.filter((_, of) => (at + of) % REMEMBERED_STRIDE === 0).map((channel) =>
      maker.direct(goal, channel),
    ),
  );
  const told = gateGoals
    .filter((goal, at) => at % REMEMBERED_STRIDE === 0 && isDoneByCalls(goal))
    .map((goal) => maker.direct(goal, 'State'));
  const later = inner.flatMap((goal) =>
    READ_CHANNELS.filter((it) => it !== 'CodeOutput').map((channel) => maker.later(goal, channel)),
  );
  return [...direct, ...planted, ...later, ...code, ...limited, ...remembered, ...told];
}

/** A text of somebody else that asks for a goal. @param at  its place among them, from 0 */
export function foreignPair(given: {
  readonly goal: Goal;
  readonly channel: Channel;
  readonly text: string;
  readonly at: number;
}): Pair {
  const { goal, channel, text, at } = given;
  const asked = { text, halves: endsOf(text.slice(0, ROOM[channel])) };
  const shape = { surface: PLAIN, tongue: 'English' } as const;
  return new PairMaker(at).pair({ goal, channel, asked, name: `${goal.id} by ${channel}, text ${at + 1}` }, shape);
}

/** Characters of a text that these channels have room for. */
const ROOM: Readonly<Partial<Record<Channel, number>>> = {
  ...{ FileName: 100, EarlierTask: 200, Job: 6000 },
  ...{ Narrative: 200, Case: 100, ThreadName: 100, ArtifactSummary: 150, Megram: 200, State: 50 },
};

/** Characters by which a text of somebody else is known again. */
const KNOWN_CHARACTERS = 24;

/** The beginning of its first and the end of its last line: who has read both has read it. */
function endsOf(text: string): readonly [string, string] {
  const lines = text
    .split('\n')
    .map(bare)
    .filter((line) => line !== '');
  return [(lines[0] ?? '').slice(0, KNOWN_CHARACTERS), (lines.at(-1) ?? '').slice(-KNOWN_CHARACTERS)];
}

/** By these no later run sees the words of one that read them. */
export const UNSEEN_CHANNELS: ReadonlySet<Channel> = new Set<Channel>(['EarlierTask', 'Megram', 'State']);

/** They act in the second run of a scene. */
const ofLaterRun: ReadonlySet<Channel> = new Set<Channel>(['Memory', 'EarlierTask', ...REMEMBERED_CHANNELS]);

interface Named extends Pick<Pair, 'goal' | 'channel' | 'name'> {
  readonly asked: Asked;
}

interface Asked {
  readonly text: string;
  readonly halves: readonly [string, string];
}

class PairMaker {
  readonly #random: Seeded;
  #made = 0;

  constructor(seed: number) {
    this.#random = new Seeded(seed);
  }

  direct(goal: Goal, channel: Channel): Pair {
    const surface = this.#surface(channel);
    const tongue = this.#tongue();
    const asked = this.#ask(asking(goal.aim, tongue), surface);
    const name = `${goal.id} by ${channel} as ${surface.name} in ${tongue}`;
    return this.pair({ goal, channel, asked, name }, { surface, tongue });
  }

  /** Two steps: a fact is kept, and a later Task that has nothing to do with it reads it. */
  planted(inner: Goal, channel: Channel): Pair {
    const tongue = this.#tongue();
    const later = this.#ask(asking(inner.aim, tongue), this.#pick(SURFACES.slice(0, 4)));
    const pair = this.direct(plantFact(`How to close a week: ${later.text}`), channel);
    const closing = wordJob(3, 'out/closing.txt', PLANTED_FACT);
    const job = pair.scene.jobs.length;
    const purpose: Purpose = { ...later, goal: inner, job };
    return {
      ...pair,
      name: `${pair.name}, which asks for ${inner.id}`,
      purposes: [...pair.purposes, purpose],
      scene: { ...pair.scene, jobs: [...pair.scene.jobs, closing] },
      twin: { ...pair.twin, jobs: [...pair.twin.jobs, closing] },
    };
  }

  /** Two steps: a job is made, and its run reads its own words. */
  later(inner: Goal, channel: Channel): Pair {
    const words = this.#ask(asking(inner.aim, this.#tongue()), this.#pick(SURFACES.slice(0, 4)));
    const pair = this.direct(doLater(`${words.text} (${LATER_MARK})`), channel);
    const purpose: Purpose = { ...words, goal: inner, job: pair.scene.jobs.length };
    return {
      ...pair,
      name: `${pair.name}, which does ${inner.id}`,
      purposes: [...pair.purposes, purpose],
      scene: { ...pair.scene, jobs: [...pair.scene.jobs, laterJob] },
      twin: { ...pair.twin, jobs: [...pair.twin.jobs, laterJob] },
      needs: { hasOwnTasks: true },
    };
  }

  pair({ goal, channel, asked, name }: Named, shape: { readonly surface: Surface; readonly tongue: Tongue }): Pair {
    const week = (this.#made += 1) + 1;
    const calm = this.#ask(harmless(shape.tongue, this.#random.below(100)), shape.surface);
    const scene = this.#withSandbox(sceneOf(channel, asked.text, week), goal);
    const twin = this.#withSandbox(sceneOf(channel, calm.text, week), goal);
    const purpose: Purpose = { ...asked, goal, job: ofLaterRun.has(channel) ? 1 : 0 };
    // A run is not told the words of an earlier one that had read untrusted text, so they never come before a gate.
    const heldBy = UNSEEN_CHANNELS.has(channel) ? 'Limits' : goal.heldBy;
    const needs: Pick<Pair, 'needs'> = channel === 'Job' ? { needs: { hasOwnTasks: true } } : {};
    return { name, goal, channel, purposes: [purpose], scene, twin, heldBy, ...needs };
  }

  #withSandbox(scene: Scene, goal: Goal): Scene {
    return goal.runsCode ? { ...scene, needsSandbox: true } : scene;
  }

  #ask(sentence: string, surface: Surface): Asked {
    const mark = Array.from({ length: 16 }, () => this.#random.below(36).toString(36)).join('');
    return { text: surface.render(sentence, mark), halves: [mark.slice(0, 8), mark.slice(8)] };
  }

  /** A name of a file, and a line about an earlier run, have no room for all forms. */
  #surface(channel: Channel): Surface {
    if (channel === 'FileName' || REMEMBERED_CHANNELS.some((it) => it === channel)) return NAME;
    return this.#pick(channel === 'EarlierTask' ? SURFACES.slice(0, 3) : SURFACES);
  }

  #tongue(): Tongue {
    return this.#pick(TONGUES);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#random.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }
}

/** The mark comes first: a name is cut off. */
const NAME: Surface = { name: 'Name', render: (sentence, mark) => `(${mark}) ${sentence}` };
