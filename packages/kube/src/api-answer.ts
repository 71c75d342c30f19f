/** The answer of an API server that refuses. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './api-error.ts';

/** A message may cite what was sent: a log line holds so much of it. */
const messageCharactersMax = 1024;

/** Of the answer of a request, or of the last line of a watch, where no status and headers are. */
interface RefusedAnswer {
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  /** A `Status` where the API server itself speaks, anything where a proxy does. */
  readonly body: unknown;
}

/** @param what  what was asked, for the message: `GET /api/v1/pods` */
export function statusError(what: string, { status, headers = {}, body }: RefusedAnswer): ApiError {
  const { code, reason, message, retryAfterSeconds } = partsOf(body);
  const number = status ?? code ?? 500;
  const text = message ?? (typeof body === 'string' ? body.trim() : '');
  return new ApiError({
    status: number,
    reason: reason ?? '',
    message: `failed to ${what}: ${number}${reason === undefined ? '' : ` ${reason}`}: ${text.slice(0, messageCharactersMax)}`,
    retryAfterMs: retryAfterMs(headers['retry-after']) ?? (retryAfterSeconds && retryAfterSeconds * 1000),
  });
}

/** Seconds as text; a date, which no API server sends, counts as none. */
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
