import type { Json } from './json.ts';

/** An answer of the API server that is not success. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Json | undefined;

  constructor(answer: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly retryAfterSeconds?: number | undefined;
    readonly details?: Json | undefined;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.reason = answer.reason;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.details = answer.details;
  }
}

/** The object of kind Status that goes over the wire. */
export function statusOf(refusal: ApiRefusal): Json {
  const { status, reason, message, details } = refusal;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code: status,
    ...(details === undefined ? {} : { details }),
  };
}

/** Names the object in messages, as the API server does. */
export interface ObjectWords {
  /** `agents.retainer.dev`, or `pods`. */
  readonly collection: string;
  readonly name: string;
}

export const refusals = {
  badRequest: (message: string) => new ApiRefusal({ status: 400, reason: 'BadRequest', message }),
  forbidden: (message: string) => new ApiRefusal({ status: 403, reason: 'Forbidden', message }),
  noPath: () =>
    new ApiRefusal({ status: 404, reason: 'NotFound', message: 'the server could not find the requested resource' }),
  notFound: ({ collection, name }: ObjectWords) =>
    new ApiRefusal({ status: 404, reason: 'NotFound', message: `${collection} "${name}" not found` }),
  methodNotAllowed: () =>
    new ApiRefusal({
      status: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    }),
  alreadyExists: ({ collection, name }: ObjectWords) =>
    new ApiRefusal({ status: 409, reason: 'AlreadyExists', message: `${collection} "${name}" already exists` }),
  conflict: ({ collection, name }: ObjectWords, why: string) =>
    new ApiRefusal({
      status: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${collection} "${name}": ${why}`,
    }),
  expired: (message: string) => new ApiRefusal({ status: 410, reason: 'Expired', message }),
  unsupportedMediaType: (type: string) =>
    new ApiRefusal({
      status: 415,
      reason: 'UnsupportedMediaType',
      message: `the body of type ${type} was not understood`,
    }),
  invalid: ({ collection, name }: ObjectWords, faults: readonly string[]) =>
    new ApiRefusal({
      status: 422,
      reason: 'Invalid',
      message: `${collection} "${name}" is invalid: ${faults.join('; ')}`,
      details: { name, causes: faults.map((message) => ({ reason: 'FieldValueInvalid', message })) },
    }),
} as const;

/** What another writer of the object was faster by. */
export const MODIFIED_MEANWHILE =
  'the object has been modified; please apply your changes to the latest version and try again';
