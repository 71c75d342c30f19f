/** Where an agent is and where its code runs: as its manifest has it, as far as the manifest holds here. */
import type { Agent } from '@retainer/contract/api/agent';
import { SANDBOX_MEMORY_DEFAULT } from '@retainer/contract/api/agent-sandbox';
import type { Place } from '@retainer/mind/assemble/curator/view';
import type { AgentSettings } from './loop/agent-settings.ts';
import type { SandboxPort } from './ports/ports.ts';
import type { SandboxLanguage } from './ports/sandbox-run.ts';
import { CODE_LIMITS } from './tools/code-run.ts';

const MEBIBYTE = 1024 * 1024;
const inMebibytes = (bytes: number): string => `${Math.floor(bytes / MEBIBYTE)}Mi`;

/** Without a cluster. */
const fixedLimits = { memory: inMebibytes(CODE_LIMITS.memoryBytes), scratch: inMebibytes(CODE_LIMITS.fileBytes) };

/** @param isolated  languages whose code the sandbox can isolate; undefined: none */
export function placeOf(
  { spec: { sandbox } }: Agent,
  settings: Pick<AgentSettings, 'sandbox' | 'fetch'>,
  isolated: readonly SandboxLanguage[] | undefined,
  { obeysManifest = false }: { readonly obeysManifest?: SandboxPort['obeysManifest'] | false },
): Place {
  const languages = (isolated ?? []).filter((it) => settings.sandbox.languages.includes(it));
  const { timeoutMs, processes } = settings.sandbox.limits;
  const { scratch, resources } = sandbox;
  const limits = { memory: resources?.limits?.['memory'] ?? SANDBOX_MEMORY_DEFAULT, scratch };
  return {
    sandbox: !sandbox.enabled ? 'off' : languages.length === 0 ? 'down' : 'ready',
    runsOn: obeysManifest ? 'cluster' : 'machine',
    languages: sandbox.enabled ? languages : [],
    hosts: obeysManifest ? sandbox.egress : [],
    isRoot: obeysManifest && sandbox.root,
    ...{ timeoutMs, processes },
    ...(obeysManifest ? limits : fixedLimits),
    pages: settings.fetch?.allowedDomains ?? [],
  };
}
