/**
 * Which RuntimeClass isolates a sandbox: that of the installation, unless the Agent names another one that the installation
 * allows.
 */
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import type { Settings } from '../../settings/settings.ts';

export function runtimeClassOf(sandbox: AgentSandbox, settings: Settings): string | undefined {
  return sandbox.runtimeClassName ?? settings.sandboxRuntimeClassName;
}

/** If the installation sets no RuntimeClass, an Agent's choice cannot be weaker. */
export function isRuntimeClassAllowed(sandbox: AgentSandbox, settings: Settings): boolean {
  const { sandboxRuntimeClassName: own, sandboxRuntimeClassesAllowed: others } = settings;
  const wanted = runtimeClassOf(sandbox, settings);
  return own === undefined || wanted === own || (wanted !== undefined && others.includes(wanted));
}
