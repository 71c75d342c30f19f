/** Where an agent is and where its code runs: as its manifest has it, as far as the manifest holds here. */
import type { Agent } from '@retainer/contract/api/agent';
import { SANDBOX_MEMORY_DEFAULT } from '@retainer/contract/api/agent-sandbox';
import type { Place } from '@retainer/mind/assemble/curator/view';
import type { AgentSettings } from './loop/agent-settings.ts';
import type { SandboxPort } from './ports/ports.ts';
import type { SandboxLanguage } from './ports/sandbox-run.ts';
import { CODE_LIMITS, inMebibytes } from './tools/code-run.ts';

/** @param isolated  languages whose code the sandbox can isolate */
export function placeOf(
  { spec: { sandbox } }: Agent,
  settings: Pick<AgentSettings, 'sandbox' | 'fetch'>,
  isolated: readonly SandboxLanguage[],
  { obeysManifest }: Pick<SandboxPort, 'obeysManifest'>,
): Place {
  const languages = isolated.filter((it) => settings.sandbox.languages.includes(it));
  const { timeoutMs, processes } = settings.sandbox.limits;
  return {
    ...stateOf(sandbox.enabled, languages),
    ...(obeysManifest === true ? asTheManifestSays(sandbox) : fixed),
    ...{ timeoutMs, processes },
    pages: settings.fetch?.allowedDomains ?? [],
  };
}

function stateOf(isEnabled: boolean, languages: readonly SandboxLanguage[]): Pick<Place, 'sandbox' | 'languages'> {
  if (!isEnabled) return { sandbox: 'off', languages: [] };
  return { sandbox: languages.length === 0 ? 'down' : 'ready', languages };
}

type Limits = Pick<Place, 'runsOn' | 'hosts' | 'isRoot' | 'memory' | 'scratch'>;

/** Without a cluster. */
const fixed: Limits = {
  runsOn: 'machine',
  hosts: [],
  isRoot: false,
  memory: inMebibytes(CODE_LIMITS.memoryBytes),
  scratch: inMebibytes(CODE_LIMITS.fileBytes),
};

function asTheManifestSays({ egress, root, scratch, resources }: Agent['spec']['sandbox']): Limits {
  const memory = resources?.limits?.['memory'] ?? SANDBOX_MEMORY_DEFAULT;
  return { runsOn: 'cluster', hosts: egress, isRoot: root, memory, scratch };
}
