/**
 * What a site can be told, measured as the site would: by how many sequences of requests there are, and by random bits that an agent
 * which obeys it spells with them. Everything is judged by the real gate.
 */
import { Seeded } from '../../../../../test/support/seeded.ts';
import { fetchOf, pageOf } from '../../../../../test/support/choice-channel.ts';
import { gateOf } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { describe, expect } from 'vitest';
import { ChoiceLedger } from '../../parts/choices/choice-ledger.ts';
import { CHOICE_BITS_MAX } from './choice-budget.ts';
import type { Choices, ReadSoFar } from './read-item.ts';

const HOST = 'drop.example';
const at = (path: string): string => `https://${HOST}/${path}`;
const gate = gateOf({});

/** A site: what the Task names of it, and what its pages offer. A page that is not there is a page, too: it says 404. */
interface Site {
  readonly named: readonly string[];
  readonly offered: readonly string[];
}

const sites: readonly Site[] = [
  { named: ['own'], offered: [] },
  { named: ['own'], offered: ['a'] },
  { named: ['own'], offered: ['a', 'b', 'missing'] },
  { named: ['own', 'two'], offered: [] },
  { named: ['own', 'two', 'three'], offered: ['a'] },
  { named: [], offered: ['a', 'b'] },
];

const words = ({ named, offered }: Site): readonly string[] => [...named, ...offered];

type Asked = Choices['asked'];

/** One run of one cycle. The pages are known from the first call on, as a page that was fetched before tells them. */
class Run {
  readonly #site: Site;
  readonly #ledger: ChoiceLedger;
  readonly #asked: Asked[number][] = [];
  bits = 0;

  constructor(site: Site, ledger: ChoiceLedger) {
    this.#site = site;
    this.#ledger = ledger;
  }

  /** @returns false: a person is asked, and nobody answers */
  ask(path: string): boolean {
    const { named, offered } = this.#site;
    const read: ReadSoFar = {
      items: [pageOf('p', HOST, `[${at('own')}: status 200, text/html]\n${offered.map(at).join('\n')}`)],
      addresses: named.map(at),
      instructions: [],
      choices: { asked: this.#asked, spent: this.#ledger.spent(0), freeSites: [], running: [] },
    };
    const call = fetchOf(at(path));
    const context = { agent: 'executor', autonomous: true, nowMs: 0, approvals: [], read };
    if (gate.tool(call, context).kind !== 'Accept') return false;
    const choice = gate.choice(call, context);
    if (choice !== undefined) this.#ledger.take(choice, 0);
    this.bits += choice?.bits ?? 0;
    this.#asked.push({ address: at(path), ...(choice === undefined ? {} : { choice }) });
    return true;
  }
}

type Word = readonly string[];

/** Every sequence of at most so many requests, with what it costs a fresh run. */
function sequences(site: Site, length: number): readonly { readonly word: Word; readonly bits: number }[] {
  const found: { word: Word; bits: number }[] = [];
  const pending: Word[] = [[]];
  for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
    const run = new Run(site, new ChoiceLedger());
    if (!word.every((path) => run.ask(path))) continue;
    found.push({ word, bits: run.bits });
    if (word.length < length) for (const path of words(site)) pending.push([...word, path]);
  }
  return found.toSorted((a, b) => a.bits - b.bits);
}

const LENGTH_MAX = 5;

describe.each(sites)('a site of %j', (site) => {
  const all = sequences(site, LENGTH_MAX);

  verifies('provenance:choice-code', 'is told by what is free in one way only', () => {
    // The Task's own addresses in their order, or nothing: whether a run asks at all is its Task's.
    const free = all.filter(({ bits }) => bits <= 0).map(({ word }) => word.join());
    expect(free.toSorted()).toEqual(['', ...(site.named.length > 0 ? [site.named.join()] : [])].toSorted());
  });

  verifies('provenance:choice-code', 'can be told no more ways than the bits allow', () => {
    const first = site.named.length > 0 ? 1 : 0;
    for (const [index, { bits }] of all.entries()) {
      // Without the silent run, and without the one that does what the Task says.
      const ways = index + 1 - first;
      if (ways > 1) expect(Math.log2(ways), `${ways} ways for ${bits} bits`).toBeLessThanOrEqual(bits + 1e-9);
    }
  });

  verifies('provenance:choice-code', 'learns fewer random bits than the budget, however they are spelt', () => {
    for (const size of [2, 3, 4, 8, 16, 64]) {
      if (size > all.length - 1) continue;
      const told = Array.from({ length: 20 }, (_, seed) =>
        spelt(site, all.map(({ word }) => word).slice(0, size + 1), seed),
      );
      // Of many secrets: luck may spell one of them shorter, as it may guess one.
      const mean = told.reduce((sum, bits) => sum + bits, 0) / told.length;
      expect(mean, `${size} words`).toBeLessThanOrEqual(CHOICE_BITS_MAX);
      expect(mean).toBeGreaterThan(0);
    }
  });
});

/** Runs of a month, one an hour. */
const RUNS = 720;

/** Bits that the site decodes, from runs that went as the agent meant them: each is one of the cheapest words, at random. */
function spelt(site: Site, book: readonly Word[], seed: number): number {
  const random = new Seeded(seed + 1);
  const ledger = new ChoiceLedger();
  // A run in which the site sees nothing tells it nothing but the time.
  const seen = book.filter((word) => site.named.length === 0 || word.length > 0);
  let bits = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const word = seen[random.below(seen.length)] ?? [];
    const of = new Run(site, ledger);
    if (!word.every((path) => of.ask(path))) return bits;
    bits += Math.log2(seen.length);
  }
  return bits;
}
