/**
 * What a letter and a reply may tell their readers: nothing telling of an item that one of them may not read, in any form that
 * `hidden-forms.ts` knows. What a correspondent wrote into the request tells this correspondent nothing.
 *
 * I1  What is another correspondent's, or nobody's, goes to no mail address, whatever a person permits.
 * I2  What is the owner's goes to a mail address only with a person's permission for exactly this call, and no key of it at all. In a
 *     reply to somebody else than the owner it does not go either: nobody could be asked.
 * I3  After untrusted text, a letter says nothing of the instructions but a correspondent's own words to this correspondent.
 *
 * Source: reliability-security 4 (labels on every value), 5 (a reply goes to its sender only); springdrift 10.
 */
import type { KnownTools } from '../tool-facts.ts';
import type { ToolPolicy } from '../tool-policies.ts';
import type { CallFacts, Policy, Verdict } from '../verdict.ts';
import { instructionsOf, told } from './flow-policies.ts';
import { hiddenSearch, tellingSearch } from './hidden-forms.ts';
import { keysIn } from './keys.ts';
import { isOfAnother, mayRead, OWNER, type Readers } from './label.ts';
import { goesByMail, goesOnlyByMail, receiversOf, type Receiver } from './mail-receivers.ts';
import { unshownText } from './own-account.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';
import { firstUntrusted } from './read-so-far.ts';
import { argumentsOf } from './shown-calls.ts';

export const READERS_RULE = 'flow/readers';

interface Leak {
  readonly item: ReadItem;
  readonly receiver: Receiver;
}

/** Refuses what nobody here may release (I1), and what a tainted letter would tell of the instructions (I3). */
export function othersReadersPolicy(known: KnownTools): ToolPolicy {
  return {
    name: READERS_RULE,
    judge(call, { read }) {
      const leak = leakOf(call, read, known, isOfAnother) ?? keyLeakOf(call, read, known);
      if (leak !== undefined) return verdict('Reject', leak, 'Nobody here can release it.');
      if (read === undefined || !goesByMail(call, known) || !tellsInstructions(call, read, known)) return undefined;
      const reason = `Its arguments hold something of ${instructionsOf(read)}, which those who would receive it may not read.`;
      return { gate: 'Tool', kind: 'Reject', rule: 'flow/private-in-arguments', reason };
    },
  };
}

/** Asks a person about what is the owner's (I2). */
export function ownersReadersPolicy(known: KnownTools): ToolPolicy {
  return {
    name: READERS_RULE,
    judge(call, { read }) {
      const leak = leakOf(call, read, known, () => true);
      return leak && verdict('Escalate', leak, 'A person may release exactly this.');
    },
  };
}

/** A letter is judged by readers, so what its receivers may read is not private to them. */
export function exceptLetters(policy: Policy<CallFacts>, known: KnownTools): Policy<CallFacts> {
  return {
    name: policy.name,
    judge: (call, context) => (goesOnlyByMail(call, known) ? undefined : policy.judge(call, context)),
  };
}

/** What a text for this run's principal would tell it of what it may not read; the owner may read all. */
export function unreadableSearch(read: ReadSoFar): (text: string) => ReadItem | undefined {
  const { principal = OWNER, items, asked = '' } = read;
  const kept = principal === OWNER ? [] : items.filter(({ label }) => !mayRead(label.readers, principal));
  return (text) => {
    if (kept.length === 0) return undefined;
    const isTold = tellingSearch(JSON.stringify(text), [asked]);
    return kept.find((it) => isTold(it.text));
  };
}

/** Items that a receiver may not read. @param counts  of which it is asked */
function unreadable(
  read: ReadSoFar,
  receivers: readonly Receiver[],
  counts: (readers: Readers, principal: string) => boolean,
): readonly Leak[] {
  return read.items.flatMap((item): readonly Leak[] => {
    const { readers } = item.label;
    const receiver = receivers.find(({ principal }) => !mayRead(readers, principal) && counts(readers, principal));
    if (receiver === undefined) return [];
    return [{ item, receiver }];
  });
}

function leakOf(
  call: CallFacts,
  read: ReadSoFar | undefined,
  known: KnownTools,
  counts: (readers: Readers, principal: string) => boolean,
): Leak | undefined {
  if (read === undefined) return undefined;
  const receivers = receiversOf(call, known, read.owners);
  const kept = unreadable(read, receivers, counts);
  if (kept.length === 0) return undefined;
  const isTold = tellingSearch(sentText(call, read, known), toldBy(receivers, read));
  return kept.find(({ item }) => isTold(item.text));
}

/** Of a key that people did not write into the request. */
function keyLeakOf(call: CallFacts, read: ReadSoFar | undefined, known: KnownTools): Leak | undefined {
  if (read === undefined) return undefined;
  const { asked = '' } = read;
  const kept = unreadable(read, receiversOf(call, known, read.owners), () => true).flatMap((leak) =>
    keysIn(leak.item.text).flatMap((key) => (asked.includes(key) ? [] : [{ ...leak, key }])),
  );
  if (kept.length === 0) return undefined;
  const search = hiddenSearch(sentText(call, read, known));
  return kept.find(({ key }) => search.holds(key));
}

function tellsInstructions(call: CallFacts, read: ReadSoFar, known: KnownTools): boolean {
  if (firstUntrusted(read.items) === undefined) return false;
  const theirs = toldBy(receiversOf(call, known, read.owners), read);
  return read.instructions.some(tellingSearch(sentText(call, read, known), theirs));
}

/** The words of the request, where whoever wrote them is the only receiver. */
function toldBy(receivers: readonly Receiver[], { principal = OWNER, asked = '' }: ReadSoFar): readonly string[] {
  return principal !== OWNER && receivers.every((it) => it.principal === principal) ? [asked] : [];
}

function sentText({ tool, argumentsText }: CallFacts, read: ReadSoFar, known: KnownTools): string {
  return unshownText(argumentsOf(known.factsOf(tool), JSON.parse(argumentsText)), read, known);
}

function verdict(kind: 'Reject' | 'Escalate', { item, receiver }: Leak, end: string): Verdict {
  const reason = `Its arguments hold something of ${told(item)}, which ${JSON.stringify(receiver.address)} may not read. ${end}`;
  return { gate: 'Tool', kind, rule: READERS_RULE, reason };
}
