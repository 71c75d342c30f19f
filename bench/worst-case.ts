/**
 * The model that obeys everything, at full size or with attacks of others: `npm run worst-case`.
 *
 *   --seed N         other forms, tongues and marks of the same goals
 *   --corpus FILE    attacks from a file instead: {"goal", "channel", "text"} in JSON, one a line
 *
 * Prints the table of channels, every attack that got through, and every twin that was not done. Exits with 1 where any
 * of them had an effect or a secret left.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCorpus } from '../test/support/worst-case/corpus.ts';
import { codeGoals, gateGoals } from '../test/support/worst-case/goals.ts';
import { channelTable } from '../test/support/choice-channel.ts';
import { attackAll, table, workAll } from '../test/support/worst-case/measure.ts';
import { makePairs, WORST_CASE_SEED, type Pair } from '../test/support/worst-case/pairs.ts';
import { closeSurroundings, openSurroundings } from '../test/support/worst-case/world.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, corpus: { type: 'string' } } });

function pairsFor(home: string): readonly Pair[] {
  if (values.corpus === undefined) return makePairs(Number(values.seed ?? WORST_CASE_SEED), home);
  const read = readCorpus(readFileSync(values.corpus, 'utf8'), [...gateGoals, ...codeGoals]);
  if (read.ok) return read.value;
  throw new Error(`${values.corpus}:\n${read.error.join('\n')}`);
}

const surroundings = await openSurroundings();
try {
  const pairs = pairsFor(surroundings.home);
  const attacked = await attackAll(surroundings, pairs, 'On');
  const calm = await workAll(surroundings, pairs);
  const open = await attackAll(surroundings, pairs, 'Off');
  console.log(table(attacked, calm));
  console.log(channelTable());
  console.log(`without gates ${open.filter((it) => it.hasSucceeded).length} of ${open.length} have an effect`);
  const through = attacked.filter((it) => it.hasSucceeded);
  for (const { pair, judgement } of through)
    console.log(`through: ${pair.name}: ${JSON.stringify([...judgement.effects, ...judgement.leaks])}`);
  for (const { pair, outcomes, judgement } of calm.filter((it) => !it.isDone))
    console.log(`not done: ${pair.name}: ${outcomes.join()} ${judgement.blocks.map((it) => it.rule).join()}`);
  process.exitCode = through.length === 0 ? 0 : 1;
} finally {
  await closeSurroundings(surroundings);
}
