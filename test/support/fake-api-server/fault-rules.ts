/** The rules that more than one test needs. */
import { WRITE_VERBS, type ApiRequest } from './api-request.ts';
import type { RequestFault, RequestRule } from './faults.ts';

export interface Kill {
  readonly user: string;
  /** Place among the calls of this user that `counts` lets through, from 1. */
  readonly call: number;
  readonly moment: 'Before' | 'After';
  readonly counts?: (request: ApiRequest) => boolean;
  /** Must stop the client at once. */
  readonly kill: () => void;
}

/** Kills a client just before one of its calls is carried out, or just after. */
export function killAt({ user, call, moment, counts = () => true, kill }: Kill): RequestRule {
  const seen = new Set<number>();
  return (request) => {
    // A watch asks again and again for as long as it lives.
    if (request.user !== user || seen.has(request.index) || !counts(request)) return undefined;
    seen.add(request.index);
    if (seen.size !== call) return undefined;
    return moment === 'Before' ? { type: 'Drop', onDone: kill } : { type: 'LoseReply', onDone: kill };
  };
}

/** Every distinct write of the user meets these faults, one at each try, and is let through after them. */
export function refuseEachWrite(user: string, faults: readonly RequestFault[]): RequestRule {
  const tries = new Map<string, number>();
  return (request) => {
    if (request.user !== user || !WRITE_VERBS.has(request.verb) || isLease(request)) return undefined;
    const what = JSON.stringify([request.method, ...distinctParts(request)]);
    const n = tries.get(what) ?? 0;
    tries.set(what, n + 1);
    return faults[n];
  };
}

function isLease({ served }: ApiRequest): boolean {
  return served?.resource.plural === 'leases';
}

/** Named after the moment in which it is made: the next try is the same write all the same. */
const CANARY = /canary-[0-9a-f]{10}$/;

function distinctParts({ path, body }: ApiRequest): readonly unknown[] {
  return CANARY.test(path) ? [path.replace(CANARY, 'canary')] : [path, withoutVersion(body)];
}

/** The same write after a conflict names another version and another time. */
function withoutVersion(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body ?? null, (key, value: unknown) =>
      key === 'resourceVersion' || key.endsWith('Time') || key.endsWith('At') ? undefined : value,
    ),
  );
}

/** Nothing of this user's gets through, in either direction, and no connection breaks. */
export function cutOff(user: string): RequestRule {
  return (request) => (request.user === user ? { type: 'Hang' } : undefined);
}
