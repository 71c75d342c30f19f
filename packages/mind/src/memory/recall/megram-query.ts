/**
 * Answers the planner's questions to memory. It returns data only; the planner's side puts it into words.
 *
 * Source: artoo A.11 (rules, three recent ones, potentials; the user's always), A.17, A.10.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import {
  ANY_ENTITY,
  slugWords,
  toolOf,
  USER_PAIR,
  writtenEntity,
  type MegramPair,
} from '../../parts/megrams/megram-space.ts';
import { IntentComparison, NEIGHBOUR_MIN } from './intent-comparison.ts';
import { termsOf } from './terms.ts';
import { mayRead, OWNER } from '../../gate/provenance/label.ts';
import { intentOf, type MegramIndex } from '../../parts/megrams/megrams.ts';
import {
  addPotentials,
  isCounted,
  potentialsOf,
  scalePotentials,
  type StoredMegram,
} from '../../parts/megrams/potentials.ts';

/** Source: artoo A.11. */
const RECENT_MAX = 3;

/** Rules of one pair: more than a person would remember, and few enough for a prompt. */
const RULES_MAX = 16;

/** Targets of one tool in warnings. */
const WARNED_TARGETS_MAX = 8;

/** Number of similar tasks in an answer besides the task itself. Source: artoo A.11. */
const NEIGHBOURS_MAX = 4;

export interface Recollection {
  /** In the order of the pairs: warned targets after their tool, neighbours after their intent; the user's come last. */
  readonly answers: readonly MemoryAnswer[];
  /** Ids of the rules that are told in words, each once. The recall restarts their decay. */
  readonly recalledIds: readonly string[];
}

export interface Recall {
  readonly pairs: readonly MegramPair[];
  /** Absent: no search for neighbours. */
  readonly intent?: string | undefined;
  /** Whom the answer is for. Absent: the owner. */
  readonly principal?: string | undefined;
}

/**
 * The answer on a tool with any entity is its reputation, plus one answer for each target that experience advises against or
 * policy blocked, worst first. The answer on an intent holds what the same intent taught, and is followed by its neighbours;
 * their weight also counts in the intent's potentials.
 */
export function recollect(
  known: MegramIndex,
  { pairs, intent, principal = OWNER }: Recall,
  nowMs: number,
  comparison = new IntentComparison(),
): Recollection {
  const index = asReadBy(known, principal);
  const asked = distinct([...pairs.map(({ space, entity }) => ({ space, entity: writtenEntity(entity) })), USER_PAIR]);
  const answers = asked.flatMap((pair): readonly MemoryAnswer[] =>
    intent === undefined || slugWords(pair.space) === undefined
      ? [answerOn(pair, megramsOf(index, pair), nowMs, fittingFirst(intent)), ...warnedTargets(index, pair, nowMs)]
      : answersOnIntent(index, { ...pair, intent }, nowMs, comparison),
  );
  return { answers, recalledIds: toldRules(answers) };
}

type Index = Pick<MegramIndex, 'of' | 'entitiesOf' | 'intents'>;

/** Lessons of what its reader may not read are none to this reader. */
function asReadBy(known: MegramIndex, principal: string): Index {
  if (principal === OWNER) return known;
  const isReadable = ({ readers = [OWNER] }: StoredMegram): boolean => mayRead(readers, principal);
  return {
    intents: known.intents,
    entitiesOf: (space) => known.entitiesOf(space),
    of: (space, entity) => known.of(space, entity).filter(isReadable),
  };
}

/** Ids of the rules that these answers tell in words, each once. */
export function toldRules(answers: readonly MemoryAnswer[]): readonly string[] {
  const told = answers.flatMap(({ rules }) => rules.filter((it) => it.isWordless !== true));
  return [...new Set(told.map(({ id }) => id))];
}

/** What the same intent taught in the same environment; then neighbours, weighed by how much they are alike. */
function answersOnIntent(
  index: Index,
  { intent, ...pair }: MegramPair & { readonly intent: string },
  nowMs: number,
  comparison: IntentComparison,
): readonly MemoryAnswer[] {
  const own: StoredMegram[] = [];
  const near: (MegramPair & { readonly megrams: readonly StoredMegram[]; readonly similarity: number })[] = [];
  for (const past of index.intents) {
    const { space } = past;
    const megrams = index.of(space, pair.entity).filter((it) => intentOf(it) === past.intent);
    const isSame = comparison.isSame(intent, past.intent);
    if (isSame) {
      own.push(...megrams);
      continue;
    }
    // The same beginning may hide another target: it makes a neighbour, and no more. So it is with a rule whose intent nobody knows.
    const alike = comparison.similarity(intent, past.intent);
    const similarity = space === pair.space ? Math.max(NEIGHBOUR_MIN, alike) : alike;
    if (similarity >= NEIGHBOUR_MIN && megrams.length > 0)
      near.push({ space, entity: pair.entity, megrams, similarity });
  }
  const told = near
    .toSorted((a, b) => b.similarity - a.similarity || (a.space < b.space ? -1 : 1))
    .slice(0, NEIGHBOURS_MAX)
    .map(({ megrams, similarity, ...other }) => {
      const answer = answerOn(other, megrams, nowMs);
      return { ...answer, similarity, potentials: scalePotentials(answer.potentials, similarity) };
    });
  const answer = answerOn(pair, own, nowMs);
  const potentials = addPotentials([answer.potentials, ...told.map((it) => it.potentials)]);
  return [{ ...answer, potentials }, ...told];
}

function megramsOf(index: Index, { space, entity }: MegramPair): readonly StoredMegram[] {
  const entities = entity === ANY_ENTITY ? index.entitiesOf(space) : [entity];
  return entities.flatMap((it) => index.of(space, it));
}

type Order = (a: StoredMegram, b: StoredMegram) => number;

/** Lessons whose tags a task names come before others, the newest first among equal ones. */
function fittingFirst(intent: string | undefined): Order {
  const asked = new Set(termsOf(intent ?? ''));
  const fit = ({ tags = [] }: StoredMegram): number =>
    tags.filter((tag) => termsOf(tag).every((term) => asked.has(term))).length;
  return (a, b) => fit(b) - fit(a) || newestFirst(a, b);
}

function answerOn(
  { space, entity }: MegramPair,
  known: readonly StoredMegram[],
  nowMs: number,
  order: Order = newestFirst,
): MemoryAnswer {
  const megrams = known.filter(isCounted);
  const newest = megrams.toSorted(newestFirst);
  return {
    space,
    entity,
    rules: megrams
      .toSorted(order)
      .filter(({ level }) => level === 'C')
      .slice(0, RULES_MAX)
      .map((megram) => ({ id: megram.id, sigma: megram.sigma, ...wordsOf(megram) })),
    recent: newest
      .filter(({ level }) => level !== 'C')
      .slice(0, RECENT_MAX)
      .map((megram) => ({ id: megram.id, state: megram.state, ...wordsOf(megram) })),
    potentials: potentialsOf(megrams, nowMs),
  };
}

/**
 * The words of a run that had read untrusted text may be a stranger's, and so may the targets that it tried; an answer stands among
 * the planner's orders.
 */
function wordsOf({
  isTrusted,
  content,
  blamed,
}: StoredMegram): Pick<MemoryAnswer['rules'][number], 'content' | 'isWordless' | 'blamed'> {
  if (!isTrusted) return { content: '', isWordless: true };
  return { content, ...(blamed === undefined ? {} : { blamed }) };
}

/** A target that only such runs named is not told: its name is one of their words. */
function warnedTargets(index: Index, { space, entity }: MegramPair, nowMs: number): readonly MemoryAnswer[] {
  if (entity !== ANY_ENTITY || toolOf(space) === undefined) return [];
  return index
    .entitiesOf(space)
    .filter((target) => index.of(space, target).some(({ isTrusted }) => isTrusted))
    .map((target) => answerOn({ space, entity: target }, index.of(space, target), nowMs))
    .filter(({ potentials, recent }) => potentials.action === 'Avoid' || recent.some(isBlock))
    .toSorted((a, b) => a.potentials.decision - b.potentials.decision || (a.entity < b.entity ? -1 : 1))
    .slice(0, WARNED_TARGETS_MAX);
}

/** Source: artoo A.10 (what policy blocked is remembered so that authority is asked for first). */
function isBlock({ state }: MemoryAnswer['recent'][number]): boolean {
  return state === 'PolicyBlock';
}

/** Ties are ordered by id, so that an answer never depends on the order of a map. */
function newestFirst(a: StoredMegram, b: StoredMegram): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1);
}

function distinct(pairs: readonly MegramPair[]): readonly MegramPair[] {
  return pairs.filter(
    (pair, position) => pairs.findIndex((it) => it.space === pair.space && it.entity === pair.entity) === position,
  );
}
