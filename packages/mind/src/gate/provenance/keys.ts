/** Runs of signs in a text that look like credentials. */
const RUN = /[A-Za-z0-9_-]{20,}/g;

/** Digests and commit ids: they identify contents and open nothing. */
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Minimum number of digits of a key; joined words have fewer. */
const KEY_DIGITS_MIN = 3;

/** Each as often as it stands there. */
export function keysIn(text: string): readonly string[] {
  const runs = text.match(RUN) ?? [];
  return runs.filter((run) => {
    const digits = run.match(/[0-9]/g) ?? [];
    return digits.length >= KEY_DIGITS_MIN && /[A-Za-z]/.test(run) && !DIGEST.test(run);
  });
}
