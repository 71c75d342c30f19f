/** Maps errors of the Messages API to our failure kinds. Pure. */
import type { ModelFailureKind } from '@retainer/mind/request/model-request';

/** Of the provider itself. */
export const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** A server's error page is cut here, UTF-16 code units. */
export const FAILURE_MESSAGE_CHARS_MAX = 1000;

/** By `error.type` of the body, which is more precise than the status; errors within a stream have no status. */
const KIND_BY_TYPE: ReadonlyMap<string, ModelFailureKind> = new Map([
  ['rate_limit_error', 'RateLimited'],
  ['overloaded_error', 'Overloaded'],
  ['api_error', 'Network'],
  ['timeout_error', 'Timeout'],
  ['authentication_error', 'Authentication'],
  ['permission_error', 'Authentication'],
  ['billing_error', 'Authentication'],
  ['invalid_request_error', 'InvalidRequest'],
  ['not_found_error', 'InvalidRequest'],
  ['request_too_large', 'InvalidRequest'],
]);

const KIND_BY_STATUS: ReadonlyMap<number, ModelFailureKind> = new Map([
  [401, 'Authentication'],
  [402, 'Authentication'],
  [403, 'Authentication'],
  [408, 'Timeout'],
  [409, 'Network'],
  [429, 'RateLimited'],
  [529, 'Overloaded'],
]);

/** `Network`: broken connections and servers alike. Source: springdrift 6 (429, 500, 503 and 529 are worth another try). */
export function failureKind(status: number | undefined, errorType: string | undefined): ModelFailureKind {
  const known = KIND_BY_TYPE.get(errorType ?? '') ?? KIND_BY_STATUS.get(status ?? 0);
  if (known !== undefined) return known;
  return status === undefined || status >= 500 ? 'Network' : 'InvalidRequest';
}
