/** The answer of an API server that refuses. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './api-error.ts';

/** A message may quote the request; a log line holds at most this much of it. */
const MESSAGE_CHARACTERS_MAX = 1024;

/** The answer of a request, or the last line of a watch, which has no status and no headers. */
interface RefusedAnswer {
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  /** A `Status` if the API server itself answered, anything if a proxy did. */
  readonly body: unknown;
}

/** @param what  the request, for the message: `GET /api/v1/pods` */
export function statusError(what: string, { status, headers = {}, body }: RefusedAnswer): ApiError {
  const { code, reason, message, retryAfterSeconds } = partsOf(body);
  const number = status ?? code ?? 500;
  const text = message ?? (typeof body === 'string' ? body.trim() : '');
  return new ApiError({
    status: number,
    reason: reason ?? '',
    message: `failed to ${what}: ${number}${reason === undefined ? '' : ` ${reason}`}: ${text.slice(0, MESSAGE_CHARACTERS_MAX)}`,
    retryAfterMs: retryAfterMs(headers['retry-after']) ?? (retryAfterSeconds && retryAfterSeconds * 1000),
  });
}

/** Seconds as text. API servers send no dates, so a date counts as none. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

interface StatusParts {
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

function partsOf(body: unknown): StatusParts {
  const { code, reason, message, details } = record(body);
  const { retryAfterSeconds } = record(details);
  return {
    code: typeof code === 'number' ? code : undefined,
    reason: typeof reason === 'string' && reason !== '' ? reason : undefined,
    message: typeof message === 'string' ? message : undefined,
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
