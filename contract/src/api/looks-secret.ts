/** Whether a text holds what looks like a secret. Pure. */

const RUN = /[A-Za-z0-9_+/-]{20,}/g;
/** Digests and commit ids: they name contents and open nothing. */
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Joined words have fewer. */
const KEY_DIGITS_MIN = 3;
/** A word for a secret, and right after it something with a digit. */
const TOLD =
  /\b(?:password|passphrase|passcode|secret|api key|token|pin|code)\b(?: is|:| =|=)? ?["'`]?(?=[^\s"'`]*\d)[^\s"'`]{4,}/i;

export function looksSecret(text: string): boolean {
  const runs = text.match(RUN) ?? [];
  const isKey = (run: string): boolean =>
    (run.match(/\d/g) ?? []).length >= KEY_DIGITS_MIN && /[A-Za-z]/.test(run) && !DIGEST.test(run);
  return TOLD.test(text) || runs.some(isKey);
}
