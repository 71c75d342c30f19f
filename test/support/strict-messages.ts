/**
 * What the Messages API refuses of a request, in words like its own.
 *
 * Source: Messages API (errors, tool use, extended thinking, prompt caching), and the messages of its status 400.
 */
import { isBlank, wellFormed } from '@retainer/contract/std/well-formed';
import { z } from 'zod';

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MARKS_MAX = 4;
const BUDGET_TOKENS_MIN = 1024;

const mark = { cache_control: z.object({ type: z.literal('ephemeral') }).optional() };
const TextBlock = z.strictObject({ type: z.literal('text'), text: z.string(), ...mark });
const Block = z.discriminatedUnion('type', [
  TextBlock,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    ...mark,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
    ...mark,
  }),
]);
type Block = z.infer<typeof Block>;

const Body = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1).optional(),
  system: z.array(TextBlock).optional(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([z.array(Block), z.string().transform((text): Block[] => [{ type: 'text', text }])]),
      }),
    )
    .min(1),
  tools: z
    .array(z.strictObject({ name: z.string(), description: z.string(), input_schema: z.unknown(), ...mark }))
    .optional(),
  thinking: z.object({ type: z.string(), budget_tokens: z.number().optional() }).optional(),
  tool_choice: z.object({ type: z.string(), name: z.string().optional() }).optional(),
});
type Body = z.infer<typeof Body>;
type Turns = readonly { readonly role: string; readonly content: readonly Block[] }[];

/** The seals that a server gave, each with its thoughts: it takes back no others, and these unchanged. */
export class Seals {
  readonly #given = new Map<string, string>();

  give(seal: string, thoughts: string): void {
    this.#given.set(seal, thoughts);
  }

  /** Of the events of a stream, or of a whole message. */
  giveAll(events: readonly unknown[]): void {
    const open = new Map<unknown, { thoughts: string; seal: string }>();
    const note = (index: unknown, piece: unknown): void => {
      const { thinking = '', signature = '', data = '' } = Thought.parse(piece ?? {});
      const before = open.get(index) ?? { thoughts: '', seal: '' };
      const now = { thoughts: before.thoughts + thinking, seal: before.seal + signature + data };
      open.set(index, now);
      if (now.seal !== '') this.give(now.seal, now.thoughts);
    };
    for (const event of events) {
      const { type, index, delta, content_block, content } = Event.parse(event);
      if (type === 'content_block_start') open.delete(index);
      if (type === 'content_block_start') note(index, content_block);
      if (type === 'content_block_delta') note(index, delta);
      if (Array.isArray(content)) for (const [at, block] of content.entries()) note(`whole ${at}`, block);
    }
  }

  has(seal: string, thoughts: string): boolean {
    return this.#given.get(seal) === thoughts;
  }
}

const Said = z.string().optional().catch(undefined);
const Thought = z.object({ thinking: Said, signature: Said, data: Said }).catch({});
const Event = z
  .object({
    type: z.unknown().optional(),
    index: z.unknown().optional(),
    delta: z.unknown().optional(),
    content_block: z.unknown().optional(),
    content: z.unknown().optional(),
  })
  .catch({});

/** Why the API would refuse the body; undefined where it takes it. */
export function refusalOf(raw: unknown, seals: Seals): string | undefined {
  if (!isWellFormed(raw)) return 'The request body is not valid JSON: no low surrogate in string';
  const parsed = Body.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.')}: ${issue?.message}`;
  }
  const body = parsed.data;
  const turns = joined(body.messages);
  return (
    blankRefusal(body) ??
    turnRefusal(turns) ??
    callRefusal(turns) ??
    thoughtRefusal(turns, seals) ??
    markRefusal(body) ??
    offerRefusal(body) ??
    budgetRefusal(body)
  );
}

/** In its texts and in the names of its members. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value === wellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key === wellFormed(key) && isWellFormed(member));
}

/** Turns of the same side in a row are one turn. */
function joined(messages: Body['messages']): Turns {
  const turns: { role: string; content: readonly Block[] }[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.content = [...last.content, ...content];
    else turns.push({ role, content });
  }
  return turns;
}

function blankRefusal({ system = [], messages }: Body): string | undefined {
  const of = (where: string, blocks: readonly Block[]): string | undefined => {
    const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (texts.includes('')) return `${where}: text content blocks must be non-empty`;
    return texts.some(isBlank) ? `${where}: text content blocks must contain non-whitespace text` : undefined;
  };
  const empty = messages.findIndex(({ content }) => content.length === 0);
  if (empty >= 0) return `messages.${empty}: all messages must have non-empty content`;
  return (
    of('system', system) ??
    of(
      'messages',
      messages.flatMap(({ content }) => content),
    )
  );
}

function turnRefusal(turns: Turns): string | undefined {
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (turns.at(-1)?.role !== 'user') return 'The conversation must end with a user message.';
  const late = turns.findIndex(({ content }) => {
    const last = content.findLastIndex(({ type }) => type === 'tool_result');
    return content.slice(0, Math.max(last, 0)).some(({ type }) => type !== 'tool_result');
  });
  return late < 0 ? undefined : `messages.${late}: \`tool_result\` blocks must come first`;
}

function callRefusal(turns: Turns): string | undefined {
  const known = new Set<string>();
  for (const [at, { content }] of turns.entries()) {
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      if (!ID.test(block.id)) return `messages.${at}.tool_use.id: String should match pattern '${ID.source}'`;
      if (!NAME.test(block.name)) return `messages.${at}.tool_use.name: String should match pattern '${NAME.source}'`;
      if (known.has(block.id)) return `messages.${at}: \`tool_use\` ids must be unique`;
      known.add(block.id);
    }
    const asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const answered = resultsOf(turns[at + 1]);
    const [open] = asked.filter((id) => !answered.includes(id));
    if (open !== undefined)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}`;
    const [odd] = answered.filter((id) => !asked.includes(id));
    if (odd !== undefined)
      return `messages.${at + 1}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${odd}`;
    if (new Set(answered).size < answered.length) return `messages.${at + 1}: each tool_use must have a single result`;
  }
  return resultsOf(turns[0]).length > 0 ? 'messages.0: unexpected `tool_use_id` found' : undefined;
}

function resultsOf(turn: Turns[number] | undefined): readonly string[] {
  return (turn?.content ?? []).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function thoughtRefusal(turns: Turns, seals: Seals): string | undefined {
  for (const [at, { role, content }] of turns.entries()) {
    const isLast = content.at(-1)?.type.includes('thinking') === true;
    if (role === 'assistant' && isLast)
      return `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`;
    for (const block of content) {
      if (block.type === 'thinking' && !seals.has(block.signature, block.thinking))
        return `messages.${at}: Invalid \`signature\` in \`thinking\` block`;
      if (block.type === 'redacted_thinking' && !seals.has(block.data, ''))
        return `messages.${at}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
  }
  return undefined;
}

function markRefusal({ system = [], messages, tools = [] }: Body): string | undefined {
  const places: readonly object[] = [...system, ...tools, ...messages.flatMap(({ content }) => content)];
  const marks = places.filter((it) => 'cache_control' in it).length;
  return marks > MARKS_MAX
    ? `A maximum of ${MARKS_MAX} blocks with cache_control may be provided. Found ${marks}.`
    : undefined;
}

function offerRefusal({ tools = [], tool_choice }: Body): string | undefined {
  const names = tools.map(({ name }) => name);
  if (!names.every((name) => NAME.test(name))) return `tools: name should match pattern '${NAME.source}'`;
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  const chosen = tool_choice?.name;
  return chosen === undefined || names.includes(chosen) ? undefined : `tool_choice: there is no tool ${chosen}`;
}

function budgetRefusal({ thinking, max_tokens }: Body): string | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  const { budget_tokens: budget = 0 } = thinking;
  if (budget < BUDGET_TOKENS_MIN) return `thinking.budget_tokens: should be at least ${BUDGET_TOKENS_MIN}`;
  return budget < max_tokens ? undefined : '`max_tokens` must be greater than `thinking.budget_tokens`';
}
