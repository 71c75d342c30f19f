/**
 * What the gates cost: `npm run bench:gate`.
 *
 * The calculus resolves every pair of the default scheme again and again. Beside it, in the same run and in turns, the same pairs
 * are looked up in an array of numbers that was filled before: what no rule-by-rule resolution can beat. Then the greatest judgement
 * that a character allows, with its whole trail.
 *
 * Source: springdrift 1.
 */
import { GateFeature } from '@retainer/contract/api/gate-policy';
import { judgeFindings, type Policy } from '@retainer/mind/gate/calculus/judge-findings';
import { resolvePair, SEVERITY_ORDINALS } from '@retainer/mind/gate/calculus/pair-rules';
import { normsOf } from '@retainer/mind/gate/calculus/norm';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';

/** Every pair once: 7,056. A round is long enough that the clock's own cost does not show. */
const PASSES = bySize({ smoke: 20, full: 200 });

/** The first ones are left out: by then the compiler has seen what it sees for good. */
const WARM_ROUNDS = 5;
const ROUNDS = 25;

/** A gate must not be felt: the greatest judgement, 1,536 pairs, then takes 1.5 ms. */
const GOAL_PAIRS_PER_SECOND = 1_000_000;

const norms = normsOf('Springdrift');
const known = Uint8Array.from(
  norms.flatMap((user) => norms.map((system) => SEVERITY_ORDINALS[resolvePair(user, system).severity])),
);

/** Both ways add up the severities of all pairs, so that nothing can be left out as unused. */
type Way = () => number;

const resolved: Way = () => {
  let sum = 0;
  for (const user of norms) for (const system of norms) sum += SEVERITY_ORDINALS[resolvePair(user, system).severity];
  return sum;
};

const lookedUp: Way = () => {
  let sum = 0;
  const { length } = norms;
  for (let user = 0; user < length; user += 1)
    for (let system = 0; system < length; system += 1) sum += known[user * length + system] ?? 0;
  return sum;
};

/** @returns pairs for each second of one round */
function pairsPerSecond(way: Way, expectedSum: number): number {
  const start = performance.now();
  let sum = 0;
  for (let pass = 0; pass < PASSES; pass += 1) sum += way();
  const seconds = (performance.now() - start) / 1000;
  if (sum !== expectedSum * PASSES) throw new Error(`resolved to ${sum}, looked up ${expectedSum * PASSES}`);
  return (PASSES * known.length) / seconds;
}

/** Most features of a gate, each found as strongly as can be, against most commitments of a character. */
const FEATURES = 24;
const COMMITMENTS = 64;
const JUDGEMENTS = bySize({ smoke: 200, full: 2000 });
const policy: Policy = { scheme: 'Springdrift', scale: 'Paper', modify: 0.35, reject: 0.55 };

/** @returns milliseconds of each judgement, the first half left out */
function judgementsMs(): readonly number[] {
  const findings = Array.from({ length: FEATURES }, (_, at) => ({
    feature: GateFeature.parse({ name: `f${at}`, description: 'Words.', importance: 5, critical: at % 2 === 0 }),
    magnitude: 5,
    rationale: '',
  }));
  const weighed = norms.filter((norm) => norm.modality === 'Possible');
  const commitments = Array.from({ length: COMMITMENTS }, (_, at) => {
    const norm = weighed[at % weighed.length];
    if (norm === undefined) throw new Error('there are norms');
    return { id: `s${at}`, description: 'Words.', norm };
  });
  const times = Array.from({ length: JUDGEMENTS }, () => {
    const start = performance.now();
    const { trail } = judgeFindings(findings, commitments, policy);
    const spentMs = performance.now() - start;
    if (trail.length !== FEATURES * COMMITMENTS) throw new Error(`the trail has ${trail.length} lines`);
    return spentMs;
  });
  return times.slice(JUDGEMENTS / 2);
}

function figures(rates: readonly number[]): string {
  return `slowest ${millions(quantile(rates, 0))}, fastest ${millions(quantile(rates, 1))}`;
}

function millions(rate: number): string {
  return `${(rate / 1e6).toFixed(1)} M/s`;
}

const sum = lookedUp();
const rates = { resolved: [] as number[], lookedUp: [] as number[] };
for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
  const ofResolved = pairsPerSecond(resolved, sum);
  const ofLookedUp = pairsPerSecond(lookedUp, sum);
  if (round < WARM_ROUNDS) continue;
  rates.resolved.push(ofResolved);
  rates.lookedUp.push(ofLookedUp);
}
const goal = GOAL_PAIRS_PER_SECOND;
row('calculus, pairs resolved per second, p50', millions(quantile(rates.resolved, 0.5)), figures(rates.resolved));
row('goal', millions(goal), quantile(rates.resolved, 0) >= goal ? 'met in every round' : 'MISSED in a round');
row('raw look-up in an array, p50', millions(quantile(rates.lookedUp, 0.5)), figures(rates.lookedUp));
const times = judgementsMs();
row(
  `judgement of ${FEATURES} findings, ${COMMITMENTS} commitments, p50`,
  `${quantile(times, 0.5).toFixed(3)} ms`,
  `p99 ${quantile(times, 0.99).toFixed(3)} ms; ${FEATURES * COMMITMENTS} pairs, trail included`,
);
