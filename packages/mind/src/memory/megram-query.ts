/**
 * Answers the planner's questions to memory. It returns data only; the planner's side puts it into words.
 *
 * Source: artoo A.11 (rules, three recent ones, potentials; the user's always), A.17, A.10.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { ANY_ENTITY, slugWords, toolOf, USER_PAIR, writtenEntity, type MegramPair } from './megram-space.ts';
import type { MegramIndex } from './megrams.ts';
import { addPotentials, isCounted, potentialsOf, scalePotentials, type StoredMegram } from './potentials.ts';

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
}

/**
 * The answer on a tool with any entity is its reputation, plus one answer for each target that experience advises against or
 * policy blocked, worst first. The answer on an intent includes its neighbours; their weight also counts in the intent's
 * potentials.
 */
export function recollect(index: MegramIndex, { pairs, intent }: Recall, nowMs: number): Recollection {
  const asked = distinct([...pairs.map(({ space, entity }) => ({ space, entity: writtenEntity(entity) })), USER_PAIR]);
  const answers = asked.flatMap((pair) => {
    const near = intent === undefined ? [] : neighbours(index, pair, intent, nowMs);
    const own = answerOn(index, pair, nowMs);
    const potentials = addPotentials([own.potentials, ...near.map((it) => it.potentials)]);
    return [{ ...own, potentials }, ...near, ...warnedTargets(index, pair, nowMs)];
  });
  return {
    answers,
    recalledIds: [
      ...new Set(answers.flatMap(({ rules }) => rules.filter((it) => it.isWordless !== true).map(({ id }) => id))),
    ],
  };
}

/** Experience from similar tasks in the same environment, weighted by their similarity. */
function neighbours(
  index: MegramIndex,
  { space, entity }: MegramPair,
  intent: string,
  nowMs: number,
): readonly (MemoryAnswer & { readonly similarity: number })[] {
  if (slugWords(space) === undefined) return [];
  return index
    .neighboursOf(space, intent)
    .filter((it) => index.of(it.space, entity).length > 0)
    .slice(0, NEIGHBOURS_MAX)
    .map(({ space: other, similarity }) => {
      const answer = answerOn(index, { space: other, entity }, nowMs);
      return { ...answer, similarity, potentials: scalePotentials(answer.potentials, similarity) };
    });
}

function answerOn(index: MegramIndex, { space, entity }: MegramPair, nowMs: number): MemoryAnswer {
  const entities = entity === ANY_ENTITY ? index.entitiesOf(space) : [entity];
  const megrams = entities.flatMap((it) => index.of(space, it)).filter(isCounted);
  const newest = megrams.toSorted(newestFirst);
  return {
    space,
    entity,
    rules: newest
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

/** The words of a run that had read untrusted text may be a stranger's, and an answer stands among the planner's orders. */
function wordsOf({ isTrusted, content }: StoredMegram): Pick<MemoryAnswer['rules'][number], 'content' | 'isWordless'> {
  return isTrusted ? { content } : { content: '', isWordless: true };
}

/** A target that only such runs named is not told: its name is one of their words. */
function warnedTargets(index: MegramIndex, { space, entity }: MegramPair, nowMs: number): readonly MemoryAnswer[] {
  if (entity !== ANY_ENTITY || toolOf(space) === undefined) return [];
  return index
    .entitiesOf(space)
    .filter((target) => index.of(space, target).some(({ isTrusted }) => isTrusted))
    .map((target) => answerOn(index, { space, entity: target }, nowMs))
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
