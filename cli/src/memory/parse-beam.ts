/**
 * The files of BEAM: chats of a person with an assistant, of 128,000 to ten million tokens.
 *
 * Two forms are known: a directory for each chat with `chat.json` and `probing_questions/probing_questions.json`, and rows of
 * JSON with `chat` and `probing_questions`.
 *
 * Source: libraries 3. The formats are those of the repository mohammadtavakoli78/BEAM and of its pages at Hugging Face.
 */
import { dirname } from 'node:path';
import { parseJson } from '@retainer/contract/std/parse-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { withEvidence, type Conversation, type ConversationFormat } from './conversation.ts';
import { checked, parseLines } from './json-lines.ts';

const Message = z.object({
  id: z.union([z.int(), z.string()]),
  role: z.string(),
  content: z.string(),
  time_anchor: z.string().nullish(),
});

const Probes = z.record(
  z.string(),
  z.array(z.object({ question: z.string(), source_chat_ids: z.unknown().optional() })),
);

const Row = z.object({
  conversation_id: z.union([z.int(), z.string()]).transform(String),
  chat: z.array(z.unknown()),
  probing_questions: z.union([z.string(), Probes]),
});

/** Ends a message of a person: which plan and point it was written for. */
const PLAN_MARK = /->->\s*[\d,\s]+$/;

/** Levels of lists and objects around a message; four are published. */
const DEPTH_MAX = 12;

export const beam: ConversationFormat = {
  licence:
    'BEAM (mohammadtavakoli78/BEAM, Tavakoli et al. 2025): its licence stands beside the data, CC BY-SA 4.0 as published',
  fileEnding: 'chat.json',
  counted: [],
  parse: async ({ file, text }, beside) => {
    const value = parseJson(text);
    const isChat = Array.isArray(value) && value.length > 0 && !hasRows(value);
    if (isChat) return parseChat(file, value, await beside('probing_questions/probing_questions.json'));
    const rows =
      value === undefined
        ? parseLines(file, text, Row)
        : checked(file, value, z.union([z.array(Row).min(1), Row.transform((one) => [one])]));
    if (!rows.ok) return err([rows.error].flat()[0] ?? '');
    return gathered(rows.value.map((row) => conversationOf(`${file}: ${row.conversation_id}`, row)));
  },
};

/** Whether rows were meant, perhaps faulty ones. */
function hasRows([first]: readonly unknown[]): boolean {
  return typeof first === 'object' && first !== null && 'chat' in first;
}

function parseChat(
  file: string,
  chat: readonly unknown[],
  probes: string | undefined,
): Result<readonly Conversation[], string> {
  const place = `${dirname(file)}/probing_questions/probing_questions.json`;
  if (probes === undefined) return err(`${place}: no such file; it stands beside ${file}`);
  const questions = checked(place, parseJson(probes), Probes);
  if (!questions.ok) return questions;
  return gathered([
    conversationOf(file, { conversation_id: dirname(file), chat: [...chat], probing_questions: questions.value }),
  ]);
}

function gathered(all: readonly Result<Conversation, string>[]): Result<readonly Conversation[], string> {
  const conversations: Conversation[] = [];
  for (const one of all) {
    if (!one.ok) return one;
    conversations.push(one.value);
  }
  return ok(conversations);
}

function conversationOf(place: string, row: z.infer<typeof Row>): Result<Conversation, string> {
  const probes = probesOf(place, row.probing_questions);
  if (!probes.ok) return probes;
  const records: Conversation['records'][number][] = [];
  gather(row.chat, { path: '', session: '', isInBatch: false, when: '', depth: 0 }, records);
  if (records.length === 0) return err(`${place}: chat: has no message with id, role and content`);
  const recordsOf = new Map<string, string[]>();
  for (const { id } of records) {
    const named = id.slice(0, id.indexOf('@'));
    recordsOf.set(named, [...(recordsOf.get(named) ?? []), id]);
  }
  const asked = Object.entries(probes.value).flatMap(([type, questions]) =>
    questions.map((question) => ({ type, ...question })),
  );
  const questions = asked.flatMap(({ type, question: text, source_chat_ids: ids }) =>
    withEvidence({ text, type }, idsIn(ids, 0), recordsOf),
  );
  return ok({ id: row.conversation_id, records, questions, skipped: asked.length - questions.length });
}

function probesOf(
  place: string,
  questions: z.infer<typeof Row>['probing_questions'],
): Result<z.infer<typeof Probes>, string> {
  if (typeof questions !== 'string') return ok(questions);
  const value = parseJson(questions);
  if (value === undefined)
    return err(
      `${place}: probing_questions: is a literal of Python; write it as JSON: json.dumps(ast.literal_eval(…))`,
    );
  return checked(`${place}: probing_questions`, value, Probes);
}

interface Place {
  readonly path: string;
  /** Path of the batch around it, else of the list or object. */
  readonly session: string;
  readonly isInBatch: boolean;
  readonly when: string;
  readonly depth: number;
}

/** A session is a batch, where there are batches; else the list that a message stands in. */
function gather(value: unknown, place: Place, records: Conversation['records'][number][]): void {
  if (typeof value !== 'object' || value === null || place.depth > DEPTH_MAX) return;
  const message = Message.safeParse(value);
  if (message.success) {
    records.push(recordOf(message.data, place, records));
    return;
  }
  const { path, session, isInBatch, depth } = place;
  const when = 'time_anchor' in value && typeof value.time_anchor === 'string' ? value.time_anchor : place.when;
  const inside = {
    session: isInBatch ? session : path,
    isInBatch: isInBatch || 'turns' in value,
    when,
    depth: depth + 1,
  };
  for (const [key, inner] of Object.entries(value)) gather(inner, { ...inside, path: `${path}/${key}` }, records);
}

function recordOf(
  { id, role, content, time_anchor: anchor }: z.infer<typeof Message>,
  { session: group, when }: Place,
  before: Conversation['records'],
): Conversation['records'][number] {
  const last = before.at(-1);
  // Only the first message of a session says when it was.
  const known = last?.group === group ? last.when : undefined;
  const text = `${role}: ${content.replace(PLAN_MARK, '').trim()}`;
  // Ids are not unique in the longest chats, so the position is part of the record's.
  return { id: `${id}@${before.length}`, text, when: anchor ?? known ?? when, group };
}

/** The ids in a number, a list, or an object of lists. */
function idsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'number' || typeof value === 'string') return [String(value)];
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return [];
  return Object.values(value).flatMap((it) => idsIn(it, depth + 1));
}
