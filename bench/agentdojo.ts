/**
 * AgentDojo without a model: `npm run bench:agentdojo -- --data FILE [--why]`.
 *
 * The users' true calls go through the real gate and chokepoint with their recorded outputs; after each place where a stranger's words
 * stand, the attacker's calls follow. Beside it, in the same run, simple policies on the same pairs. `--why` also prints each
 * sequence that needs a person or is refused, and each attack with an effect, with the rule. Exits with 1 if an attack has an effect
 * at the gate that is told what the tools are.
 *
 * Source: reliability-security 4.
 */
import { parseArgs } from 'node:util';
import { readReplay, replayFile, type Suite } from '../test/support/agentdojo/data.ts';
import { figuresOf, measureGate, measureSimplePolicies, type Measured } from '../test/support/agentdojo/measure.ts';
import { bySize } from './bench-size.ts';
import { row } from './figures.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, why: { type: 'boolean' } } });
/** Every so many of the users' tasks is played. */
const stride = bySize({ smoke: 12, full: 1 });

function thinned(suite: Suite): Suite {
  return { ...suite, user: Object.fromEntries(Object.entries(suite.user).filter((_, at) => at % stride === 0)) };
}

const suites = readReplay(values.data ?? replayFile).map(thinned);

function tell(measured: Measured): void {
  for (const { name, asked, refused } of measured.sequences) {
    for (const it of asked) console.log(`asks     ${name}  ${it}`);
    for (const it of refused) console.log(`refuses  ${name}  ${it}`);
  }
  for (const { name, effects } of measured.pairs) for (const it of effects) console.log(`effect   ${name}  ${it}`);
}

const gates: Measured[] = [];
for (const telling of ['Nothing', 'Fields', 'Marks'] as const) gates.push(await measureGate(suites, telling));
for (const measured of [...measureSimplePolicies(suites), ...gates]) {
  const { attacks, effects, sequences, withoutPerson, withPerson } = figuresOf(measured);
  row(
    measured.policy,
    `${effects}/${attacks} effects`,
    `${withoutPerson}/${sequences} without, ${withPerson} with a person`,
  );
}
if (values.why === true) gates.forEach(tell);
const told = gates.slice(1).flatMap(({ pairs }) => pairs.filter(({ effects }) => effects.length > 0));
process.exitCode = told.length === 0 ? 0 : 1;
