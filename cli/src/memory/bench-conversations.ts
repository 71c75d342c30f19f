/** Recalls messages of conversations for their questions, and measures what came of it; BM25 does the same beside it. */
import { textTokens } from '@retainer/mind/assemble/trim-history';
import type { Meaning } from '@retainer/mind/meaning/text-vector';
import { TextIndex, type FoundText } from '@retainer/mind/memory/recall/text-index';
import type { Conversation, Question } from './conversation.ts';
import { bootstrapInterval, mean, recallAt, reciprocalRank, type Interval } from './measures.ts';

/** Messages that a recall hands over. */
const TURNS = 10;
/** Sessions that a recall names. */
const SESSIONS = 5;
/** Messages that are ranked to find the sessions. */
const TURNS_FOR_SESSIONS = 200;

export interface Figures {
  readonly questions: number;
  /** Mean part of the evidence among the first ten messages, or five sessions. */
  readonly recall: number;
  /** 95 %, conversations drawn. */
  readonly recallInterval: Interval;
  /** Part of the questions whose whole evidence is among them. */
  readonly all: number;
  readonly allInterval: Interval;
  readonly mrr: number;
}

export type RankerName = 'retainer' | 'bm25';
export type Level = 'turns' | 'sessions';

export interface ConversationBench {
  readonly conversations: number;
  readonly messages: number;
  readonly skipped: number;
  /** Of the types that count. */
  readonly sum: Readonly<Record<RankerName, Readonly<Record<Level, Figures>>>>;
  /** How much more of the evidence `retainer` recalls than BM25 does, in the same resamples. */
  readonly gain: { readonly recall: number; readonly interval: Interval };
  readonly byType: Readonly<Record<string, Readonly<Record<RankerName, Readonly<Record<Level, Figures>>>>>>;
  readonly msPerQuery: number;
  readonly msPerQueryMax: number;
  /** Tokens of ten messages, and of these with their neighbours. */
  readonly tokensPerRecall: number;
  readonly tokensWithNeighbours: number;
}

/** What one question came to. */
export interface Outcome {
  readonly conversation: string;
  readonly type: string;
  readonly scores: Readonly<Record<RankerName, Readonly<Record<Level, Score>>>>;
  readonly tookMs: number;
  readonly tokens: number;
  readonly tokensWithNeighbours: number;
}

interface Score {
  readonly recall: number;
  readonly all: number;
  readonly mrr: number;
}

export interface Asked {
  readonly meaning: Meaning;
  readonly nowMs: () => number;
}

/** Without groups nothing has neighbours; without vectors only words count: what is left of the index is BM25. */
export function benchConversation(
  { id, records, questions }: Conversation,
  { meaning, nowMs }: Asked,
): readonly Outcome[] {
  const own = new TextIndex();
  const bm25 = new TextIndex();
  for (const { group, ...record } of records) {
    own.add({ ...record, group }, meaning.vectorOf(record.text));
    bm25.add(record);
  }
  const textOf = new Map(records.map((record) => [record.id, record.text]));
  const sessionOf = new Map(records.map((record) => [record.id, record.group]));
  const tokensOf = (ids: Iterable<string>): number =>
    [...ids].reduce((sum, it) => sum + textTokens(textOf.get(it) ?? ''), 0);
  return questions.map((question): Outcome => {
    const { text } = question;
    const beganMs = nowMs();
    const { found } = own.find({ text, vector: meaning.vectorOf(text), count: TURNS });
    const tookMs = nowMs() - beganMs;
    const further = own.find({ text, vector: meaning.vectorOf(text), count: TURNS_FOR_SESSIONS });
    const words = bm25.find({ text, count: TURNS_FOR_SESSIONS });
    return {
      conversation: id,
      type: question.type,
      scores: {
        retainer: scoresOf(further.found, question, sessionOf),
        bm25: scoresOf(words.found, question, sessionOf),
      },
      tookMs,
      tokens: tokensOf(found.map((it) => it.id)),
      tokensWithNeighbours: tokensOf(new Set(found.flatMap((it) => [it.id, ...it.neighbours]))),
    };
  });
}

function scoresOf(
  found: readonly FoundText[],
  { evidence }: Question,
  sessionOf: ReadonlyMap<string, string>,
): Readonly<Record<Level, Score>> {
  const turns = found.map(({ id }) => id);
  const sessions = [...new Set(turns.map((id) => sessionOf.get(id) ?? ''))];
  return {
    turns: scoreOf(TURNS, turns, evidence),
    sessions: scoreOf(SESSIONS, sessions, new Set([...evidence].map((id) => sessionOf.get(id) ?? ''))),
  };
}

function scoreOf(count: number, ranked: readonly string[], relevant: ReadonlySet<string>): Score {
  const recall = recallAt(count, ranked, relevant);
  return { recall, all: recall === 1 ? 1 : 0, mrr: reciprocalRank(ranked.slice(0, count), relevant) };
}

export function sumUp(
  conversations: readonly Conversation[],
  outcomes: readonly Outcome[],
  counted: readonly string[],
): ConversationBench {
  const types = [...new Set(outcomes.map(({ type }) => type))].toSorted();
  const summed = outcomes.filter(({ type }) => counted.length === 0 || counted.includes(type));
  const gains = byConversation(summed, ({ scores }) => scores.retainer.turns.recall - scores.bm25.turns.recall);
  return {
    conversations: conversations.length,
    messages: conversations.reduce((sum, { records }) => sum + records.length, 0),
    skipped: conversations.reduce((sum, { skipped }) => sum + skipped, 0),
    sum: figuresOf(summed),
    gain: { recall: mean(gains.flat()), interval: bootstrapInterval(gains) },
    byType: Object.fromEntries(types.map((type) => [type, figuresOf(outcomes.filter((it) => it.type === type))])),
    msPerQuery: mean(outcomes.map(({ tookMs }) => tookMs)),
    msPerQueryMax: outcomes.reduce((most, { tookMs }) => Math.max(most, tookMs), 0),
    tokensPerRecall: mean(outcomes.map(({ tokens }) => tokens)),
    tokensWithNeighbours: mean(outcomes.map(({ tokensWithNeighbours }) => tokensWithNeighbours)),
  };
}

function figuresOf(outcomes: readonly Outcome[]): Readonly<Record<RankerName, Readonly<Record<Level, Figures>>>> {
  const of = (ranker: RankerName, level: Level): Figures => {
    const recalls = byConversation(outcomes, ({ scores }) => scores[ranker][level].recall);
    const alls = byConversation(outcomes, ({ scores }) => scores[ranker][level].all);
    return {
      questions: outcomes.length,
      recall: mean(recalls.flat()),
      recallInterval: bootstrapInterval(recalls),
      all: mean(alls.flat()),
      allInterval: bootstrapInterval(alls),
      mrr: mean(outcomes.map(({ scores }) => scores[ranker][level].mrr)),
    };
  };
  const both = (ranker: RankerName): Readonly<Record<Level, Figures>> => ({
    turns: of(ranker, 'turns'),
    sessions: of(ranker, 'sessions'),
  });
  return { retainer: both('retainer'), bm25: both('bm25') };
}

function byConversation(
  outcomes: readonly Outcome[],
  valueOf: (outcome: Outcome) => number,
): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const outcome of outcomes)
    groups.set(outcome.conversation, [...(groups.get(outcome.conversation) ?? []), valueOf(outcome)]);
  return [...groups.values()];
}
