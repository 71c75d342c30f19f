/** Ends a SandboxRun that does not fit its schema, which another version of the CRDs let in; the status names the fields. */
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import type { Applier } from '../apply/applier.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { isRunFinished, misfits } from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { failedEnd } from '../status/sandbox/run-end.ts';
import { endedStatus } from '../status/sandbox/run-status.ts';
import type { Outcome } from './outcome.ts';
import { isInvalid } from './write-status.ts';

/** @param now  RFC 3339 */
export async function refuseRun(
  applier: Applier,
  { object, now }: { readonly object: KubeObject; readonly now: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const reason = 'SpecInvalid';
  const message = `the SandboxRun does not fit its schema at ${misfits(object)}, because it was stored with another version of the CRDs; run the operator and the agents in the same version`;
  const stalled: Outcome = { type: 'Stalled', reason, message };
  if (isRunFinished(object)) return stalled;
  const status = endedStatus(failedEnd(reason, message), { binding: {}, now }, object.metadata.generation);
  try {
    const patch = { fieldManager: FIELD_MANAGERS.operatorStatus, ...status };
    if (!(await applier.applyStatus(resources.sandboxRuns, object, patch, signal))) return stalled;
  } catch (error) {
    // The API server validates the whole object before it accepts a status.
    if (!isInvalid(error)) throw error;
  }
  applier.event(object, { type: 'Warning', reason, action: 'RunCode', note: message });
  return stalled;
}
