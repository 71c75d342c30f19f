/** The words of the model port: what a request holds and what an answer is. Plain data, no provider's names. */
import type { Json } from '@retainer/contract/std/canonical-json';

export type ModelTier = 'Fast' | 'Capable';

export type ContentBlock =
  | { readonly type: 'Text'; readonly text: string }
  | { readonly type: 'ToolUse'; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly type: 'ToolResult';
      readonly toolUseId: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** Turns alternate, the first is the user's, and every ToolUse is answered in the next user turn. */
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

export interface ModelRequest {
  /** Which role of the run asks: `executor`, `validator` … Telemetry and the scripted model read it. */
  readonly role: string;
  readonly tier: ModelTier;
  /** The provider's model id. */
  readonly model: string;
  /** Stable parts first; a provider caches up to the last block with `cache`. */
  readonly system: readonly { readonly text: string; readonly cache: boolean }[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Randomness of the answer, 0 to 1; absent: the provider's own. */
  readonly temperature?: number;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export type StopReason = 'EndTurn' | 'ToolUse' | 'MaxTokens' | 'Refusal';

export interface ModelAnswer {
  /** Text and ToolUse blocks only. */
  readonly content: readonly ContentBlock[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model that really answered. */
  readonly model: string;
  /** From the first attempt to the end of the last, milliseconds. */
  readonly latencyMs: number;
  /** All tries, failed ones included; 1 when the first worked. */
  readonly attempts: number;
}

/** Why a model gave no answer, in words of no provider. */
export const modelFailureKinds = [
  'RateLimited',
  'Overloaded',
  'Network',
  'Timeout',
  'Authentication',
  'InvalidRequest',
  'MalformedAnswer',
  'Cancelled',
] as const;
export type ModelFailureKind = (typeof modelFailureKinds)[number];

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** For people and the journal; holds no secret. */
  readonly message: string;
  readonly attempts: number;
  readonly latencyMs: number;
}
