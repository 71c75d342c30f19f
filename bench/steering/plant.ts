/** The world that all arms work in: it sees tool and target, and nothing else. */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { chance } from './chance.ts';
import { criteriaOf, pairOf, type Candidate, type Hidden, type Part, type SimulatedTask } from './generate-task.ts';

/** What a caller sees, and how many of the part's criteria it truly shows, which nobody is told. */
export interface PlantAnswer extends Pick<ToolCallRecord, 'output'> {
  readonly status: 'Ok' | 'Error' | 'TimedOut';
  readonly shows: number;
}

const timedOut: PlantAnswer = { status: 'TimedOut', output: 'connection timed out', shows: 0 };
const notThere: PlantAnswer = { status: 'Error', output: 'no such entry: it does not exist', shows: 0 };

/** Calls of a pair that shows the rest later, after which it does. */
const LATER_RATIO = 0.5;

function right({ sought = '' }: Part, shows: number): PlantAnswer {
  return { status: 'Ok', output: `the value that was sought ${sought}`, shows };
}

function ofSomethingElse({ sought = '' }: Part, isDecoy: boolean): PlantAnswer {
  return { status: 'Ok', output: `a value of something else ${isDecoy ? sought : ''}`, shows: 0 };
}

export class Plant {
  readonly #task: SimulatedTask;
  readonly #calls = new Map<string, number>();
  /** Names of the parts that were truly done. */
  readonly #done = new Set<string>();

  constructor(task: SimulatedTask) {
    this.#task = task;
  }

  /** The n-th call of a pair meets the same in every arm. */
  call(candidate: Candidate & { readonly part: Part }): PlantAnswer {
    const pair = pairOf(candidate);
    const { part } = candidate;
    const behind = this.#task.hidden.get(pair);
    if (behind === undefined) return notThere;
    const number = (this.#calls.get(pair) ?? 0) + 1;
    this.#calls.set(pair, number);
    if (chance(this.#task.seed, pair, number) < behind.flakeRatio) return timedOut;
    if (part.needs !== undefined && !this.#done.has(part.needs)) return notThere;
    const shows = this.#shows(part, behind, number);
    if (shows === criteriaOf(part).length) this.#done.add(part.name);
    if (shows > 0) return right(part, shows);
    const isOfSomethingElse = (behind.kind === 'WrongTool') !== behind.misleads;
    return isOfSomethingElse ? ofSomethingElse(part, behind.isDecoy === true) : notThere;
  }

  #shows(part: Part, { kind, half }: Hidden, number: number): number {
    const all = criteriaOf(part).length;
    if (kind === 'Works' && half === undefined) return all;
    if (half === undefined || all === 1) return 0;
    const isLater = half === 'AtFirst' && number > 1;
    return isLater && chance(this.#task.seed, part.name, 'later', number) < LATER_RATIO ? all : 1;
  }
}
