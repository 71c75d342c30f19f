/**
 * The model behind the Messages API of Anthropic or of any compatible server.
 *
 * The official SDK is loaded at the first call, so that an idle agent spends no memory on it. It does the transport only:
 * no retries, no time-outs, no telemetry and no log. From the environment it reads only ANTHROPIC_CUSTOM_HEADERS, which
 * cannot be turned off.
 *
 * I1  The response is bounded before it is decoded ({@link STREAM_BYTES_MAX}).
 * I2  No failure's message contains the key, even if a server echoes it.
 */
import type * as AnthropicSdk from '@anthropic-ai/sdk';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import { FAILURE_MESSAGE_CHARS_MAX, failureKind } from './anthropic-failure.ts';
import { ANSWER_TOOL, messagesRequest } from './anthropic-request.ts';
import { emptyStream, finishStream, foldStreamEvent } from './anthropic-stream.ts';
import {
  answerTooLong,
  type AttemptAnswer,
  type AttemptContext,
  type AttemptFailure,
  type ModelAttempter,
} from './model-attempt.ts';
import { retryAfterMs } from './retry.ts';
import { redactor, type Redact } from './secrets.ts';

/**
 * Maximum of one response body. An event adds about 150 bytes to its text, so the longest answer of 128,000 tokens stays
 * below 20 MB even with one event per token.
 */
const STREAM_BYTES_MAX = 32 * 1024 * 1024;

const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** A day. The SDK requires a time-out; the caller's signal comes earlier. */
const SDK_TIMEOUT_MS = 86_400_000;

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly baseURL?: string;
  /** Wall clock, for a Retry-After that is a date. */
  readonly nowMs: () => number;
}

type Outcome = Result<AttemptAnswer, AttemptFailure>;
type Sdk = typeof AnthropicSdk;

interface Wire {
  readonly fetch: typeof fetch;
  /** Whether the body exceeded {@link STREAM_BYTES_MAX}. */
  readonly isTooLong: () => boolean;
}

export function anthropicModel(options: AnthropicOptions): ModelAttempter {
  const redact = redactor([{ name: 'apiKey', value: options.apiKey }]);
  return {
    name: 'anthropic',
    attempt: async (request, context) => {
      const sdk = await import('@anthropic-ai/sdk');
      const wire = boundedFetch(context.progress);
      try {
        return await stream(openClient(sdk, options, wire), request, context);
      } catch (error) {
        const failure = wire.isTooLong() ? answerTooLong() : failureOf(sdk, error, options.nowMs());
        return err({ ...failure, message: presentable(failure.message, redact) });
      }
    },
  };
}

function openClient(sdk: Sdk, { apiKey, baseURL }: AnthropicOptions, wire: Wire): AnthropicSdk.Anthropic {
  return new sdk.Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseURL ?? DEFAULT_BASE_URL,
    fetch: wire.fetch,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: 'off',
    openTelemetry: false,
  });
}

async function stream(
  client: AnthropicSdk.Anthropic,
  request: ModelRequest,
  context: AttemptContext,
): Promise<Outcome> {
  const body = messagesRequest(request);
  // The SDK's parameter types are mutable and its schema type is closed; the shapes are the same.
  const events = await client.messages.create(body as AnthropicSdk.Anthropic.MessageCreateParamsStreaming, {
    signal: context.signal,
  });
  let state = emptyStream;
  for await (const event of events) {
    const next = foldStreamEvent(state, event);
    if (!next.ok) return next;
    state = next.value;
  }
  const finished = finishStream(state);
  return finished.ok ? ok(unwrapped(finished.value)) : finished;
}

/** The input of the forced call is the answer. */
function unwrapped(answer: AttemptAnswer): AttemptAnswer {
  const call = answer.content.find((block) => block.type === 'ToolUse' && block.name === ANSWER_TOOL);
  if (call?.type !== 'ToolUse') return answer;
  return { ...answer, content: [{ type: 'Text', text: JSON.stringify(call.input) }], stop: 'EndTurn' };
}

/** Fetches with a bound. Every chunk of the body, pings included, counts as progress. */
function boundedFetch(progress: () => void): Wire {
  let bytes = 0;
  const bounded: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        progress();
        bytes += chunk.byteLength;
        if (bytes > STREAM_BYTES_MAX) controller.error(new Error('the response is too long'));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  };
  return { fetch: bounded, isTooLong: () => bytes > STREAM_BYTES_MAX };
}

function failureOf(sdk: Sdk, error: unknown, nowMs: number): AttemptFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof sdk.APIUserAbortError) return { kind: 'Cancelled', message };
  if (error instanceof sdk.APIConnectionError) return { kind: 'Network', message: `${message}${causeOf(error)}` };
  if (error instanceof sdk.APIError) return apiFailure(error, nowMs);
  if (error instanceof SyntaxError)
    return { kind: 'MalformedAnswer', message: `an event of the stream is not JSON: ${message}` };
  return { kind: 'Network', message: `the connection broke: ${message}${causeOf(error)}` };
}

function apiFailure(error: AnthropicSdk.APIError, nowMs: number): AttemptFailure {
  const waitMs = retryAfterMs((name) => error.headers?.get(name), nowMs);
  return {
    kind: failureKind(error.status, error.type ?? undefined),
    message: `the model's server answered ${error.message}`,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

/** The causes that the SDK wraps, because "fetch failed" alone helps nobody. */
function causeOf(error: unknown): string {
  const parts: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && parts.length < 3) {
    parts.push(cause.message);
    cause = cause.cause;
  }
  return parts.map((part) => `: ${part}`).join('');
}

function presentable(message: string, redact: Redact): string {
  const clean = redact(message);
  return clean.length > FAILURE_MESSAGE_CHARS_MAX ? `${clean.slice(0, FAILURE_MESSAGE_CHARS_MAX)}…` : clean;
}
