/** Connects to a canary from outside: the one connection that must succeed. */
import { http } from '@retainer/contract/std/node-http';
import { CANARY_REACHED_PATH } from '@retainer/contract/wire/canary';

/** A connection inside a cluster takes milliseconds; a blocked one never answers. */
const REACH_TIMEOUT_MS = 2000;

/** @returns whether the canary answered. Never rejects. */
export function reachCanary(endpoint: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(
      `http://${endpoint}${CANARY_REACHED_PATH}`,
      { signal: AbortSignal.any([signal, AbortSignal.timeout(REACH_TIMEOUT_MS)]), agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 204 || response.statusCode === 200);
      },
    );
    request.on('error', () => resolve(false));
  });
}
