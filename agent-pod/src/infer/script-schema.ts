/** The schema of the scripted model's script. `docs/scripted-model.md` explains the format. */
import { z } from 'zod';

/** Four times the longest accepted answer, to rehearse one that is too long. */
const BABBLE_CHARS_MAX = 16 * 1024 * 1024;

const Pattern = z.string().min(1).max(2000);
const ToolName = z.string().min(1).max(64);
const CountRange = z.union([
  z.int().min(1),
  z.strictObject({ min: z.int().min(1).default(1), max: z.int().min(1).optional() }),
]);

const When = z.strictObject({
  role: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  /** Found in the text of the first user turn, which is the task. */
  task: Pattern.optional(),
  /** Found in the system text. */
  system: Pattern.optional(),
  /** Found in the plain text of the last turn. */
  text: Pattern.optional(),
  /** The newest tool result of the request; without one there is no match. */
  last: z
    .strictObject({ tool: ToolName.optional(), error: z.boolean().optional(), text: Pattern.optional() })
    .optional(),
  /** Counts of tool results in the request; `min` defaults to 1. */
  results: z
    .array(
      z.strictObject({
        tool: ToolName.optional(),
        error: z.boolean().optional(),
        text: Pattern.optional(),
        min: z.int().min(0).default(1),
        max: z.int().min(0).optional(),
      }),
    )
    .max(20)
    .optional(),
  /** 1 for the first question of a conversation; a number, or a range. */
  turn: CountRange.optional(),
  offers: z.array(ToolName).min(1).max(100).optional(),
});

const SourceName = z.enum(['task', 'system', 'text', 'last']);

const TextPart = z.union([
  z.string(),
  z.strictObject({
    /** Repeats `text` for every match of `pattern` in a text of the request, in order, at most 100 times. */
    each: z.strictObject({ of: SourceName, pattern: Pattern }),
    text: z.string(),
  }),
]);

const ToolCall = z.strictObject({
  tool: ToolName,
  /** Every text in it is a template. */
  input: z.json().default({}),
  /** This many calls of the same kind. */
  repeat: z.int().min(1).max(1000).default(1),
});

const Answer = z.strictObject({
  text: z.union([z.string(), z.array(TextPart).min(1).max(100)]).optional(),
  calls: z.array(ToolCall).min(1).max(100).optional(),
  /** Defaults to ToolUse with calls, else EndTurn. */
  stop: z.enum(['EndTurn', 'ToolUse', 'MaxTokens', 'Refusal']).optional(),
});

/** The rule applies only to the first `times` tries of a call; to all if absent. */
const times = { times: z.int().min(1).max(100).optional() };

const Fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('Fail'),
    failure: z.enum([
      'RateLimited',
      'Overloaded',
      'Network',
      'Timeout',
      'Authentication',
      'InvalidRequest',
      'MalformedAnswer',
      'Misconfigured',
    ]),
    retryAfterMs: z.int().min(0).max(3_600_000).optional(),
    ...times,
  }),
  /** Silent until cut off. */
  z.strictObject({ kind: z.literal('Stall'), ...times }),
  /** The connection breaks in the middle of the answer. */
  z.strictObject({ kind: z.literal('Disconnect'), ...times }),
  /** Neither text nor calls. */
  z.strictObject({ kind: z.literal('Empty'), ...times }),
  /** The first half of the rule's text, no calls, and stop MaxTokens. */
  z.strictObject({ kind: z.literal('Truncate'), ...times }),
  /** The rule's text without its last closing tag. */
  z.strictObject({ kind: z.literal('MalformedXml'), ...times }),
  /** The rule's text repeated, `chars` characters long. */
  z.strictObject({
    kind: z.literal('Babble'),
    chars: z.int().min(1).max(BABBLE_CHARS_MAX),
    ...times,
  }),
]);

const Rule = z
  .strictObject({
    name: z.string().min(1).max(120),
    when: When.default({}),
    answer: Answer.optional(),
    fault: Fault.optional(),
  })
  .refine((rule) => rule.answer !== undefined || rule.fault !== undefined, {
    message: 'needs an answer or a fault',
  });

export const Script = z.strictObject({ version: z.literal(1), rules: z.array(Rule).min(1).max(500) });

export type ScriptRule = z.infer<typeof Rule>;
export type ScriptWhen = z.infer<typeof When>;
export type ScriptAnswer = z.infer<typeof Answer>;
export type ScriptFault = z.infer<typeof Fault>;
export type ScriptToolCall = z.infer<typeof ToolCall>;
/** The texts of a request that patterns search. */
export type SourceName = z.infer<typeof SourceName>;

export function sourcePatterns(when: ScriptWhen): Readonly<Record<SourceName, string | undefined>> {
  return { task: when.task, system: when.system, text: when.text, last: when.last?.text };
}
