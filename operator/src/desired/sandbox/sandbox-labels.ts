/** Labels of objects in the namespaces of sandboxes. They name the root: owner references cannot cross namespaces. */
import { LABELS } from '@retainer/contract/api/names';
import type { Settings } from '../../settings/settings.ts';

export interface SandboxOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export const SANDBOX_ROLE = 'sandbox';
const VERSION_LABEL = 'app.kubernetes.io/version';

/** @param component  `run`, `pool`, `canary`, `network` */
export function sandboxLabels(component: string, settings: Settings): Readonly<Record<string, string>> {
  return {
    [LABELS.name]: SANDBOX_ROLE,
    [LABELS.component]: component,
    [LABELS.partOf]: 'retainer',
    [LABELS.managedBy]: 'retainer',
    [VERSION_LABEL]: labelValue(settings.version),
  };
}

export function agentLabels({ namespace, name }: Omit<SandboxOwner, 'uid'>): Readonly<Record<string, string>> {
  return { [LABELS.instance]: name, [LABELS.agent]: name, [LABELS.agentNamespace]: namespace };
}

export function runLabels({ namespace, name, uid }: SandboxOwner): Readonly<Record<string, string>> {
  return { [LABELS.sandboxRun]: name, [LABELS.sandboxRunNamespace]: namespace, [LABELS.sandboxRunUid]: uid };
}

/** Versions may hold a plus sign, label values may not. */
function labelValue(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 63);
}
