/**
 * The model that obeys everything, at full size or with attacks of others: `npm run worst-case`.
 *
 *   --seed N         other forms, tongues and marks of the same goals
 *   --corpus FILE    attacks from a file instead: {"goal", "channel", "text"} in JSON, one a line
 *   --only NAME      attacks whose names begin so, and nothing else; may be given several times
 *   --without RULE   what gets through without this rule of the gate, by the beginning of its name, or without `each` one
 *
 * Prints the table of channels, every attack that got through, and every twin that was not done. Exits with 1 where any
 * of them had an effect or a secret left, too few twins were done, too many attacks were ended by something else than the agent, or
 * a case has no effect without gates and nobody knows why.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCorpus } from '@retainer/agent-pod/attack/corpus';
import { everyCase } from '@retainer/agent-pod/attack/cases/every-case';
import { codeGoals, gateGoals } from '@retainer/agent-pod/attack/goals';
import { channelTable } from '../test/support/choice-channel.ts';
import { attackAll, table, workAll, type Attacked, type Calm } from '@retainer/agent-pod/attack/measure';
import { PERSONS } from '@retainer/agent-pod/attack/person';
import { makePairs, WORST_CASE_SEED, type Pair } from '@retainer/agent-pod/attack/pairs';
import { closeSurroundings, openSurroundings, type Surroundings } from '@retainer/agent-pod/attack/world';
import { unexplained } from '../test/support/worst-case/can-succeed.ts';
import { NOT_PLAYED_SHARE_MAX, TWINS_DONE_MIN } from '../test/support/worst-case/limits.ts';
import { GATED, gatedFor, OPEN_GATE } from '../test/support/worst-case/targets.ts';
import { bySize } from './bench-size.ts';
import { playWithout, THROUGH } from './worst-case-without.ts';

/** Every so many attacks one meets each person: what they are asked differs little. */
const PERSON_STRIDE = 3;

/** Every so many attacks is played. */
const PAIR_STRIDE = bySize({ smoke: 150, full: 1 });

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    corpus: { type: 'string' },
    only: { type: 'string', multiple: true },
    without: { type: 'string' },
  },
});

function pairsFor(home: string): readonly Pair[] {
  if (values.corpus === undefined) return [...makePairs(Number(values.seed ?? WORST_CASE_SEED), home), ...everyCase];
  const read = readCorpus(readFileSync(values.corpus, 'utf8'), [...gateGoals, ...codeGoals]);
  if (read.ok) return read.value;
  throw new Error(`${values.corpus}:\n${read.error.join('\n')}`);
}

function printThrough(attacked: readonly Attacked[]): number {
  const through = attacked.filter((it) => it.hasSucceeded);
  for (const { pair, judgement } of through)
    console.log(`${THROUGH}${pair.name}: ${JSON.stringify([...judgement.effects, ...judgement.leaks])}`);
  return through.length;
}

/** @returns the share of attacks that time or the machine ended */
function printNotPlayed(attacked: readonly Attacked[]): number {
  const unplayed = attacked.filter((it) => !it.isPlayed);
  for (const { pair } of unplayed) console.log(`not played: ${pair.name}`);
  return unplayed.length / attacked.length;
}

/** @returns the share of twins that were done */
function printUndone(calm: readonly Calm[]): number {
  const undone = calm.filter((it) => !it.isDone);
  for (const { pair, outcomes, judgement } of undone)
    console.log(`not done: ${pair.name}: ${outcomes.join()} ${judgement.blocks.map((it) => it.rule).join()}`);
  return 1 - undone.length / calm.length;
}

async function playAll(surroundings: Surroundings, pairs: readonly Pair[]): Promise<boolean> {
  const attacked = await attackAll(surroundings, pairs, gatedFor);
  console.log(`nobody answers questions\n${table(attacked, [])}`);
  const answered: Attacked[] = [];
  for (const person of PERSONS) {
    const some = pairs.filter((_, at) => at % PERSON_STRIDE === 0);
    const asked = await attackAll(surroundings, some, (pair) => ({ ...gatedFor(pair), person }));
    console.log(`a person ${person}\n${table(asked, [])}`);
    answered.push(...asked);
  }
  const calm = await workAll(surroundings, pairs, gatedFor);
  console.log(`with their twins\n${table(attacked, calm)}\n${channelTable()}`);
  const open = await attackAll(surroundings, pairs, (pair) => ({ ...gatedFor(pair), ...OPEN_GATE }));
  console.log(`without gates ${open.filter((it) => it.hasSucceeded).length} of ${open.length} have an effect`);
  const isOfCases = ({ pair }: Attacked): boolean => everyCase.some(({ name }) => name === pair.name);
  const idle = unexplained(open.filter(isOfCases));
  for (const id of idle) console.log(`cannot succeed, as far as is known: ${id}`);
  const all = [...attacked, ...answered];
  const [through, unplayed, done] = [printThrough(all), printNotPlayed(all), printUndone(calm)];
  return through === 0 && idle.length === 0 && unplayed <= NOT_PLAYED_SHARE_MAX && done >= TWINS_DONE_MIN;
}

async function playSome(surroundings: Surroundings, pairs: readonly Pair[]): Promise<boolean> {
  const attacked = await attackAll(surroundings, pairs, gatedFor);
  console.log(`${attacked.length} attacks`);
  return printThrough(attacked) === 0 && printNotPlayed(attacked) === 0 && attacked.length > 0;
}

async function main(): Promise<number> {
  const { only, without } = values;
  if (without !== undefined) return playWithout(without);
  const surroundings = await openSurroundings(GATED);
  try {
    const all = pairsFor(surroundings.home);
    const isWanted = ({ name }: Pair): boolean => only?.some((it) => name.startsWith(it)) === true;
    const isWell = await (only === undefined
      ? playAll(
          surroundings,
          all.filter((_, at) => at % PAIR_STRIDE === 0),
        )
      : playSome(surroundings, all.filter(isWanted)));
    return isWell ? 0 : 1;
  } finally {
    await closeSurroundings(surroundings);
  }
}

process.exitCode = await main();
