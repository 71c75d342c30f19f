/**
 * A Task that may have begun in another record than this one: the volume was lost, or an earlier copy was restored. What was done for
 * it then is unknown, so it must not begin by itself. Pure.
 */
import type { Task } from '@retainer/contract/api/task';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Held } from '@retainer/mind/parts/aside/set-aside';

/**
 * On a cluster the status of a Task says so, as soon as an agent has taken it. A manifest says nothing: those that come to the first
 * process after a restoring are the ones that were there before.
 *
 * @param task  whose run the record does not have
 * @param restoredFrom  the commit, in the first process after a restoring
 * @returns nothing for a Task that has not begun
 */
export function heldIfBegun({ metadata, status }: Task, restoredFrom: string | undefined): { readonly held?: Held } {
  if (status?.runId !== undefined) return { held: heldFor({ begun: status }, 'NotInRecord') };
  if (metadata.uid !== undefined || restoredFrom === undefined) return {};
  return { held: heldFor({ restoredFrom, name: metadata.name }, 'MayHaveEnded') };
}

/** @param of  never the same again, so that no earlier word of a person counts for this hold */
function heldFor(of: unknown, because: NonNullable<Held['because']>): Held {
  return { from: '', to: `sha256:${sha256Hex(canonicalJson(of))}`, parts: [], because };
}
