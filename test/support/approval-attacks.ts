/**
 * Attacks on approvals, made by seed: what a model, a reader of the list, or a second decision might try so that a call runs which
 * no person approved as it is.
 *
 * Source: reliability-security 7.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { LETTER_LOOK_ALIKES } from '@retainer/mind/gate/text/look-alikes';
import { Seeded } from './seeded.ts';

/** Arguments of `send`, as an honest agent would make them. */
export type Arguments = {
  readonly to: string;
  readonly amount: number;
  readonly note: string;
  readonly urgent: boolean;
};

/** What an attack makes of them. */
export type Forged = { readonly [member: string]: Json };

export const mutations = [
  'Byte',
  'LookAlike',
  'Invisible',
  'Case',
  'Number',
  'Added',
  'Removed',
  'Type',
  'Swapped',
] as const;
export type Mutation = (typeof mutations)[number];

const names = ['ann', 'bob', 'carol', 'dave', 'erin', 'oscar', 'pat', 'alex'] as const;

export function argumentsOf(seed: number): Arguments {
  const random = new Seeded(seed);
  const name = (): string => names[random.below(names.length)] ?? 'ann';
  return {
    to: `${name()}@example.org`,
    amount: 1 + random.below(9000),
    note: `invoice ${random.below(100_000)} of ${name()}`,
    urgent: random.below(2) === 0,
  };
}

/** Other arguments that look much the same. Never equal to what they were made from. */
export function mutated(original: Arguments, mutation: Mutation, seed: number): Forged {
  const random = new Seeded(seed);
  const texts = ['to', 'note'] as const;
  const member = texts[random.below(texts.length)] ?? 'to';
  const text = original[member];
  const place = random.below(text.length);
  const change = (replacement: string, length = 1): Forged => ({
    ...original,
    [member]: text.slice(0, place) + replacement + text.slice(place + length),
  });
  switch (mutation) {
    case 'Byte':
      return change(String.fromCodePoint((text.codePointAt(place) ?? 0) ^ (1 + random.below(15))));
    case 'LookAlike':
      return { ...original, [member]: withLookAlike(text) };
    case 'Invisible':
      return change(['\u200b', '\u202e', '\u2060', '\u00ad'][random.below(4)] ?? '\u200b', 0);
    case 'Case':
      return { ...original, [member]: text.toUpperCase() };
    case 'Number':
      return { ...original, amount: original.amount * 10 };
    case 'Added':
      return { ...original, bcc: 'mallory@evil.example' };
    case 'Removed':
      return Object.fromEntries(Object.entries(original).filter(([name]) => name !== 'urgent'));
    case 'Type':
      return { ...original, amount: String(original.amount) };
    case 'Swapped':
      return { ...original, to: original.note, note: original.to };
  }
}

function withLookAlike(text: string): string {
  for (const [other, letter] of LETTER_LOOK_ALIKES) if (text.includes(letter)) return text.replace(letter, other);
  return `${text}\u0430`;
}

/** The same arguments in another order: the same call. */
export function reordered(original: Arguments): Forged {
  return Object.fromEntries(Object.entries(original).toReversed());
}
