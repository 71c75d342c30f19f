/**
 * What the declared arguments of a tool change for the policies of data flow (`flow-policies.ts`).
 *
 * I1  A call that only reads, and whose arguments name no destination, sends its words to the service that holds the account, and
 *     to nobody else.
 * I2  An address in a record counts like one that the Task names: no stranger wrote it.
 * I3  What a call affects is no message: destinations and targets that people's words or records show are not searched for private
 *     data.
 *
 * Source: reliability-security 4.
 */
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { OUTWARD_EFFECT_CLASS, type KnownTools, type ToolFacts } from '../tool-facts.ts';
import type { CallFacts, Policy } from '../verdict.ts';
import { addressesIn } from './addresses.ts';
import type { ReadSoFar } from './read-item.ts';
import { argumentsOf, isShown, shownTexts, type Argument } from './shown-calls.ts';

export function asksOwnService({ effectClass, arguments: roles }: ToolFacts): boolean {
  if (roles === undefined || effectClass !== OUTWARD_EFFECT_CLASS) return false;
  return Object.values(roles).every((role) => role !== 'Destination');
}

/** With the addresses in records among those that the Task names. */
function withAddresses(read: ReadSoFar, known: KnownTools): ReadSoFar {
  const [, ...records] = shownTexts(read, known);
  const found = records.flatMap(addressesIn);
  return found.length === 0 ? read : { ...read, addresses: [...read.addresses, ...found] };
}

/** The policy, as it judges a tool that declares its arguments. */
export function withRecords(policy: Policy<CallFacts>, known: KnownTools): Policy<CallFacts> {
  return {
    name: policy.name,
    judge(call, context) {
      const { read } = context;
      const facts = known.factsOf(call.tool);
      if (facts.arguments === undefined || read === undefined) return policy.judge(call, context);
      const input: unknown = JSON.parse(call.argumentsText);
      const all = argumentsOf(facts, input);
      if (facts.effectClass === OUTWARD_EFFECT_CLASS) {
        if (all.every(({ role }) => role !== 'Destination')) return undefined;
        return policy.judge(call, { ...context, read: withAddresses(read, known) });
      }
      return policy.judge({ ...call, argumentsText: unshownText(all, read, known) }, context);
    },
  };
}

/** The arguments of a call that can be a message, as JSON (I3). */
export function unshownText(all: readonly Argument[], read: ReadSoFar, known: KnownTools): string {
  const texts = shownTexts(read, known);
  const rest = all.filter((it) => it.role === 'Name' || !isShown(it, { texts, read }));
  return canonicalJson(Object.fromEntries(rest.map(({ name, value }) => [name, value as Json])));
}
