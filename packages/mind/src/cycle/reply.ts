/** Divides an answer without tool calls into what leaves the agent and what stays inside the run. */
import { roleRow, type ThinkingRole } from '@retainer/contract/api/roles';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Message, ModelAnswer } from '../request/model-request.ts';

/** An answer without tool calls: the subject of the output gate. */
export interface Reply {
  readonly text: string;
  /** Present when a structure was requested and given. */
  readonly value?: Json;
  /** What people may read of it; empty when it stays inside the run. */
  readonly outgoing: string;
}

export function replyOf(role: ThinkingRole, content: ModelAnswer['content'], value: Json | undefined): Reply {
  const text = textOf(content);
  if (value === undefined) return { text, outgoing: text };
  const members = Object.entries(value as object).filter(([member]) => roleRow(role).leaves?.includes(member));
  return { text, value, outgoing: members.map(([, member]) => String(member)).join('\n') };
}

/** The reply with another outgoing part. @param text  the new one: the reply's own and a warning after it */
export function withWarning(role: ThinkingRole, reply: Reply, text: string): Omit<Reply, 'outgoing'> {
  const { value } = reply;
  if (value === undefined) return { text };
  const warning = text.startsWith(reply.outgoing) ? text.slice(reply.outgoing.length) : `\n${text}`;
  const member = roleRow(role).leaves?.findLast((name) => name in (value as object));
  if (member === undefined) return { text: reply.text, value };
  const members = value as Readonly<Record<string, string>>;
  return { text: reply.text, value: { ...members, [member]: `${members[member] ?? ''}${warning}` } };
}

export function withoutThinking(message: Message): Message {
  const content = message.content.filter(({ type }) => type !== 'Thinking');
  return content.length === message.content.length ? message : { ...message, content };
}

export function textOf(content: ModelAnswer['content']): string {
  return content
    .map((block) => (block.type === 'Text' ? block.text : ''))
    .join('')
    .trim();
}
