/** Any answer of an API server except success. Broken connections reject with a {@link ConnectionError}. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The server's reason: `NotFound`, `Conflict`, `Invalid`, `AlreadyExists`, `Expired` … Empty if it gave none. */
  readonly reason: string;
  /** From `Retry-After`, where the server named a time. */
  readonly retryAfterMs: number | undefined;

  constructor(answer: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly retryAfterMs?: number | undefined;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.reason = answer.reason;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** No answer came: refused, reset, timed out, or cut off. Whether a write took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Whether the server said that the object is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether somebody else was faster: another version, another owner of a field, or an object of that name. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Removes everything from the first quoted value on. An API server quotes what it refuses, and that may be a person's text. */
export function withoutQuotedValues(text: string): string {
  return text.replace(/\b(Invalid|Unsupported|Duplicate) value: .*/s, '$1 value');
}
