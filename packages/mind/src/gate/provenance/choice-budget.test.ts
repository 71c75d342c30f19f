import { describe, expect, it } from 'vitest';
import { attacks, channelTable, fetchOf, pageOf, playChannel } from '../../../../../test/support/choice-channel.ts';
import { gateOf } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { ChoiceLedger } from '../../parts/choices/choice-ledger.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import { CHOICE_BITS_MAX, CHOICE_RULE, siteOf } from './choice-budget.ts';
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
  return { verdict: gate.tool(fetchOf(url), context), bits: gate.choice(fetchOf(url), context)?.bits };
}

/** Asks one after the other, as a cycle does. @returns the bits of each; undefined where a person was asked */
function play(
  paths: readonly number[],
  links: number,
  freeSites: readonly string[] = [],
): readonly (number | undefined)[] {
  const ledger = new ChoiceLedger();
  const asked: Choices['asked'][number][] = [];
  return paths.map((path) => {
    const choices = { ...none, asked: [...asked], spent: ledger.spent(0), freeSites };
    const { verdict, bits } = judge(at(path), links, { choices });
    if (verdict.kind !== 'Accept') return undefined;
    if (bits !== undefined) ledger.take({ site: HOST, bits }, 0);
    asked.push({
      address: at(path),
      ...(bits === undefined ? {} : { choice: { site: HOST, bits, isNext: bits <= 0 || path === 0 } }),
    });
    return bits ?? 0;
  });
}

describe('the budget of choices', () => {
  verifies('provenance:choice-budget', 'is spent by log2 of how many a page offered', () => {
    expect(play([5, 3, 7], 16)).toEqual([4, 4, 4]);
  });

  verifies('provenance:choice-budget', 'asks a person beyond 64 bits, and names how many there were', () => {
    const choices = { ...none, spent: { [HOST]: CHOICE_BITS_MAX - 3 } };
    const { verdict } = judge(at(5), 16, { choices });
    expect(verdict).toMatchObject({ kind: 'Escalate', rule: CHOICE_RULE });
    expect(verdict.reason).toContain('4.0 bits more, after 61.0 of 64');
    expect(judge(at(5), 8, { choices }).verdict.kind).toBe('Accept');
  });

  const spent = { ...none, spent: { [HOST]: CHOICE_BITS_MAX } };
  const free: readonly (readonly [string, Given])[] = [
    ['where nothing in the instructions has to be kept', {}],
    ['for an address that the Task names', { choices: spent, addresses: [at(5)] }],
    ['for a host of the allow-list', { choices: spent, policy: { gatePolicies: { allowLists: { domains: [HOST] } } } }],
    ['after a person’s yes for the site', { choices: { ...spent, freeSites: [HOST] } }],
    ['for the address that was asked for just before', { choices: { ...spent, asked: [{ address: at(5) }] } }],
  ];
  for (const [name, given] of free)
    verifies('provenance:choice-budget', `is not touched ${name}`, () => {
      const { verdict, bits } = judge(at(5), 16, given);
      expect([verdict.kind, bits]).toEqual(['Accept', undefined]);
    });

  verifies(
    'provenance:choice-budget',
    'is not touched by all addresses in the pages’ order, but by where it ends',
    () => {
      const all = play(
        Array.from({ length: 16 }, (_, index) => index),
        16,
      );
      expect(all.reduce<number>((sum, bits) => sum + (bits ?? Infinity), 0)).toBe(0);
      const some = play([0, 1, 2], 16);
      expect(some.reduce<number>((sum, bits) => sum + (bits ?? Infinity), 0)).toBe(4);
    },
  );

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
    expect(after?.characters).toBe(12);
    expect(channelTable()).toContain('| 29 runs of 9 pages, with the budget | 12 of 40 | 62.0 | 28 |');
  });
});
