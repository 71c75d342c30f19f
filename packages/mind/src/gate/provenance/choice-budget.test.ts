import { describe, expect, it } from 'vitest';
import { attacks, channelTable, fetchOf, pageOf, playChannel } from '../../../../../test/support/choice-channel.ts';
import { gateOf } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { ChoiceLedger } from '../../parts/choices/choice-ledger.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import { CHOICE_BITS_MAX, CHOICE_RULE, siteOf } from './choice-budget.ts';
import { isKnownOutside, onwardAddresses } from './outward-address.ts';
import type { Choices } from './read-item.ts';
import type { ReadSoFar } from './read-item.ts';

const HOST = 'docs.example';
const at = (path: string | number): string => `https://${HOST}/${path}`;
const page = (links: number) => pageOf('p', HOST, Array.from({ length: links }, (_, index) => at(index)).join('\n'));
const none: Choices = { asked: [], spent: {}, freeSites: [], running: [] };

interface Given {
  readonly choices?: Choices;
  readonly addresses?: readonly string[];
  readonly policy?: CharacterPolicy;
}

function judge(url: string, links: number, { choices, addresses = [], policy = {} }: Given) {
  const read = { items: [page(links)], addresses, instructions: [], ...(choices === undefined ? {} : { choices }) };
  const context = { agent: 'executor', autonomous: true, nowMs: 0, approvals: [], read };
  const gate = gateOf(policy);
  return { verdict: gate.tool(fetchOf(url), context), choice: gate.choice(fetchOf(url), context) };
}

/** Asks one after the other, as a cycle does. @returns the bits of each; undefined where a person was asked */
function play(paths: readonly number[], links: number, given: Given = {}): readonly (number | undefined)[] {
  const ledger = new ChoiceLedger();
  const asked: Choices['asked'][number][] = [];
  return paths.map((path) => {
    const choices = { ...none, asked: [...asked], spent: ledger.spent(0) };
    const { verdict, choice } = judge(at(path), links, { ...given, choices });
    if (verdict.kind !== 'Accept') return undefined;
    if (choice !== undefined) ledger.take(choice, 0);
    asked.push({ address: at(path), ...(choice === undefined ? {} : { choice }) });
    return choice?.bits ?? 0;
  });
}

const total = (bits: readonly (number | undefined)[]): number =>
  bits.reduce<number>((sum, it) => sum + (it ?? Infinity), 0);

describe('the budget of choices', () => {
  verifies('provenance:choice-budget', 'is spent by log2 of what else could be asked for, or nothing', () => {
    expect(play([5, 3, 7], 14)).toEqual([4 + 1, 4, 4]);
  });

  verifies('provenance:choice-budget', 'is spent by each repeat, whatever was asked between', () => {
    expect(play([5, 5, 3, 5], 14)).toEqual([4 + 1, 4, 4, 4]);
    // One link, and the Task's own page.
    const own = { addresses: [at(0)] };
    expect(play([0, 0, 0], 1, own)).toEqual([0, Math.log2(3) + 1, Math.log2(3)]);
    expect(total(play([0, 1, 0, 1, 1], 2, own))).toBeGreaterThanOrEqual(4);
  });

  verifies('provenance:choice-budget', 'asks a person beyond 64 bits, and names how many there were', () => {
    const choices = { ...none, spent: { [HOST]: CHOICE_BITS_MAX - 3 } };
    const { verdict } = judge(at(5), 14, { choices });
    expect(verdict).toMatchObject({ kind: 'Escalate', rule: CHOICE_RULE });
    expect(verdict.reason).toContain('5.0 bits more, after 61.0 of 64');
    expect(judge(at(1), 2, { choices }).verdict.kind).toBe('Accept');
  });

  const spent = { ...none, spent: { [HOST]: CHOICE_BITS_MAX } };
  const free: readonly (readonly [string, Given])[] = [
    ['where nothing in the instructions has to be kept', {}],
    ['for an address that the Task names', { choices: spent, addresses: [at(5)] }],
    ['for a host of the allow-list', { choices: spent, policy: { gatePolicies: { allowLists: { domains: [HOST] } } } }],
    ['after a person’s yes for the site', { choices: { ...spent, freeSites: [HOST] } }],
  ];
  for (const [name, given] of free)
    verifies('provenance:choice-budget', `is not touched ${name}`, () => {
      const { verdict, choice } = judge(at(5), 16, given);
      expect([verdict.kind, choice]).toEqual(['Accept', undefined]);
    });

  verifies('provenance:choice-budget', 'is spent by how far the pages’ order is followed', () => {
    const all = Array.from({ length: 16 }, (_, index) => index);
    expect(play(all.slice(0, 5), 14)).toEqual([4 + 1, 1, 2, 0, 2]);
    expect(total(play(all.slice(0, 10), 200))).toBeCloseTo(15.66, 2);
    expect(10 * Math.log2(202) + 1).toBeCloseTo(77.58, 2);
    // The page of each offers the next one, as lists in parts do.
    expect(total(play(all, 16))).toBe(Math.log2(18) + 1 + 1 + 3 * 2);
  });

  verifies(
    'provenance:choice-budget',
    'is spent by where a run stops among the Task’s own addresses, and by their order',
    () => {
      const addresses = [at(0), `${at(1)}.`, at(1), at(2)];
      const [first, ...others] = play([0, 1, 2], 0, { addresses });
      expect([first, ...others]).toEqual([Math.log2(3) + 2, 0, -(Math.log2(3) + 2)]);
      expect(play([1], 0, { addresses })).toEqual([Math.log2(6) + 1]);
      expect(play([0], 0, { addresses: [at(0)] })).toEqual([0]);
    },
  );

  verifies('provenance:choice-budget', 'is not spent on what the head of a result says', () => {
    for (const got of ['got', 'got[1]', 'got]?x=]']) {
      const read = { items: [pageOf('p', HOST, `[${at(got)}: status 404, text/html]\nsee ${at('next')}`)] };
      expect(read.items.flatMap(onwardAddresses), got).toEqual([at('next')]);
      expect(isKnownOutside(fetchOf(at(got)), { ...read, addresses: [], instructions: [] }, [])).toBe(false);
    }
  });

  verifies('provenance:choice-budget', 'counts the hosts of one owner together', () => {
    const sites = ['a.evil.example', 'evil.example', 'x.y.evil.co.uk', '10.0.0.1', 'localhost'].map(siteOf);
    expect(sites).toEqual(['evil.example', 'evil.example', 'evil.co.uk', '10.0.0.1', 'localhost']);
  });

  verifies('provenance:choice-budget', 'forgets after 30 days', () => {
    const ledger = new ChoiceLedger();
    ledger.take({ site: HOST, bits: 10 }, 0);
    const dayMs = 86_400_000;
    expect([ledger.spent(30 * dayMs), ledger.spent(31 * dayMs)]).toEqual([{ [HOST]: 10 }, {}]);
  });

  it('lets ten of 200 pages be read without a question where the persona is not confidential', () => {
    const read: ReadSoFar = { items: [page(200)], addresses: [], instructions: [] };
    const context = { agent: 'executor', autonomous: true, nowMs: 0, approvals: [], read };
    const verdicts = Array.from({ length: 10 }, (_, index) => gateOf({}).tool(fetchOf(at(index * 17)), context).kind);
    expect(new Set(verdicts)).toEqual(new Set(['Accept']));
  });

  verifies('provenance:choice-budget', 'ends what a site learns by the order of requests', () => {
    const [before, , longBefore, after] = attacks.map(playChannel);
    expect(before?.characters).toBe(9);
    expect(longBefore?.characters).toBe(40);
    expect(after?.bits).toBeLessThanOrEqual(CHOICE_BITS_MAX);
    expect(after?.characters).toBe(11);
    expect(channelTable()).toContain('| 29 runs of 9 pages, with the budget | 11 of 40 | 56.9 | 28 |');
  });
});
