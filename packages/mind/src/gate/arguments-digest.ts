import { sha256Hex } from '@retainer/contract/std/hash';

/**
 * What a permit and an approval are bound to: the tool and its parsed arguments, 64 hexadecimal digits.
 *
 * @param argumentsText  the parsed arguments as canonical JSON, so that two spellings of one call are one call
 *
 * Source: design 5; reliability-security 4.
 */
export function argumentsDigest(tool: string, argumentsText: string): string {
  return sha256Hex(`${tool}\n${argumentsText}`);
}
