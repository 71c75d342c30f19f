/** A Task that began in another record than this one: the volume was lost, or an earlier copy was restored. Pure. */
import type { Task } from '@retainer/contract/api/task';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Held } from '@retainer/mind/parts/aside/set-aside';

/**
 * What was done for it then is unknown, so it must not begin by itself.
 *
 * @param task  whose run the record does not have
 * @returns nothing for a Task that has not begun; its status says so as soon as an agent has taken it
 */
export function heldIfBegun({ status }: Task): { readonly held?: Held } {
  if (status?.runId === undefined) return {};
  // No status is ever the same again, so no earlier word of a person counts for this hold.
  const to = `sha256:${sha256Hex(canonicalJson({ begun: status }))}`;
  return { held: { from: '', to, parts: [], because: 'NotInRecord' } };
}
