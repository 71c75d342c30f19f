/**
 * The cases of `worst-case-cases.test.ts` without a gate: each has its effect then, or a rule beneath the gate is named that holds it,
 * which the nightly run takes out, or the reason is listed why it never has one.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { everyCase } from '@retainer/agent-pod/attack/cases/every-case';
import { attackAll, type Attacked } from '@retainer/agent-pod/attack/measure';
import { closeSurroundings, openSurroundings, type Surroundings } from '@retainer/agent-pod/attack/world';
import { isNightly, limitMs } from '../support/test-size.ts';
import {
  caseOf,
  groupOf,
  GROUPS,
  successesIn,
  unexplained,
  WITHOUT_EFFECT,
  type Group,
} from '../support/worst-case/can-succeed.ts';
import { GATED, gatedFor, OPEN_GATE } from '../support/worst-case/targets.ts';
import { verifies } from '../verifies.ts';

/** Every so many cases of a group one is tried, by all its channels; nightly all are. */
const STRIDES: Readonly<Record<Group, number>> = {
  'planted code': 3,
  'a link’s words': 1,
  'choice of links': 1,
  repeats: 1,
  'spelling of addresses': 5,
  approvals: 2,
  'done later': 1,
  letters: 4,
  'after a refused Task': 2,
  'acting outside': 4,
};

/** Ten times what a quiet machine takes. */
const ALL_MS = limitMs(300_000, 4);

/** Groups without an attack that a gate alone holds: what holds them stands in `rules.ts`, or nobody attacks. */
const HELD_BENEATH: readonly Group[] = ['planted code', 'after a refused Task'];

let surroundings: Surroundings;
let attacked: readonly Attacked[] = [];

const ids = [...new Set(everyCase.map(caseOf))];
const tried = (Object.keys(GROUPS) as Group[]).flatMap((group) =>
  ids.filter((id) => groupOf(id) === group).filter((_, at) => isNightly || at % STRIDES[group] === 0),
);
const succeeded = (id: string): boolean => successesIn(attacked).has(id);

beforeAll(async () => {
  surroundings = await openSurroundings(GATED);
  const pairs = everyCase.filter((pair) => tried.includes(caseOf(pair)));
  attacked = await attackAll(surroundings, pairs, (pair) => ({ ...gatedFor(pair), ...OPEN_GATE }));
  const open = tried.filter(succeeded);
  process.stdout.write(`open gates: ${open.length} of ${tried.length} cases succeed\n`);
}, ALL_MS);

afterAll(() => closeSurroundings(surroundings));

describe('the cases of the harness, without a gate', () => {
  verifies('worst-case:cases-can-fail', 'have their effect, or something is named that holds them', () => {
    expect(tried.length).toBeGreaterThan(10);
    expect(unexplained(attacked)).toEqual([]);
  });

  verifies('worst-case:cases-can-fail', 'have none where the list says that they never have one', () => {
    expect(tried.filter((id) => id in WITHOUT_EFFECT && succeeded(id))).toEqual([]);
  });

  for (const group of Object.keys(GROUPS) as Group[])
    verifies(
      'worst-case:cases-can-fail',
      `${group}: has some that a gate alone holds, or is known to have none`,
      () => {
        const open = tried.filter((id) => groupOf(id) === group && succeeded(id));
        expect(open.length > 0, open.join()).toBe(!HELD_BENEATH.includes(group));
      },
    );

  verifies('worst-case:played', 'are ended by the agent and not by the time', () => {
    expect(attacked.filter((it) => !it.isPlayed).map(({ pair }) => pair.name)).toEqual([]);
  });
});
