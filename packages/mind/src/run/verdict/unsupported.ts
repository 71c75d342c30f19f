/** Unsupported claims of a result, in a form that a correction may quote. Source: artoo A.15 (Law 0), C. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { isCut } from '@retainer/contract/std/head-and-tail';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { sourcesOf, unsupportedClaims } from './fabrication.ts';

/**
 * Differs: where an output was cut, nothing is found unsupported. What is missing in the middle may be what shows it, and an
 * honest result must not be refused for it; the validator, which is told of the cut, judges alone then.
 *
 * @param given  the task's own words, and what was handed on to whoever made the result
 */
export function unsupportedIn(
  output: string,
  calls: readonly ToolCallRecord[],
  given: readonly string[],
): readonly string[] {
  if (calls.some(isShortened)) return [];
  return unsupportedClaims(output, sourcesOf(calls, given)).map((it) => it.text);
}

/** An output's own note that it was cut is not trusted: the digest of the whole decides. */
function isShortened({ artifactId, output, sha256 }: ToolCallRecord): boolean {
  return (artifactId !== undefined || isCut(output)) && sha256Hex(output) !== sha256;
}
