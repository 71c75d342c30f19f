/**
 * Makes an answer whole, between the wire and the record. Pure; the same for every model.
 *
 * I1  What leaves here is what the record, the digests, the gate, the tools and the next request see.
 * I2  A server that gave the answer takes it back: its texts are well formed and not blank, its calls have ids that no other call of
 *     the cycle has, and thoughts go back byte for byte or not at all.
 * I3  A call that cannot be taken as it was sent never runs. Its block says why, and the model reads it.
 * I4  Whatever was changed is said, without the words that were changed.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { isBlank, wellFormed } from '@retainer/contract/std/well-formed';
import type { ContentBlock, ModelRequest, StopReason } from '@retainer/mind/request/model-request';
import type { AttemptAnswer } from './model-attempt.ts';
import { wholeJson } from './whole-json.ts';
import { wholeUsage } from './whole-usage.ts';

/** Longest name of a call in a conversation. Source: Messages API. */
const NAME_CHARS_MAX = 128;

/** Longest name of a model that is believed; real ones have fewer than 100. */
const MODEL_CHARS_MAX = 200;

type ToolUse = Extract<ContentBlock, { readonly type: 'ToolUse' }>;

/** @param callId  of the model call, unique in the agent and equal after a restart */
export function wholeAnswer(answer: AttemptAnswer, request: ModelRequest, callId: string): AttemptAnswer {
  const notes = new Set(answer.mended);
  const numbered = withOwnIds(answer.content, callId);
  const blocks = numbered.flatMap((block) => wholeBlock(block, notes));
  const content = withoutLastThoughts(answer.stop === 'Refusal' ? withoutCalls(blocks, notes) : blocks, notes);
  const { usage, mended } = wholeUsage(answer.usage, request, content);
  for (const note of mended) notes.add(note);
  const { mended: _, ...rest } = answer;
  return {
    ...rest,
    content,
    stop: settled(answer.stop, content),
    usage,
    model: modelName(answer.model, request, notes),
    ...(notes.size === 0 ? {} : { mended: [...notes] }),
  };
}

/** Ids of servers may be empty, equal, or the same in every turn. */
function withOwnIds(content: readonly ContentBlock[], callId: string): readonly ContentBlock[] {
  let calls = 0;
  return content.map((block) => {
    if (block.type !== 'ToolUse') return block;
    calls += 1;
    return { ...block, id: `call_${sha256Hex(`${callId}/${calls - 1}`).slice(0, 24)}` };
  });
}

function wholeBlock(block: ContentBlock, notes: Set<string>): readonly ContentBlock[] {
  switch (block.type) {
    case 'Text': {
      if (isBlank(block.text)) return leftOut(notes, block.text === '' ? undefined : 'a blank text was left out');
      const text = wellFormed(block.text);
      if (text !== block.text) notes.add('broken characters of a text became U+FFFD');
      return [{ ...block, text }];
    }
    case 'Thinking': {
      const isReturnable = block.seal === wellFormed(block.seal) && block.text === wellFormed(block.text);
      return isReturnable ? [block] : leftOut(notes, 'thoughts with broken characters were left out');
    }
    case 'ToolUse':
      return [wholeCall(block, notes)];
    case 'ToolResult':
      return leftOut(notes, 'a result that no model may give was left out');
  }
}

function leftOut(notes: Set<string>, note: string | undefined): readonly [] {
  if (note !== undefined) notes.add(note);
  return [];
}

/** A name that was changed could be the name of another tool, so its call does not run. */
function wholeCall(call: ToolUse, notes: Set<string>): ToolUse {
  const name = callName(call.name);
  const input = wholeJson(call.input);
  const fault = call.fault ?? nameFault(call.name, name) ?? (input.ok ? undefined : input.error);
  if (input.ok && input.value !== call.input)
    notes.add('broken characters or a -0 in the arguments of a call were replaced');
  if (fault === undefined) return { ...call, input: input.ok ? input.value : {} };
  notes.add('a call that cannot be taken as it was sent was not run, and its arguments were dropped');
  return { ...call, name, input: {}, fault: wellFormed(fault) };
}

function callName(name: string): string {
  const legal = wellFormed(name)
    .replaceAll(/[^a-zA-Z0-9_-]/gu, '_')
    .slice(0, NAME_CHARS_MAX);
  return legal === '' ? 'unnamed' : legal;
}

function nameFault(sent: string, legal: string): string | undefined {
  if (sent === legal) return undefined;
  if (sent === '') return 'it names no tool';
  return `the name of its tool has more than ${NAME_CHARS_MAX} characters, or others than letters, digits, _ and -`;
}

/** A model that was stopped for what it said has not finished saying it. */
function withoutCalls(content: readonly ContentBlock[], notes: Set<string>): readonly ContentBlock[] {
  const others = content.filter(({ type }) => type !== 'ToolUse');
  if (others.length < content.length) notes.add('calls of a refused answer were left out');
  return others;
}

/** No turn may end with thoughts. Source: Messages API. */
function withoutLastThoughts(content: readonly ContentBlock[], notes: Set<string>): readonly ContentBlock[] {
  const end = content.findLastIndex(({ type }) => type !== 'Thinking') + 1;
  if (end < content.length) notes.add('thoughts after the last word were left out');
  return content.slice(0, end);
}

/** What the answer holds says what it is, unless it was cut off or refused. */
function settled(stop: StopReason, content: readonly ContentBlock[]): StopReason {
  if (stop === 'MaxTokens' || stop === 'Refusal') return stop;
  return content.some(({ type }) => type === 'ToolUse') ? 'ToolUse' : 'EndTurn';
}

function modelName(sent: string, { model }: ModelRequest, notes: Set<string>): string {
  if (!isBlank(sent) && sent === wellFormed(sent) && sent.length <= MODEL_CHARS_MAX) return sent;
  notes.add('the server did not say which model answered: the one that was asked is taken');
  return model;
}
