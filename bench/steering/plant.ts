/** The world that all arms work in: it sees tool and target, and nothing else. */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { chance } from './chance.ts';
import { pairOf, type Candidate, type SimulatedTask } from './generate-task.ts';

/** What a caller sees. */
export type PlantAnswer = Pick<ToolCallRecord, 'output'> & { readonly status: 'Ok' | 'Error' | 'TimedOut' };

/** What a right call puts out, and nothing else does. */
export const RIGHT_OUTPUT = 'the value that was sought';

const answers = {
  TimedOut: { status: 'TimedOut', output: 'connection timed out' },
  Right: { status: 'Ok', output: RIGHT_OUTPUT },
  OfSomethingElse: { status: 'Ok', output: 'a value of something else' },
  NotThere: { status: 'Error', output: 'no such entry: it does not exist' },
} as const satisfies Readonly<Record<string, PlantAnswer>>;

export class Plant {
  readonly #task: SimulatedTask;
  readonly #calls = new Map<string, number>();

  constructor(task: SimulatedTask) {
    this.#task = task;
  }

  /** The n-th call of a pair meets the same in every arm. */
  call(candidate: Candidate): PlantAnswer {
    const pair = pairOf(candidate);
    const { hidden, seed } = this.#task;
    const behind = hidden.get(pair);
    if (behind === undefined) return answers.NotThere;
    const number = (this.#calls.get(pair) ?? 0) + 1;
    this.#calls.set(pair, number);
    if (chance(seed, pair, number) < behind.flakeRatio) return answers.TimedOut;
    if (behind.kind === 'Works') return answers.Right;
    const isOfSomethingElse = (behind.kind === 'WrongTool') !== behind.misleads;
    return isOfSomethingElse ? answers.OfSomethingElse : answers.NotThere;
  }
}
