/**
 * What a reply may contain. It goes to a place where addresses are rendered, previewed and clicked.
 *
 * I1  Every address in a reply occurs in the cycle's input or in what it has read. An address that the model invented could carry
 *     any data.
 * I2  A reply contains no key from the instructions, from memory, or from a file that the Task does not name, in any form that
 *     `hidden-forms.ts` knows, unless people wrote it into the Task.
 *
 * I3  A reply to somebody else than the owner tells nothing of what they may not read (`readers-policy.ts`).
 *
 * The policy does not search a program's output for keys: programs are run to print digests and numbers, and the reader is
 * whoever gave the Task.
 *
 * Source: reliability-security 4 (image and link addresses in rendered output, data split or encoded).
 */
import { ASK_PERSON, questionIn } from '../person-question.ts';
import type { KnownTools } from '../tool-facts.ts';
import type { CallFacts, GateContext, Policy, Verdict } from '../verdict.ts';
import { addressesIn, writtenAddresses } from './addresses.ts';
import { instructionsOf, told } from './flow-policies.ts';
import { hiddenSearch } from './hidden-forms.ts';
import { goesByMail, wordsOfLetter } from './mail-receivers.ts';
import { keysIn } from './keys.ts';
import { READERS_RULE, unreadableSearch } from './readers-policy.ts';
import { firstUntrusted } from './read-so-far.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

/** @returns undefined if no rule objects */
export function judgeReply(text: string, { read }: GateContext): Verdict | undefined {
  if (read === undefined) return undefined;
  const address = madeUpAddress(text, read);
  if (address) {
    return refused(
      'flow/new-address-in-reply',
      `It holds an address that stands neither in the Task nor in anything that was read, so it could carry something out. What could have asked for it: ${suspect(read)}. Give addresses as they were found.`,
    );
  }
  const unreadable = unreadableSearch(read)(text);
  if (unreadable !== undefined)
    return refused(
      READERS_RULE,
      `It holds something of ${told(unreadable)}, which whoever asked may not read. Answer without it, and say that you may not tell it.`,
    );
  const source = keySource(read)(text);
  return source === undefined
    ? undefined
    : refused(
        'flow/key-in-reply',
        `It holds a key of ${source}, plain or in another form, and the Task does not ask for it.`,
      );
}

export const replyPolicy: Policy<{ readonly text: string }> = {
  name: 'flow/reply',
  judge: ({ text }, context) => judgeReply(text, context),
};

/** A question to a person is delivered like a reply. */
export const questionPolicy: Policy<CallFacts> = {
  name: 'flow/question',
  judge({ tool, argumentsText }, context) {
    const told = tool === ASK_PERSON ? judgeReply(questionIn(JSON.parse(argumentsText)), context) : undefined;
    return told === undefined ? undefined : { ...told, gate: 'Tool' };
  },
};

/** What lets the agent act later may be words that a person gets then, and no gate sees them again: they are held to what a reply is. */
export function putOffPolicy(known: KnownTools): Policy<CallFacts> {
  return {
    name: 'flow/put-off',
    judge({ tool, argumentsText }, context) {
      const refusal = known.factsOf(tool).actsLater ? judgeReply(argumentsText, context) : undefined;
      return refusal === undefined ? undefined : { ...refusal, gate: 'Tool' };
    },
  };
}

/** The words of a letter are read as they stand, and no gate sees them again: they are held to what a reply is. */
export function letterPolicy(known: KnownTools): Policy<CallFacts> {
  return {
    name: 'flow/letter',
    judge(call, context) {
      const refusal = goesByMail(call, known) ? judgeReply(wordsOfLetter(call, known), context) : undefined;
      return refusal === undefined ? undefined : { ...refusal, gate: 'Tool' };
    },
  };
}

/** The most likely origin of an injected request: the first untrusted item, else the cycle's instructions. */
function suspect(read: ReadSoFar): string {
  const untrusted = firstUntrusted(read.items);
  return untrusted === undefined ? instructionsOf(read) : told(untrusted);
}

function refused(rule: string, reason: string): Verdict {
  return { gate: 'Output', kind: 'Reject', rule, reason };
}

function madeUpAddress(text: string, { items, addresses, instructions }: ReadSoFar): boolean {
  const wanted = writtenAddresses(text);
  if (wanted.length === 0) return false;
  const read = [...instructions, ...items.map((it) => it.text)];
  const known = new Set([...addresses, ...read.flatMap(addressesIn)]);
  return wanted.some(({ spellings }) => !spellings.some((address) => known.has(address)));
}

/** Whose key a text holds that people did not write into the Task. What was read is searched for keys once, for all texts. */
export function keySource(read: ReadSoFar): (text: string) => string | undefined {
  const { items, kept = [], asked = '' } = read;
  const keysOf = (secret: string): readonly string[] => keysIn(secret).filter((key) => !asked.includes(key));
  const held = items
    .filter((it) => isKept(it, asked))
    .map((item) => ({ source: () => told(item), keys: keysOf(item.text) }));
  const owned = { source: () => instructionsOf(read), keys: kept.flatMap(keysOf) };
  const sources = [...held, owned].filter(({ keys }) => keys.length > 0);
  return (text) => {
    // Most of what is read holds no key, and the search is the dear part.
    if (sources.length === 0) return undefined;
    const search = hiddenSearch(JSON.stringify(text));
    return sources.find(({ keys }) => keys.some((key) => search.holds(key)))?.source();
  };
}

/** Memory and files, except those that people named. */
function isKept({ label: { source, readers } }: ReadItem, asked: string): boolean {
  if (readers === 'Everyone' || (source.kind !== 'Memory' && source.kind !== 'Workspace')) return false;
  if (source.kind === 'Memory') return true;
  return source.name !== undefined && !asked.includes(source.name);
}
