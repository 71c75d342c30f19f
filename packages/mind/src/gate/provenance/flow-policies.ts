/**
 * Where data may flow, judged at the call: the policies of the tool gate that look at what the cycle has read.
 *
 * I1  Rule of two: no call that asks outside runs in a cycle that has read both untrusted text and private data, but to an address
 *     that the Task names. No approval lifts this.
 * I2  A cycle that has read untrusted text changes nothing outside without a person's leave for exactly that call, whatever the
 *     character grants alone.
 * I3  Known secrets are in the arguments of no call, and private data in those of no call that reaches outside, in whatever
 *     spelling `hidden-forms.ts` knows.
 *
 * Source: design 5; reliability-security 4 (rule of two, fixed recipients).
 * Differs: the rule of two also admits a person's leave for class 3 and above: it is the supervision that the rule asks for, and
 * bound to the exact arguments. Reading the web is never put to a person there: such questions would be many, and the text of an
 * address says little.
 */
import { coversHost } from '../authority-entry.ts';
import { OUTWARD_EFFECT_CLASS } from '../tool-facts.ts';
import type { ToolPolicy } from '../tool-policies.ts';
import type { CallFacts, Verdict } from '../verdict.ts';
import { addressesIn, oneAddress } from './addresses.ts';
import { argumentTexts, hiddenSearch, tellingTokens } from './hidden-forms.ts';
import { sourceWords } from './label.ts';
import { firstPrivate, firstUntrusted } from './read-so-far.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

/** From here on it changes something there. */
const WRITING_EFFECT_CLASS = 3;

/** Tokens that are looked for, over all that was read. More of them are a table: nothing is sent out of a cycle that has read one. */
const TOKENS_MAX = 2048;

/** Of the cycle that makes a call. */
export interface Circumstances {
  readonly read?: ReadSoFar | undefined;
  readonly autonomous: boolean;
}

function verdict(kind: 'Reject' | 'Escalate', rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind, rule, reason };
}

/** The values are known where the answer came in; the record says only that one was there. */
export const secretsPolicy: ToolPolicy = {
  name: 'secrets/in-arguments',
  judge: (_call, { holdsSecret }) =>
    holdsSecret === true
      ? verdict(
          'Reject',
          'secrets/in-arguments',
          'Its arguments hold a secret of this installation, plain or in another form. Secrets go nowhere.',
        )
      : undefined,
};

export const ruleOfTwoPolicy: ToolPolicy = {
  name: 'flow/rule-of-two',
  judge(call, { read }) {
    if (read === undefined || call.effectClass !== OUTWARD_EFFECT_CLASS || isNamedByTask(call, read)) return undefined;
    const untrusted = firstUntrusted(read.items);
    const secret = firstPrivate(read.items);
    if (untrusted === undefined || secret === undefined) return undefined;
    return verdict(
      'Reject',
      'flow/rule-of-two',
      `This work has read untrusted text from ${told(untrusted)} and private data from ${told(secret)}, so it may ask outside only at addresses that the Task names, word for word.`,
    );
  },
};

export const privateArgumentsPolicy: ToolPolicy = {
  name: 'flow/private-in-arguments',
  judge(call, { read, autonomous }) {
    if (read === undefined || call.effectClass < OUTWARD_EFFECT_CLASS || isNamedByTask(call, read)) return undefined;
    const leaked = leakedSource(call, read, autonomous && call.effectClass === OUTWARD_EFFECT_CLASS);
    return leaked === undefined
      ? undefined
      : verdict(
          'Reject',
          'flow/private-in-arguments',
          `Its arguments hold something of ${leaked}, which those who would receive it may not read.`,
        );
  },
};

/**
 * Where nobody watches, only people and public pages choose addresses, whatever was read: an instruction may have come in by a skill
 * or a tool's description, which no label shows.
 *
 * @param hosts  the character's allow-list: where data of no particular person may go
 */
export function untrustedAddressPolicy(hosts: readonly string[]): ToolPolicy {
  return {
    name: 'flow/new-address',
    judge(call, { read, autonomous }) {
      if (read === undefined || call.effectClass !== OUTWARD_EFFECT_CLASS) return undefined;
      const why = doubtOf({ read, autonomous });
      if (why === undefined || isKnownOutside(call, read, hosts)) return undefined;
      return verdict(
        'Escalate',
        'flow/new-address',
        `${why}, and the address stands neither in what the Task asks for (intent, scope, criteria) nor on a page of the same site: it could carry something out.`,
      );
    },
  };
}

export const taintedEffectPolicy: ToolPolicy = {
  name: 'taint/effect-class',
  judge(call, { read }) {
    if (read === undefined || call.effectClass < WRITING_EFFECT_CLASS) return undefined;
    const untrusted = firstUntrusted(read.items);
    return untrusted === undefined
      ? undefined
      : verdict(
          'Escalate',
          'taint/effect-class',
          `It changes something outside, and this work has read untrusted text from ${told(untrusted)}. A person has to approve exactly this call first.`,
        );
  },
};

/** A call only reads, and by what it asks tells the outside something. */
export function asksOutside({ effectClass }: Pick<CallFacts, 'effectClass'>): boolean {
  return effectClass === OUTWARD_EFFECT_CLASS;
}

/** Whether a tool that asks outside is any use to this cycle. What is not offered is refused, too, when it is called. */
export function mayAskOutside({ items, addresses }: ReadSoFar): boolean {
  return addresses.length > 0 || firstUntrusted(items) === undefined || firstPrivate(items) === undefined;
}

/** Why what it does may be somebody else's wish; undefined where a person watches and nothing untrusted was read. */
export function doubtOf({ read, autonomous }: Circumstances): string | undefined {
  if (read === undefined) return undefined;
  const untrusted = firstUntrusted(read.items);
  if (untrusted !== undefined) return `This work has read untrusted text from ${told(untrusted)}`;
  return autonomous ? `Nobody watches this work (${instructionsOf(read)})` : undefined;
}

/** Where a stranger may have spoken if nothing that is labelled was read: skills, descriptions of tools, what the Task was given. */
export function instructionsOf({ cycleId }: Pick<ReadSoFar, 'cycleId'>): string {
  return cycleId === undefined ? 'its instructions' : `its instructions, record ${cycleId}`;
}

export function told({ label, recordId }: ReadItem): string {
  return `${sourceWords(label.source)}, record ${recordId}`;
}

/** Every text of its arguments is an address that the Task names: what was read could not change it. */
function isNamedByTask(call: CallFacts, { addresses }: ReadSoFar): boolean {
  return call.effectClass === OUTWARD_EFFECT_CLASS && areAddressesOf(call, new Set(addresses));
}

/** As well when a public page names it and it leads on within that site: it was written without what this cycle knows. */
function isKnownOutside(call: CallFacts, read: ReadSoFar, hosts: readonly string[]): boolean {
  const isListed = call.domains.length > 0 && call.domains.every((host) => hosts.some((it) => coversHost(it, host)));
  if (isListed) return true;
  const pages = read.items.filter(({ label }) => label.readers === 'Everyone');
  return areAddressesOf(call, new Set([...read.addresses, ...pages.flatMap(onwardAddresses)]));
}

function onwardAddresses({ label, text }: ReadItem): readonly string[] {
  const site = label.source.name ?? '';
  return addressesIn(text).filter((address) => isSameSite(new URL(address).hostname, site));
}

/** The host itself, one below it, or the one that it is below of: `example.org` sends its readers to `www.example.org`. */
function isSameSite(host: string, site: string): boolean {
  return host === site || host.endsWith(`.${site}`) || (host.includes('.') && site.endsWith(`.${host}`));
}

function areAddressesOf(call: CallFacts, known: ReadonlySet<string>): boolean {
  const texts = argumentTexts(call.argumentsText);
  return texts.length > 0 && texts.every((text) => oneAddress(text).some((address) => known.has(address)));
}

/** Whose data stands in the arguments. Instructions and input count once a stranger may have asked for them, or nobody watches. */
function leakedSource(call: CallFacts, read: ReadSoFar, isUnwatched: boolean): string | undefined {
  const { items, standing } = read;
  const search = hiddenSearch(call.argumentsText);
  let left = TOKENS_MAX;
  const holdsAny = (text: string): boolean => {
    const tokens = tellingTokens(text);
    left -= tokens.size;
    return left < 0 || [...tokens].some((token) => search.holds(token));
  };
  const secret = items.find(({ label, text }) => label.readers !== 'Everyone' && holdsAny(text));
  if (secret !== undefined) return told(secret);
  const counts = isUnwatched || firstUntrusted(items) !== undefined;
  return counts && standing.some(holdsAny) ? instructionsOf(read) : undefined;
}
