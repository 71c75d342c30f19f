import { sha256Hex } from '@retainer/contract/std/hash';

/**
 * The digest that binds a permit and an approval to a tool and its parsed arguments; 64 hexadecimal digits.
 *
 * @param argumentsText  the parsed arguments as canonical JSON, so that two spellings of one call have one digest
 *
 * Source: design 5; reliability-security 4.
 */
export function argumentsDigest(tool: string, argumentsText: string): string {
  return sha256Hex(`${tool}\n${argumentsText}`);
}
