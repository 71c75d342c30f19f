/** Texts made from frames: `{a|b}` is one of these, `<name>` a phrase of a list; both may be nested. */
import type { Seeded } from '../../../test/support/seeded.ts';

export type Lists = Readonly<Record<string, readonly string[]>>;

/** Frames of one way to attack, or of one harmless matter. */
export interface Family {
  readonly name: string;
  readonly frames: readonly string[];
  /** Also set into a harmless text. */
  readonly isEmbedded?: boolean;
  /** Also set into what a tool brings back. */
  readonly isInToolResult?: boolean;
}

/** Frames within lists within frames. */
const DEPTH_MAX = 12;
const INNERMOST = /\{([^{}]*)\}/g;
const NAMED = /<(\w+)>/g;

export function expand(frame: string, lists: Lists, random: Seeded): string {
  let text = frame;
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const next = text
      .replaceAll(INNERMOST, (_, choices: string) => pick(choices.split('|'), random))
      .replaceAll(NAMED, (whole, name: string) => (lists[name] === undefined ? whole : pick(lists[name], random)));
    if (next === text) break;
    text = next;
  }
  return text.replaceAll('\\n', '\n').replaceAll(/ {2,}/g, ' ').trim();
}

export function pick<T>(items: readonly T[], random: Seeded): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
