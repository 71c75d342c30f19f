/**
 * The model behind the Messages API of Anthropic or of any compatible server.
 *
 * The official SDK is loaded at the first call, so that an idle agent spends no memory on it. It does the transport only:
 * no retries, no time-outs, no telemetry and no log. From the environment it reads only ANTHROPIC_CUSTOM_HEADERS, which
 * cannot be turned off.
 *
 * I1  The response is bounded before it is decoded (`model-wire.ts`).
 * I2  No failure's message contains the key, even if a server echoes it.
 */
import type * as AnthropicSdk from '@anthropic-ai/sdk';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import { DEFAULT_BASE_URL, FAILURE_MESSAGE_CHARS_MAX } from './anthropic-failure.ts';
import { ANSWER_TOOL, messagesRequest } from './anthropic-request.ts';
import {
  answerTooLong,
  type AttemptAnswer,
  type AttemptContext,
  type AttemptFailure,
  type ModelAttempter,
} from './model-attempt.ts';
import { askedText, faultOf } from './model-fault.ts';
import type { SettingNames, Symptom } from './model-symptoms.ts';
import { openWire, type Seen, type Wire, type WireSettings } from './model-wire.ts';
import { readAnswer } from './read-answer.ts';
import { retryAfterMs } from './retry.ts';
import { redactor, type Redact } from './secrets.ts';
import { wholeJson } from './whole-json.ts';

/** A day. The SDK requires a time-out; the caller's signal comes earlier. */
const SDK_TIMEOUT_MS = 86_400_000;

export interface AnthropicOptions extends WireSettings {
  readonly apiKey: string;
  readonly baseURL?: string;
  /** Of these settings, for people. */
  readonly names: SettingNames;
  /** Wall clock, for a Retry-After that is a date. */
  readonly nowMs: () => number;
}

type Outcome = Result<AttemptAnswer, AttemptFailure>;
type Sdk = typeof AnthropicSdk;

export function anthropicModel(options: AnthropicOptions): ModelAttempter {
  const redact = redactor([{ name: 'apiKey', value: options.apiKey }]);
  return {
    name: 'anthropic',
    attempt: async (request, context) => {
      const sdk = await import('@anthropic-ai/sdk');
      const wire = openWire(options, context.progress);
      const failed = (failure: AttemptFailure): Outcome =>
        err({ ...failure, message: presentable(failure.message, redact) });
      try {
        const outcome = await stream(sdk, openClient(sdk, options, wire), request, context);
        return outcome.ok ? outcome : failed(unusable(outcome.error, wire.seen()));
      } catch (error) {
        return failed(failureOf(sdk, { error, seen: wire.seen(), request, options }));
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
  sdk: Sdk,
  client: AnthropicSdk.Anthropic,
  request: ModelRequest,
  context: AttemptContext,
): Promise<Outcome> {
  const body = messagesRequest(request);
  // The SDK's parameter types are mutable and its schema type is closed; the shapes are the same.
  const asked = client.messages.create(body as AnthropicSdk.Anthropic.MessageCreateParamsStreaming, {
    signal: context.signal,
  });
  // The SDK's own reader throws away events without a name.
  const response = await asked.asResponse();
  const read = await readAnswer(response.body, (error) => errorWithin(sdk, error, response.headers));
  return read.ok ? ok(unwrapped(read.value)) : read;
}

/** As the SDK makes it of an error that comes instead of an answer. */
function errorWithin(sdk: Sdk, body: object, headers: Headers): Error {
  const { error } = body as { readonly error?: { readonly type?: unknown } };
  const type = typeof error?.type === 'string' ? error.type : undefined;
  return new sdk.APIError(undefined, body, undefined, headers, type as AnthropicSdk.APIError['type']);
}

/** The input of the forced call is the answer. One that cannot be taken is none, and its reader says so to the model. */
function unwrapped(answer: AttemptAnswer): AttemptAnswer {
  const call = answer.content.find((block) => block.type === 'ToolUse' && block.name === ANSWER_TOOL);
  if (call?.type !== 'ToolUse') return answer;
  const input = call.fault === undefined ? wholeJson(call.input) : err(call.fault);
  const text = input.ok ? JSON.stringify(input.value) : `[This answer cannot be taken: ${input.error}.]`;
  const stop = answer.stop === 'Refusal' ? answer.stop : 'EndTurn';
  return { ...answer, content: [{ type: 'Text', text }], stop };
}

/** What came is no answer: whose, and of what type, tells people where to look. */
function unusable(failure: AttemptFailure, seen: Seen | undefined): AttemptFailure {
  if (seen?.status === undefined) return failure;
  const message = seen.bodyBytes === 0 ? 'the answer is empty' : failure.message;
  return { ...failure, message: `${askedText(seen)}, but ${message}` };
}

interface Failed {
  readonly error: unknown;
  readonly seen: Seen | undefined;
  readonly request: ModelRequest;
  readonly options: AnthropicOptions;
}

function failureOf(sdk: Sdk, { error, seen, request, options }: Failed): AttemptFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof sdk.APIUserAbortError) return { kind: 'Cancelled', message };
  if (seen?.isTooLong === true) return answerTooLong();
  // Nothing left this machine.
  if (seen === undefined)
    return { kind: 'Misconfigured', message: `no request could be made: ${message}${causeOf(error)}` };
  const symptom = {
    seen,
    isProviders: options.baseURL === undefined,
    model: request.model,
    ...(error instanceof sdk.APIError && isAnswered(seen) ? { event: eventOf(error) } : {}),
  };
  const waitMs = retryAfterMs((name) => [seen.headers?.[name]].flat()[0], options.nowMs());
  return { ...faultOf(symptom, options.names, request), ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

/** A connection that breaks within the answer is no event of it. */
function isAnswered({ status = 0, broken }: Seen): boolean {
  return broken === undefined && status >= 200 && status < 300;
}

/** Of `{"type":"error","error":{"message":…}}`. */
function eventOf({ error, type, message }: AnthropicSdk.APIError): NonNullable<Symptom['event']> {
  const told: unknown = error;
  const text = isError(told) && typeof told.error.message === 'string' ? told.error.message : message;
  return { type: type ?? undefined, text };
}

function isError(told: unknown): told is { readonly error: { readonly message?: unknown } } {
  return (
    typeof told === 'object' &&
    told !== null &&
    'error' in told &&
    typeof told.error === 'object' &&
    told.error !== null
  );
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
