/** The address that a call asks for outside, and where it is known from. */
import { coversHost } from '../authority-entry.ts';
import { OUTWARD_EFFECT_CLASS } from '../tool-facts.ts';
import type { CallFacts } from '../verdict.ts';
import { addressesIn, oneAddress } from './addresses.ts';
import { argumentTexts } from './hidden-forms.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

/** Whether a call only reads outside; its request still sends data there. */
export function readsOutside({ effectClass }: Pick<CallFacts, 'effectClass'>): boolean {
  return effectClass === OUTWARD_EFFECT_CLASS;
}

/** @returns undefined if none of its arguments is an address */
export function addressOf({ argumentsText }: Pick<CallFacts, 'argumentsText'>): string | undefined {
  return argumentTexts(argumentsText).flatMap(oneAddress)[0];
}

/** Whether every text of the arguments is an address that the Task names; nothing read afterwards can have changed it. */
export function isNamedByTask(call: CallFacts, { addresses }: ReadSoFar): boolean {
  return readsOutside(call) && areAddressesOf(call, new Set(addresses));
}

/** @param hosts  the character's allow-list */
export function isListed({ domains }: CallFacts, hosts: readonly string[]): boolean {
  return domains.length > 0 && domains.every((host) => hosts.some((it) => coversHost(it, host)));
}

/** Also allows listed hosts, and an address on a public page to the same site: its author did not know this cycle. */
export function isKnownOutside(call: CallFacts, read: ReadSoFar, hosts: readonly string[]): boolean {
  if (isListed(call, hosts)) return true;
  const pages = read.items.filter(({ label }) => label.readers === 'Everyone');
  return areAddressesOf(call, new Set([...read.addresses, ...pages.flatMap(onwardAddresses)]));
}

/** The line by which `fetch_url` says what it fetched. It is ours, and offers nothing. */
const HEAD = /^\[\S{1,4096}: status \d{3}\b[^\n]*\n/;

/** Addresses in a page to its own site, in its order. */
export function onwardAddresses({ label, text }: ReadItem): readonly string[] {
  const site = label.source.name ?? '';
  return addressesIn(text.replace(HEAD, '')).filter((address) => isSameSite(new URL(address).hostname, site));
}

/** Whether the two hosts are equal or one is below the other: `example.org` links to `www.example.org`. */
function isSameSite(host: string, site: string): boolean {
  return host === site || host.endsWith(`.${site}`) || (host.includes('.') && site.endsWith(`.${host}`));
}

function areAddressesOf(call: CallFacts, known: ReadonlySet<string>): boolean {
  const texts = argumentTexts(call.argumentsText);
  return texts.length > 0 && texts.every((text) => oneAddress(text).some((address) => known.has(address)));
}
