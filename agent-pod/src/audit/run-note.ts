/**
 * Reads the facts about messages from a record of the store `run`, as an outsider. Pure.
 *
 * Lenient: reads the readable parts of a malformed record, and the caller judges the missing ones.
 *
 * Source: artoo A.12.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import { contentHash } from '@retainer/contract/wire/bus/envelope';
import { z } from 'zod';
import { messageFact, type MessageFact } from './message-fact.ts';

export const RUN_STORE = 'run';

export type RunNote =
  | {
      readonly kind: 'Sent';
      readonly recordSeq: number;
      readonly message: NotedMessage;
    }
  /** A role acted on it. */
  | { readonly kind: 'Received'; readonly recordSeq: number; readonly runId: string; readonly seq: number }
  /** `lastSeq`: of its last message; absent in records of older versions. */
  | { readonly kind: 'Closed'; readonly recordSeq: number; readonly runId: string; readonly lastSeq?: number };

export type RunNoteOf<K extends RunNote['kind']> = Extract<RunNote, { readonly kind: K }>;

export interface NotedMessage {
  readonly runId: string;
  readonly seq: number;
  readonly atMs: number;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly contentHash: string;
  /** Whether `contentHash` is the hash of the recorded payload. */
  readonly isHashRight: boolean;
  readonly fact: MessageFact | undefined;
}

const count = z.int().nonnegative();
const text = z.string().max(1024);

const Message = z.object({
  runId: text,
  seq: count,
  atMs: z.number(),
  type: text,
  from: text,
  to: text,
  contentHash: text,
  payload: z.json(),
});
/** The first version of the record had one message, later ones have a list. */
const Sent = z.union([
  z.object({ messages: z.array(z.unknown()) }),
  z.object({ message: z.unknown() }).transform(({ message }) => ({ messages: [message] })),
]);
const Received = z.object({ messageId: text });
const Closed = z.object({ messages: count });

const messageIdPattern = /^(.{1,1000})-m(\d{1,9})$/;

export const notedKinds: ReadonlySet<string> = new Set(['MessageSent', 'MessageReceived', 'RunClosed']);

export interface NotedRecord {
  readonly seq: number;
  readonly recordKind: string;
  readonly runId: string;
}

/** @param payload  parsed; undefined if unreadable */
export function readRunNotes({ seq: recordSeq, recordKind, runId }: NotedRecord, payload: unknown): readonly RunNote[] {
  switch (recordKind) {
    case 'MessageSent': {
      const parsed = Sent.safeParse(payload);
      return parsed.success ? parsed.data.messages.flatMap((it) => readSent(recordSeq, it)) : [];
    }
    case 'MessageReceived':
      return readReceived(recordSeq, payload);
    case 'RunClosed': {
      const parsed = Closed.safeParse(payload);
      return [{ kind: 'Closed', recordSeq, runId, ...(parsed.success ? { lastSeq: parsed.data.messages } : {}) }];
    }
    default:
      return [];
  }
}

function readSent(recordSeq: number, value: unknown): readonly RunNote[] {
  const parsed = Message.safeParse(value);
  if (!parsed.success) return [];
  const { payload, ...envelope } = parsed.data;
  const isHashRight = contentHash(payload) === envelope.contentHash;
  return [
    { kind: 'Sent', recordSeq, message: { ...envelope, isHashRight, fact: messageFact(envelope.type, payload) } },
  ];
}

function readReceived(recordSeq: number, value: unknown): readonly RunNote[] {
  const parsed = Received.safeParse(value);
  const [, runId, seq] = (parsed.success ? messageIdPattern.exec(parsed.data.messageId) : undefined) ?? [];
  return runId === undefined ? [] : [{ kind: 'Received', recordSeq, runId, seq: Number(seq) }];
}

const Line = z.object({ runId: text.optional(), cycleId: text.optional(), payload: z.unknown().optional() });

export interface LineContent {
  readonly runId: string;
  readonly cycleId: string | undefined;
  readonly payload: unknown;
}

export function readLineContent(line: string): LineContent {
  const parsed = Line.safeParse(parseJson(line));
  if (!parsed.success) return { runId: '', cycleId: undefined, payload: undefined };
  const { runId = '', cycleId, payload } = parsed.data;
  return { runId, cycleId, payload };
}
