/** Requests to models and their answers as the record keeps them. */
import { z } from 'zod';
import { BudgetRefusal } from '../gate/budget/budget.ts';
import { ANSWER_FORMS, EFFORTS } from '../request/model-request.ts';

/** Any JSON, without validation here: the journal serialises it and refuses anything else. */
export const json = z.custom<z.core.util.JSONType>((value) => value !== undefined);
export const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Text'), text: z.string() }),
  z.object({
    type: z.literal('Thinking'),
    text: z.string(),
    seal: z.string(),
    isRedacted: z.literal(true).exactOptional(),
  }),
  z.object({
    type: z.literal('ToolUse'),
    id: z.string(),
    name: z.string(),
    input: json,
    fault: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('ToolResult'), toolUseId: z.string(), text: z.string(), isError: z.boolean() }),
]);

export const UsageRecord = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});

/** What was changed of a model's answer before anybody saw it, one sentence each; absent: nothing. */
export const mendedField = z.array(z.string()).readonly().exactOptional();

/** The budget of the Agent that forbade a call. */
export const budgetRefusal = BudgetRefusal.omit({ freeAtMs: true }).shape;

/** What came of a question to a model, beside its answer. */
export const askedFields = {
  /** A budget forbade the question, and no model was asked. */
  refusal: z.object({ message: z.string(), ...budgetRefusal }).exactOptional(),
  /** The model that really answered; absent when none did. */
  model: z.string().exactOptional(),
  usage: UsageRecord.exactOptional(),
  /** US dollars; absent when the model's price is unknown, or none answered. */
  costUsd: z.number().exactOptional(),
  latencyMs: z.number(),
  mended: mendedField,
};

const thinking = z.object({
  mode: z.enum(['Adaptive', 'Budget', 'Disabled', 'BetweenTools']),
  effort: z.enum(EFFORTS).exactOptional(),
  budgetTokens: z.number().exactOptional(),
});

/**
 * What a role's model is asked for, as far as it takes it. Absent in records older than it: the system text says in what form to
 * answer.
 */
export const ModelAsk = z.object({
  /** The form of structured answers. */
  answers: z.enum(ANSWER_FORMS),
  thinking: thinking.exactOptional(),
  /** The server refused more than messages and tools. */
  isPlain: z.literal(true).exactOptional(),
});
export type ModelAsk = z.infer<typeof ModelAsk>;

const systemText = z.object({
  text: z.string(),
  cache: z.boolean(),
  varies: z.literal(true).exactOptional(),
});

export const modelRequest = z.object({
  role: z.string(),
  tier: z.enum(['Fast', 'Capable']),
  model: z.string(),
  system: z.array(systemText),
  messages: z.array(z.object({ role: z.enum(['User', 'Assistant']), content: z.array(contentBlock) })),
  tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: json })),
  maxOutputTokens: z.number(),
  temperature: z.number().exactOptional(),
  answerAs: z.object({ form: z.enum(['Schema', 'Tool']), name: z.string(), schema: json }).exactOptional(),
  thinking: thinking.exactOptional(),
  isPlain: z.literal(true).exactOptional(),
  callsNoTool: z.literal(true).exactOptional(),
  callsTool: z.literal(true).exactOptional(),
});
