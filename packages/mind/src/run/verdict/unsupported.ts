/** What the text of a run states and nothing shows: in a form that verdicts use, and marked in the text. Source: artoo A.15 (Law 0), C. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { isCut } from '@retainer/contract/std/head-and-tail';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { sourcesOf } from './claim-sources.ts';
import { accountOf, UNSUPPORTED_MARK, type ClaimAccount, type UnsupportedClaim } from './fabrication.ts';

const CLEAR: ClaimAccount = { unsupported: [], remarks: [], derivations: [], shownIn: [] };

/**
 * Differs: where an output was cut, nothing is found unsupported. What is missing in the middle may be what shows it, and an
 * honest result must not be refused for it; the validator, which is told of the cut, judges alone then.
 *
 * @param given  the task's own words, and what was handed on to whoever made the result
 * @param asked  texts that say what is compared and show no figure: criteria
 */
export function claimsOf(
  output: string,
  calls: readonly ToolCallRecord[],
  given: readonly string[],
  asked: readonly string[] = [],
): ClaimAccount {
  return calls.some(isShortened) ? CLEAR : accountOf(output, { ...sourcesOf(calls, given), asked });
}

/** Whether nothing in a text is unsupported. */
export function isShownText(text: string, calls: readonly ToolCallRecord[], given: readonly string[]): boolean {
  return claimsOf(text, calls, given).unsupported.length === 0;
}

/** The text with a mark behind each of the claims. Whoever reads it, a later subtask or a person, does not take them for shown. */
export function markedText(text: string, claims: readonly UnsupportedClaim[]): string {
  return claims
    .toSorted((a, b) => b.start - a.start)
    .reduce((marked, claim) => {
      const end = claim.start + claim.text.length;
      const isMarked = marked.startsWith(UNSUPPORTED_MARK, end);
      return isMarked ? marked : marked.slice(0, end) + UNSUPPORTED_MARK + marked.slice(end);
    }, text);
}

/** As it was before it was marked: a mark would part a figure from its unit. */
export function unmarkedText(text: string): string {
  return text.replaceAll(UNSUPPORTED_MARK, '');
}

/** An output's own note that it was cut is not trusted: the digest of the whole decides. */
function isShortened({ artifactId, output, sha256 }: ToolCallRecord): boolean {
  return (artifactId !== undefined || isCut(output)) && sha256Hex(output) !== sha256;
}
