/**
 * Which calls with an effect outside need no person after untrusted text: those that people or the account's own records choose.
 *
 * I1  The first plan names the tool, and that plan follows from people's words alone.
 * I2  Each destination and target stands as a whole, and each name word for word, in the people's words of the Task or in a record.
 *     One destination may stand in a text that the Task names as its source, if that text holds no second one, and if nothing
 *     private has been read.
 * I3  Content may say anything to receivers that people name, except addresses that only a stranger gives. Other receivers get no
 *     target, such as a file, and nothing that repeats what is private.
 * I4  What the agent wrote into a call shows nothing when it comes back in a result. After untrusted text, a result shows something
 *     only if its own call met I1 and I2.
 * I5  Nothing private was read after untrusted text by a call that the first plan does not name: a stranger may have asked for it.
 *
 * Source: reliability-security 4 (labels on every value; plan then execute; fixed recipients); design 5.
 * Differs: CaMeL's interpreter follows each value through the program. Here a model stands between result and call, so a value counts
 * by where it stands. Which of several shown values is taken, untrusted text may sway: what cannot be undone always needs a person.
 */
import type { ArgumentRole, KnownTools, ToolFacts } from '../tool-facts.ts';
import type { CallFacts } from '../verdict.ts';
import { addressesIn, oneAddress } from './addresses.ts';
import { wordsSearch } from './held-words.ts';
import type { ReadSoFar } from './read-item.ts';
import { firstPrivate } from './read-so-far.ts';
import { leavesOf, recordsIn } from './records.ts';
import { areAddressesIn, areWordsIn, isNumberIn, standsIn } from './shown-values.ts';

/** @returns why a person has to look at the call, as the end of a sentence; undefined: nothing about it is a stranger's choice */
export function whyUnshown(call: CallFacts, read: ReadSoFar, known: KnownTools): string | undefined {
  const facts = known.factsOf(call.tool);
  if (facts.arguments === undefined) return 'its tool does not declare what its arguments do';
  const subject = { facts, input: JSON.parse(call.argumentsText) as unknown };
  const shown = { texts: shownTexts(read, known), read };
  return (
    unplanned(call.tool, read) ?? strayRead(read) ?? unshownArgument(subject, shown) ?? unfitContent(subject, shown)
  );
}

/** The texts that may choose: first the people's words, then the records read so far. */
export function shownTexts(read: ReadSoFar, known: KnownTools): readonly string[] {
  const texts = [read.asked ?? ''];
  const hasRecords = read.items.some(({ call }) => call && known.factsOf(call.tool).output.records !== undefined);
  if (!hasRecords) return texts;
  const own: string[] = [];
  let isTainted = false;
  for (const { call, label, text } of read.items) {
    if (call !== undefined) {
      const facts = known.factsOf(call.tool);
      const subject = { facts, input: call.input };
      const counts =
        !isTainted || (unplanned(call.tool, read) ?? unshownArgument(subject, { texts, read })) === undefined;
      own.push(...leavesOf(call.input).filter((it) => !standsIn(it, texts)));
      const records = counts ? recordsIn(text, facts.output, call.othersAt) : [];
      texts.push(...records.filter((it) => !own.some((word) => standsIn(word, [it]) || standsIn(it, [word]))));
    }
    isTainted ||= label.trust === 'Untrusted';
  }
  return texts;
}

interface Subject {
  readonly facts: ToolFacts;
  readonly input: unknown;
}

function unplanned(tool: string, { planned = [] }: ReadSoFar): string | undefined {
  return planned.includes(tool) ? undefined : 'the plan that was made before does not name its tool';
}

/** The first private item that a call brought which the plan does not name, after untrusted text. */
function strayRead(read: ReadSoFar): string | undefined {
  const { items } = read;
  const later = items.slice(items.findIndex(({ label }) => label.trust === 'Untrusted') + 1);
  const stray = later.find(
    ({ call, label }) => call && label.readers !== 'Everyone' && unplanned(call.tool, read) !== undefined,
  );
  return stray?.call && `after that it called ${stray.call.tool}, which the plan that was made before does not name`;
}

function unshownArgument({ facts, input }: Subject, shown: ShownBy): string | undefined {
  const found = argumentsOf(facts, input).find((it) => it.role !== 'Content' && !isShown(it, shown));
  return (
    found && `neither the Task nor a record that no stranger writes shows its argument ${JSON.stringify(found.name)}`
  );
}

interface ShownBy {
  readonly texts: readonly string[];
  readonly read: ReadSoFar;
}

export function isShown({ role, value }: Argument, by: ShownBy): boolean {
  return role !== 'Content' && valuesOf(value).every((it) => isValueShown(it, role, by));
}

function isValueShown(value: string | number, role: ArgumentRole, { texts, read }: ShownBy): boolean {
  if (value === '') return true;
  if (typeof value === 'number') return isNumberIn(value, texts);
  if (role === 'Name') return areWordsIn(value, texts);
  if (standsIn(value, texts)) return true;
  if (role !== 'Destination') return false;
  return oneAddress(value).some((it) => read.addresses.includes(it)) || isOnlyOneAt(value, read);
}

/**
 * Whether the pages that the Task names give this one mail address and no other. All of them must have been read, so that none could
 * give another one; and nothing private, which could be sent there. Other pages of their hosts give nothing: a stranger may have
 * written them.
 */
function isOnlyOneAt(value: string, { items, addresses }: ReadSoFar): boolean {
  const named = wholePages(addresses.map(pageOf));
  const sources = items.flatMap(({ call, label: { source }, text }) => {
    const asked = source.kind === 'Web' ? leavesOf(call?.input).flatMap(addressesIn).map(pageOf) : [];
    const page = asked.find((it) => named.has(it) && it.startsWith(`${source.name ?? ''}/`));
    return page === undefined ? [] : [{ page, text }];
  });
  const read = new Set(sources.map(({ page }) => page));
  const given = new Set(sources.flatMap(({ text }) => text.match(MAIL_ADDRESS) ?? []));
  return firstPrivate(items) === undefined && read.size === named.size && given.size === 1 && given.has(value);
}

/** Signs at the end of an address belong to the sentence around it, and a slash there names the same page. */
const SENTENCE_SIGNS = /[.,;:!?)\]}'"»”’/]+$/u;

/** Host, path and query. Http or https, and a dot behind the host, make no other page. */
function pageOf(address: string): string {
  const { hostname, port, pathname, search } = new URL(address);
  const host = `${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}`;
  return `${host}/${`${pathname}${search}`.slice(1).replace(SENTENCE_SIGNS, '')}`;
}

/** Without those that are the beginning of another one, cut at a sign: one written address has several spellings. */
function wholePages(pages: readonly string[]): ReadonlySet<string> {
  const isCutFrom = (cut: string, whole: string): boolean =>
    whole.length > cut.length && whole.startsWith(cut) && /[^\p{L}\p{N}/?]/u.test(whole.charAt(cut.length));
  return new Set(pages.filter((page) => !pages.some((whole) => isCutFrom(page, whole))));
}

const MAIL_ADDRESS = /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}\p{L}{2,63}/gu;

function unfitContent({ facts, input }: Subject, { texts, read }: ShownBy): string | undefined {
  const all = argumentsOf(facts, input);
  const content = all.filter(({ role }) => role === 'Content');
  const linking = content.find(({ value }) => !leavesOf(value).every((it) => areAddressesIn(it, texts)));
  if (linking !== undefined)
    return `its argument ${JSON.stringify(linking.name)} holds an address that neither the Task nor a record shows`;
  const asked = [read.asked ?? ''];
  const receivers = all.filter(({ role }) => role === 'Destination').flatMap(({ value }) => leavesOf(value));
  if (receivers.every((it) => standsIn(it, asked))) return undefined;
  const secrets = read.items.filter(({ label }) => label.readers !== 'Everyone');
  const isTelling = (text: string): boolean => {
    const search = wordsSearch(text);
    return !standsIn(text, asked) && secrets.some((it) => search(it.text));
  };
  const kept = all.find(({ role, value }) => {
    const texts_ = leavesOf(value);
    return role === 'Target' ? texts_.length > 0 : role === 'Content' && texts_.some(isTelling);
  });
  return (
    kept &&
    `people do not name its receivers, and its argument ${JSON.stringify(kept.name)} gives them something private`
  );
}

export interface Argument {
  readonly name: string;
  readonly role: ArgumentRole;
  readonly value: unknown;
}

export function argumentsOf({ arguments: roles = {} }: ToolFacts, input: unknown): readonly Argument[] {
  const members = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  return members.map(([name, value]) => ({
    name,
    role: Object.hasOwn(roles, name) ? (roles[name] ?? 'Destination') : 'Destination',
    value,
  }));
}

function valuesOf(value: unknown): readonly (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesOf) : [];
}
