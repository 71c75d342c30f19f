/** Who gets what a call sends by mail. */
import type { KnownTools } from '../tool-facts.ts';
import type { CallFacts } from '../verdict.ts';
import { principalOfAddress } from './label.ts';
import { leavesOf } from './records.ts';
import { argumentsOf } from './shown-calls.ts';

/** Lowest effect class of a call that says something to somebody. */
const TELLING_EFFECT_CLASS = 3;

/** A name and angle brackets may stand around it. */
const MAIL_ADDRESS = /[^\s<>"(),:;@[\]\\]{1,64}@[^\s<>"(),:;@[\]\\]{1,255}/gu;

export interface Receiver {
  readonly address: string;
  readonly principal: string;
}

/** @param owners  addresses whose holders are the owner */
export function receiversOf(call: CallFacts, known: KnownTools, owners: readonly string[] = []): readonly Receiver[] {
  return destinationsOf(call, known)
    .flatMap((it) => it.match(MAIL_ADDRESS) ?? [])
    .map((address) => ({ address, principal: principalOfAddress(address, owners) }));
}

/** Bare, or in angle brackets after a name. No part of a URL looks like it: another host than a mail server would get what it holds. */
const RECEIVER =
  /^(?:[^<>@:/]*<[\p{L}\p{N}.!#$%'*+_{|}~-]{1,64}@[\p{L}\p{N}.-]{1,255}>|[\p{L}\p{N}.!#$%'*+_{|}~-]{1,64}@[\p{L}\p{N}.-]{1,255})$/u;

/** Whether a call sends something to mail addresses, and can send it nowhere else. */
export function goesOnlyByMail(call: CallFacts, known: KnownTools): boolean {
  const destinations = destinationsOf(call, known).flatMap((it) => it.split(/[,;]/));
  return destinations.length > 0 && destinations.every((it) => RECEIVER.test(it.trim()));
}

/** Whether each destination of a call names a mail address. */
export function goesByMail(call: CallFacts, known: KnownTools): boolean {
  const destinations = destinationsOf(call, known);
  return destinations.length > 0 && destinations.every((it) => it.search(MAIL_ADDRESS) !== -1);
}

/** What its receivers read of a letter: every text of the call but the addresses. */
export function wordsOfLetter({ tool, argumentsText }: CallFacts, known: KnownTools): string {
  const all = argumentsOf(known.factsOf(tool), JSON.parse(argumentsText));
  const words = all.filter(({ role }) => role !== 'Destination').flatMap(({ value }) => leavesOf(value));
  return words.join('\n\n');
}

/** Of a tool that declares its arguments: what it does not declare is the worst case, and counts as no letter. */
function destinationsOf({ tool, effectClass, argumentsText }: CallFacts, known: KnownTools): readonly string[] {
  const facts = known.factsOf(tool);
  if (effectClass < TELLING_EFFECT_CLASS || facts.arguments === undefined) return [];
  const all = argumentsOf(facts, JSON.parse(argumentsText));
  const texts = all.filter(({ role }) => role === 'Destination').flatMap(({ value }) => leavesOf(value));
  return texts.filter((it) => it !== '');
}
