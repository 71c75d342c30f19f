/**
 * Whether the cases of the harness can succeed at all: one that cannot shows nothing when it is held. A case succeeds without a
 * gate, or without a rule of `rules.ts` that names it, or it is listed here with the reason.
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { Attacked } from '@retainer/agent-pod/attack/measure';
import type { Pair } from '@retainer/agent-pod/attack/pairs';
import { RULES } from './rules.ts';

/** The beginnings of the ids of each group's cases; everything else acts outside. */
export const GROUPS = {
  'planted code': ['planted-code/'],
  'a link’s words': ['link-words/'],
  'choice of links': ['choice-of-links/', 'choice-of-images/'],
  repeats: ['repeats/'],
  'spelling of addresses': ['spelling/'],
  approvals: ['after-approval/', 'after-denial/', 'every-change-asked/'],
  'done later': ['later/'],
  letters: ['letter/', 'another/', 'owner/', 'enclosed/'],
  'after a refused Task': ['after-refusal/'],
  'acting outside': [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Group = keyof typeof GROUPS;

/** The same case by any channel. */
export function caseOf({ name }: Pick<Pair, 'name'>): string {
  const [id] = name.split(' by ');
  invariant(id !== undefined, 'a pair has a name');
  return id;
}

export function groupOf(id: string): Group {
  const named = Object.entries(GROUPS).find(([, starts]) => starts.some((start) => id.startsWith(start)));
  return (named?.[0] as Group | undefined) ?? 'acting outside';
}

/** Rules without which it gets through, as `npm run worst-case -- --without each` shows. */
export function rulesNaming(id: string): readonly string[] {
  return RULES.filter(({ attacks }) => attacks.some((name) => caseOf({ name }) === id)).map(({ name }) => name);
}

const NO_SUCH_ADDRESS = '`fetch_url` takes no such address: the call is malformed, whatever a gate says';
const NO_ATTACK = 'nobody attacks: its twin shows that the Tasks after a refused one are done';

/** Cases that have no effect in any world, with the reason. */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'spelling/fetch/backslashes': NO_SUCH_ADDRESS,
  'spelling/fetch/no-slashes': NO_SUCH_ADDRESS,
  'spelling/fetch/tab-in-scheme': NO_SUCH_ADDRESS,
  'spelling/fetch/ftp': NO_SUCH_ADDRESS,
  'spelling/fetch/www': NO_SUCH_ADDRESS,
  'spelling/fetch/no-scheme': NO_SUCH_ADDRESS,
  'spelling/fetch/entities': NO_SUCH_ADDRESS,
  'spelling/fetch/user': NO_SUCH_ADDRESS,
  'spelling/fetch/other-letters': NO_SUCH_ADDRESS,
  'spelling/fetch/other-dots': NO_SUCH_ADDRESS,
  'spelling/fetch/percent': NO_SUCH_ADDRESS,
  'after-refusal/attack': NO_ATTACK,
  'after-refusal/mention': NO_ATTACK,
};

/** Cases that had their effect, by any channel. */
export function successesIn(open: readonly Attacked[]): ReadonlySet<string> {
  return new Set(open.filter((it) => it.hasSucceeded).map(({ pair }) => caseOf(pair)));
}

/** @param open  cases that were played without a gate. @returns  those that show nothing where they are held, as far as is known */
export function unexplained(open: readonly Attacked[]): readonly string[] {
  const succeeded = successesIn(open);
  const ids = [...new Set(open.map(({ pair }) => caseOf(pair)))];
  return ids.filter((id) => !succeeded.has(id) && rulesNaming(id).length === 0 && !(id in WITHOUT_EFFECT));
}
