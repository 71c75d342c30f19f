/** Conversations with questions and the messages that answer them, whatever format they come in. */
import type { Result } from '@retainer/contract/std/result';
import type { TextRecord } from '@retainer/mind/memory/recall/text-index';

export interface Question {
  readonly text: string;
  readonly type: string;
  /** Ids of records; never empty. */
  readonly evidence: ReadonlySet<string>;
}

export interface Conversation {
  readonly id: string;
  /** Messages in order; the group is the session. */
  readonly records: readonly (TextRecord & { readonly group: string })[];
  readonly questions: readonly Question[];
  /** Questions without evidence that one message is named by. */
  readonly skipped: number;
}

/** A format of published conversations. */
export interface ConversationFormat {
  readonly licence: string;
  /** Files with this ending are read, in the order of their paths. */
  readonly fileEnding: string;
  /** Types of questions that count in the sum; all if it is empty. */
  readonly counted: readonly string[];
  /** @param beside  reads a file at a path relative to the one that is parsed */
  readonly parse: (
    source: { readonly file: string; readonly text: string },
    beside: (path: string) => Promise<string | undefined>,
  ) => Promise<Result<readonly Conversation[], string>>;
}

/** Several messages with one id are no evidence: nobody can tell which was meant. */
export function withEvidence(
  question: { readonly text: string; readonly type: string },
  named: readonly string[],
  recordsOf: ReadonlyMap<string, readonly string[]>,
): readonly Question[] {
  const records = named.map((id) => recordsOf.get(id) ?? []);
  const evidence = new Set(records.flat());
  return evidence.size > 0 && records.every(({ length }) => length <= 1) ? [{ ...question, evidence }] : [];
}
