/**
 * Which address a cycle asks for next, and whether it asks once more, is a message to the server: of 36 links each one tells five
 * bits, whatever the words are, and so does one link that is asked for again and again. This is the budget, in bits, for what the
 * instructions hold and nobody outside may learn: a confidential persona, and the agent's memory. What the cycle reads is kept by the
 * rule of two.
 *
 * I1  The costs are lengths of a code that the server could read: whatever sequence of requests a run makes, there are at most 2^bits
 *     sequences that cost no more. So no way of spelling tells more than is counted.
 * I2  Nothing is free but the Task's own addresses of a site, each once, in the Task's order, and before anything else is asked of the
 *     site; and hosts of the allow-list. When a request comes, and in which run, is time, which is not counted.
 * I3  The pages' own order tells only how far it is followed: the first call costs a choice, the second one bit, and the third, fifth,
 *     ninth … one two bits.
 * I4  What a server got within 30 days, from all cycles together, never exceeds the budget without a person's yes, which holds for this
 *     site in this run.
 *
 * Source: reliability-security 4 (covert channels: bound the bits that a choice can carry).
 */
import type { ToolPolicy } from '../tool-policies.ts';
import type { CallFacts } from '../verdict.ts';
import { addressOf, isListed, onwardAddresses, readsOutside } from './outward-address.ts';
import type { Choice, Choices, ReadSoFar } from './read-item.ts';

/** For one site: twelve characters of random text at most, and no key. Eight picks of 200 pages, or many more in their order. */
export const CHOICE_BITS_MAX = 64;

/** How long a spent bit counts. */
export const CHOICE_WINDOW_DAYS = 30;

export const CHOICE_RULE = 'flow/choice-budget';

/** @returns undefined: the call tells nothing that counts */
export function choiceOf(call: CallFacts, read: ReadSoFar | undefined, hosts: readonly string[]): Choice | undefined {
  const address = addressOf(call);
  if (read?.choices === undefined || address === undefined || isFree(call, read, hosts)) return undefined;
  const { asked, freeSites } = read.choices;
  const site = siteOf(new URL(address).hostname);
  if (freeSites.includes(site)) return undefined;
  const known = knownOf(read, site);
  if (![...known.spellings, ...known.offered].includes(address)) return undefined;
  const before = asked.filter((it) => siteAt(it.address) === site);
  const cost = inTasksOrder(address, known.named, before) ?? costOf(address, known, before);
  return cost === 'Nothing' ? undefined : { site, ...cost };
}

/** The character's people chose the host, or the call is decided. */
function isFree(call: CallFacts, read: ReadSoFar, hosts: readonly string[]): boolean {
  const isDecided = read.choices?.running.includes(call.argumentsDigest) === true;
  return !readsOutside(call) || isDecided || isListed(call, hosts);
}

interface Known {
  /** Of the Task, in its order, each in one spelling. */
  readonly named: readonly string[];
  /** All spellings of those. */
  readonly spellings: readonly string[];
  /** By pages of the site, in their order. */
  readonly offered: readonly string[];
}

function knownOf({ items, addresses }: ReadSoFar, site: string): Known {
  const spellings = addresses.filter((it) => siteAt(it) === site);
  const pages = items.filter(({ label }) => label.readers === 'Everyone' && siteOf(label.source.name ?? '') === site);
  const offered = [...new Set(pages.flatMap(onwardAddresses))].filter((it) => !spellings.includes(it));
  return { named: onePerPlace(spellings), spellings, offered };
}

const siteAt = (address: string): string => (URL.canParse(address) ? siteOf(new URL(address).hostname) : '');

/** Signs after an address that end a sentence or a bracket. */
const FINAL = /[\p{Pe}\p{Pf}\p{Pi}.,;:!?*_~'"|\\…。、，；：！？]+$/u;

/** Of an address with and without the sign after it, which are two spellings of one place, the one without; with it where it closes a bracket. */
function onePerPlace(spellings: readonly string[]): readonly string[] {
  const places = new Map<string, string>();
  for (const spelling of spellings) {
    const bare = spelling.replace(FINAL, '');
    const isClosing = spelling === `${bare})` && bare.includes('(');
    if (isClosing || !places.has(bare)) places.set(bare, isClosing ? spelling : bare);
  }
  const known = new Set(spellings);
  return [...places].map(([bare, place]) => [place, bare, ...spellings].find((it) => known.has(it)) ?? place);
}

/** What stopping among the Task’s addresses costs beside the place: that a run stops there at all. */
const STOPS_BITS = 2;

type Cost = Pick<Choice, 'bits' | 'isNext'>;

/**
 * The Task's addresses of a site in their order cost nothing, if all are asked for: where a run stops among them is a choice, which the
 * first one pays and the last one gives back.
 *
 * @returns undefined: it is not the next one of them
 */
function inTasksOrder(
  address: string,
  named: readonly string[],
  before: Choices['asked'],
): Cost | 'Nothing' | undefined {
  const isInOrder = before.every((it, at) => it.address === named[at]);
  if (!isInOrder || named[before.length] !== address) return undefined;
  const stops = Math.log2(named.length) + STOPS_BITS;
  if (named.length === 1) return 'Nothing';
  if (before.length === 0) return { bits: stops, isNext: false };
  return before.length === named.length - 1 ? { bits: -stops, isNext: false } : 'Nothing';
}

/** Every known address, to go on in the pages' order, or to ask for nothing more. */
const OTHER_CHOICES = 2;

/** What the first choice of a run costs more: that there is one. */
const FIRST_BITS = 1;

/** What the second call of a stretch in the pages' order costs, and then each that doubles the rest: a self-delimiting number. */
const STRETCH_BITS = 1;
const DOUBLED_BITS = 2;

function costOf(address: string, { named, spellings, offered }: Known, before: Choices['asked']): Cost {
  const asked = new Set(before.map((it) => it.address));
  const isNext = offered.find((it) => !asked.has(it)) === address;
  const length = before.length - before.findLastIndex(({ choice }) => choice?.isNext !== true);
  if (isNext && length > 1) return { bits: stretchBits(length), isNext };
  const isFirst = before.every((it, at) => it.address === named[at]);
  const bits = Math.log2(spellings.length + offered.length + OTHER_CHOICES) + (isFirst ? FIRST_BITS : 0);
  return { bits, isNext };
}

function stretchBits(length: number): number {
  if (length === 2) return STRETCH_BITS;
  return Number.isInteger(Math.log2(length - 1)) ? DOUBLED_BITS : 0;
}

/** Labels of a country's own second level: `co.uk`, `com.au`. */
const SECOND_LEVEL = /^(?:[a-z]{1,3}|gov)\.[a-z]{2}$/;

/** The name that its owner registered, as far as the text of it tells; the whole of a number or of a single label. */
export function siteOf(host: string): string {
  if (/^[\d.]+$|[:[]/.test(host)) return host;
  const labels = host.split('.');
  const last = labels.slice(-2).join('.');
  return SECOND_LEVEL.test(last) ? labels.slice(-3).join('.') : last;
}

const DIGITS = 1;

export function choiceBudgetPolicy(hosts: readonly string[]): ToolPolicy {
  return {
    name: CHOICE_RULE,
    judge(call, { read }) {
      const choice = choiceOf(call, read, hosts);
      const spent = choice === undefined ? 0 : (read?.choices?.spent[choice.site] ?? 0);
      if (choice === undefined || choice.bits <= 0 || spent + choice.bits <= CHOICE_BITS_MAX) return undefined;
      return {
        gate: 'Tool',
        kind: 'Escalate',
        rule: CHOICE_RULE,
        reason: `Which of its addresses is asked for tells ${choice.site} ${choice.bits.toFixed(DIGITS)} bits more, after ${spent.toFixed(DIGITS)} of ${CHOICE_BITS_MAX} within ${CHOICE_WINDOW_DAYS} days: enough to spell something of the instructions or of memory. A yes holds for this site until the run ends.`,
      };
    },
  };
}
