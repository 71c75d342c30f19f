/**
 * Addresses as text: no renderer and no mail client makes a link or an image of it, and people can still read and copy it.
 * `https[:]//docs[.]example/page`, between backticks if the text allows it. What is shown is what a browser would have opened.
 *
 * I1  No address of the result can be followed, except the live ones; marking it again changes nothing.
 * I2  Linear in the text.
 *
 * Source: reliability-security 4 (image and link addresses in rendered output).
 */
import { writtenAddresses, type WrittenAddress } from './addresses.ts';

export interface Inert {
  readonly text: string;
  /** Addresses that are text now. */
  readonly count: number;
}

/** Breaking one address may uncover another that markup had hidden. More than two passes were never needed. */
const PASSES_MAX = 8;

/** @param isLive  stays as it is: people named it, so it tells nobody anything */
export function inertText(text: string, isLive: (address: WrittenAddress) => boolean): Inert {
  let result: Inert = { text, count: 0 };
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const { text: broken, count } = brokenOnce(result.text, isLive);
    if (count === 0) break;
    result = { text: broken, count: result.count + count };
  }
  return result;
}

function brokenOnce(text: string, isLive: (address: WrittenAddress) => boolean): Inert {
  const found = writtenAddresses(text)
    .filter((it) => !isLive(it))
    .toSorted((a, b) => a.start - b.start);
  let at = 0;
  let count = 0;
  let result = '';
  for (const { start, end, whole } of found) {
    if (start < at) continue;
    result += withoutMarkup(text.slice(at, start));
    result += between(result, text.slice(end), shownAddress(whole.at(-1) ?? text.slice(start, end)));
    at = end;
    count += 1;
  }
  return count === 0 ? { text, count } : { text: withoutTags(result + text.slice(at)), count };
}

/** Breaks the host, and whatever in the rest could be read as an address of its own. */
function shownAddress(href: string): string {
  return href
    .replaceAll('`', '%60')
    .replaceAll(/:(?=[/\\])/g, '[:]')
    .replaceAll(
      /([/\\]{2})([^/\\?#]*)/g,
      (_whole, slashes: string, host: string) => slashes + host.replaceAll('.', '[.]'),
    )
    .replaceAll(/(www)\./gi, '$1[.]')
    .replaceAll(/(https?):/gi, '$1[:]');
}

/** What stands before an address, without the signs that make a link, an image or a definition of it. */
function withoutMarkup(before: string): string {
  return before
    .replace(/!(?=\[[^\]\n]{0,2000}\]\([\s<]{0,16}$)/, '')
    .replace(/\]\((?=[\s<]{0,16}$)/, '] (')
    .replace(/\]:(?=[\s<]{0,16}$)/, '] :');
}

/** Backticks only if there are none in the line or around it. */
function between(before: string, after: string, shown: string): string {
  const line =
    before.slice(before.lastIndexOf('\n') + 1) + after.slice(0, `${after}\n`.indexOf('\n')).replaceAll(OWN, '');
  const isInBlock = (before.match(/^\s{0,3}(?:```|~~~)/gm) ?? []).length % 2 === 1;
  return isInBlock || line.replaceAll(OWN, '').includes('`') ? shown : `\`${shown}\``;
}

/** What {@link between} has written before. */
const OWN = /`[a-z]{2,5}\[:\]\/\/[^\s`]*`/g;

/** An attribute can hold an address in more ways than one, so no tag with attributes remains one. */
function withoutTags(text: string): string {
  return /<[a-z][^<>]{0,4000}=/i.test(text) ? text.replaceAll(/<(?=[a-z/!?])/gi, '< ') : text;
}
