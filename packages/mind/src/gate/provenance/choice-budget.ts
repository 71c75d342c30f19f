/**
 * Which of several addresses a cycle asks for is a message to their server: of 36 links each one tells five bits, whatever the
 * words are. This is the budget, in bits, for what the instructions hold and nobody outside may learn: a confidential persona, and
 * the agent's memory. What the cycle reads is kept by the rule of two.
 *
 * I1  An address that a page offered costs log2 of how many addresses the pages of its site have offered to the cycle, in each call.
 *     Nothing that the Task names, and nothing on the allow-list, costs anything.
 * I2  The pages' own order tells only where it ends: a stretch in it costs one choice, and nothing if it takes all there is.
 * I3  What a server got within 30 days, from all cycles together, never exceeds the budget without a person's yes, which holds for this site in this run.
 *
 * Source: reliability-security 4 (covert channels: bound the bits that a choice can carry).
 */
import type { ToolPolicy } from '../tool-policies.ts';
import type { CallFacts } from '../verdict.ts';
import { addressOf, isListed, isNamedByTask, onwardAddresses, readsOutside } from './outward-address.ts';
import type { Choice, Choices, ReadSoFar } from './read-item.ts';

/** For one site: twelve characters of random text at most, and no key. Eight picks of 200 pages. */
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
  const offered = offeredBy(read, site);
  if (freeSites.includes(site) || !offered.includes(address) || asked.at(-1)?.address === address) return undefined;
  const ofSite = asked.filter((it) => offered.includes(it.address));
  return { site, ...costOf(address, offered, ofSite) };
}

/** People chose the address, or the call is decided. */
function isFree(call: CallFacts, read: ReadSoFar, hosts: readonly string[]): boolean {
  const isDecided = read.choices?.running.includes(call.argumentsDigest) === true;
  return !readsOutside(call) || isDecided || isNamedByTask(call, read) || isListed(call, hosts);
}

function offeredBy({ items, addresses }: ReadSoFar, site: string): readonly string[] {
  const named = new Set(addresses);
  const pages = items.filter(({ label }) => label.readers === 'Everyone' && siteOf(label.source.name ?? '') === site);
  return [...new Set(pages.flatMap(onwardAddresses))].filter((address) => !named.has(address));
}

function costOf(address: string, offered: readonly string[], asked: Choices['asked']): Pick<Choice, 'bits' | 'isNext'> {
  const before = new Set(asked.map((it) => it.address));
  const open = offered.filter((it) => !before.has(it));
  const isNext = open[0] === address;
  const bits = Math.log2(offered.length);
  if (!isNext) return { bits, isNext };
  const isInOrder = asked.every(({ choice }) => choice?.isNext === true);
  if (isInOrder && open.length === 1)
    return { bits: -asked.reduce((sum, { choice }) => sum + (choice?.bits ?? 0), 0), isNext };
  return { bits: asked.at(-1)?.choice?.isNext === true ? 0 : bits, isNext };
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
