/** The types of the model port: requests and answers. Plain data, independent of any provider. */
import type { Json } from '@retainer/contract/std/canonical-json';

export type ModelTier = 'Fast' | 'Capable';

export type ContentBlock =
  | { readonly type: 'Text'; readonly text: string }
  /**
   * What a model thought, which is nobody's word: no gate, role or person takes it for the agent's. It goes back to its model
   * unchanged, because the seal is the provider's.
   */
  | {
      readonly type: 'Thinking';
      /** Empty where the provider keeps it to itself. */
      readonly text: string;
      readonly seal: string;
      /** All of it is in the seal. */
      readonly isRedacted?: true;
    }
  | {
      readonly type: 'ToolUse';
      readonly id: string;
      readonly name: string;
      readonly input: Json;
      /** Why it cannot be taken as it was sent; its input is empty then, and it never runs. */
      readonly fault?: string;
    }
  | {
      readonly type: 'ToolResult';
      readonly toolUseId: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** How hard a model thinks, where it decides itself how much. Source: Messages API. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/**
 * How a request asks for thinking, in the form that its model takes. Adaptive: the model decides, guided by `effort`. Budget: up to
 * `budgetTokens`. Disabled, BetweenTools: the two ways to ask for none, or for as little as there is.
 */
export interface Thinking {
  readonly mode: 'Adaptive' | 'Budget' | 'Disabled' | 'BetweenTools';
  readonly effort?: Effort;
  /** Only of Budget; at least 1024. */
  readonly budgetTokens?: number;
}

/** The form in which an answer is asked: a JSON schema of the output, the input of one forced call, or XML. */
export const ANSWER_FORMS = ['Schema', 'Tool', 'Xml'] as const;
export type AnswerForm = (typeof ANSWER_FORMS)[number];

/** A structure that the provider enforces. */
export interface AnswerAs {
  readonly form: Exclude<AnswerForm, 'Xml'>;
  /** Of the structure: `plan`. */
  readonly name: string;
  /** Strict JSON Schema of an object. */
  readonly schema: Json;
}

/** Turns alternate, starting with the user's. The next user turn answers every ToolUse. */
export interface Message {
  readonly role: 'User' | 'Assistant';
  readonly content: readonly ContentBlock[];
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input object. */
  readonly inputSchema: Json;
}

export interface SystemText {
  readonly text: string;
  readonly cache: boolean;
  /** It says what holds now: another one stands here in the next cycle. */
  readonly varies?: true;
}

export interface ModelRequest {
  /** The role of the run that asks: `executor`, `validator` … Telemetry and the scripted model read it. */
  readonly role: string;
  readonly tier: ModelTier;
  /** The provider's model id. */
  readonly model: string;
  /** Stable parts first; a provider caches everything up to the last block with `cache`. */
  readonly system: readonly SystemText[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Randomness of the answer, 0 to 1; absent: the provider's default. */
  readonly temperature?: number;
  /** Absent: the text says in what form to answer, or any text will do. */
  readonly answerAs?: AnswerAs;
  /** Absent: as the provider does by itself. */
  readonly thinking?: Thinking;
  /** Nothing is marked for a cache: the server refused what it does not know. */
  readonly isPlain?: true;
  /** The tools are there because other requests begin with them; this one's role may call none. */
  readonly callsNoTool?: true;
  /** The answer is a call of a tool, where the server can hold the model to that. */
  readonly callsTool?: true;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export type StopReason = 'EndTurn' | 'ToolUse' | 'MaxTokens' | 'Refusal';

export interface ModelAnswer {
  /** No ToolResult. */
  readonly content: readonly ContentBlock[];
  readonly stop: StopReason;
  /** Of a refusal, if the provider names one: `cyber`, `bio` … */
  readonly refusalCategory?: string;
  readonly usage: Usage;
  readonly model: string;
  /** Milliseconds from the start of the first attempt to the end of the last. */
  readonly latencyMs: number;
  /** Number of attempts, including failed ones; 1 if the first succeeded. */
  readonly attempts: number;
  /** What was changed so that everybody can take it, one sentence each, without the words that were changed; absent: nothing. */
  readonly mended?: readonly string[];
}

/** Why a model gave no answer, independent of any provider. */
export const modelFailureKinds = [
  'RateLimited',
  'Overloaded',
  'Network',
  'Timeout',
  'Authentication',
  'InvalidRequest',
  'MalformedAnswer',
  'Cancelled',
  /** The way to the model is set wrongly: address, certificate, proxy, name of the model. Nothing but a setting mends it. */
  'Misconfigured',
] as const;
export type ModelFailureKind = (typeof modelFailureKinds)[number];

/** Kinds of failure that end by themselves, whatever model is asked: the same request may be answered later. */
const PASSING: readonly ModelFailureKind[] = ['RateLimited', 'Overloaded', 'Network', 'Timeout'];

/** Whether waiting helps. What cannot pass needs another request, another setting or a person. */
export function canPass(kind: ModelFailureKind): boolean {
  return PASSING.includes(kind);
}

/** Kinds of failure of a model that another one may not have: a full or broken server, or silence. */
export const OUT_OF_REACH = ['Overloaded', 'Network', 'Timeout'] as const satisfies readonly ModelFailureKind[];

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** For people and the journal; contains no secret. */
  readonly message: string;
  readonly attempts: number;
  readonly latencyMs: number;
}
