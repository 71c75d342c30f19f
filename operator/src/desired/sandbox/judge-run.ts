/**
 * Whether a run respects the limits of its Agent and of the installation: a list of rules, the first refusal wins. A refusal
 * ends the run. Conditions that may pass (no Agent, no proof of the network) make a run wait instead; other modules judge them.
 */
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { durationMs } from '@retainer/contract/api/fields';
import type { SandboxRun } from '@retainer/contract/api/sandbox-run';
import type { Settings } from '../../settings/settings.ts';
import { isRuntimeClassAllowed, runtimeClassOf } from './runtime-class.ts';
import { excessiveAmounts } from './sandbox-resources.ts';

export interface RunCase {
  readonly run: SandboxRun['spec'];
  readonly sandbox: AgentSandbox;
  readonly settings: Settings;
}

export interface RunRefusal {
  readonly reason: ConditionReason<'SandboxRun'>;
  /** Names the field that forbids it. */
  readonly message: string;
}

const notAllowed = (message: string): RunRefusal => ({ reason: 'NotAllowed', message });

const RULES: readonly ((given: RunCase) => RunRefusal | undefined)[] = [
  ({ sandbox }) =>
    sandbox.enabled ? undefined : notAllowed('the Agent may not run code; set its spec.sandbox.enabled to true'),
  ({ run, sandbox }) =>
    run.mode === 'Run' || sandbox.serve
      ? undefined
      : notAllowed('the Agent may not keep ports open; set its spec.sandbox.serve to true'),
  ({ run, sandbox }) =>
    run.language === undefined || sandbox.languages.includes(run.language)
      ? undefined
      : notAllowed(`the Agent may not run ${run.language}; add it to its spec.sandbox.languages`),
  ({ run, sandbox }) =>
    durationMs(run.timeout) <= durationMs(sandbox.timeout)
      ? undefined
      : notAllowed(`spec.timeout is above the Agent's spec.sandbox.timeout of ${sandbox.timeout}`),
  ({ run, sandbox }) => {
    const excessive = excessiveAmounts(sandbox, run.resources);
    return excessive.length === 0
      ? undefined
      : notAllowed(`spec.resources asks for more ${excessive.join(', ')} than the Agent's spec.sandbox allows`);
  },
  ({ run, sandbox }) => {
    const index = run.egress.findIndex((host) => !isHostAllowed(host, sandbox.egress));
    return index === -1 ? undefined : notAllowed(`spec.egress[${index}] is not within the Agent's spec.sandbox.egress`);
  },
  ({ run, settings }) =>
    run.egress.length === 0 || settings.network.egressProxy !== undefined
      ? undefined
      : notAllowed('spec.egress needs the egress proxy; this installation has none'),
  ({ run, sandbox }) =>
    run.root && !sandbox.root
      ? notAllowed('the Agent may not run code as root; set its spec.sandbox.root to true')
      : undefined,
  ({ run, settings }) =>
    run.root && (settings.sandboxRootNamespace === undefined || !settings.hasUserNamespaces)
      ? {
          reason: 'UserNamespacesUnavailable',
          message: 'spec.root needs user namespaces and a sandbox namespace for them; this installation lacks them',
        }
      : undefined,
  ({ sandbox, settings }) =>
    sandbox.requireRuntimeClass && runtimeClassOf(sandbox, settings) === undefined
      ? {
          reason: 'RuntimeClassNotFound',
          message: "the Agent's spec.sandbox.requireRuntimeClass needs a runtimeClassName, and none is set",
        }
      : undefined,
  ({ sandbox, settings }) =>
    isRuntimeClassAllowed(sandbox, settings)
      ? undefined
      : notAllowed(
          `the Agent's spec.sandbox.runtimeClassName must be ${classNames(settings)}, or absent; add others to sandbox.runtimeClassesAllowed of the chart`,
        ),
];

function classNames({ sandboxRuntimeClassName = '', sandboxRuntimeClassesAllowed }: Settings): string {
  return [sandboxRuntimeClassName, ...sandboxRuntimeClassesAllowed].join(' or ');
}

/** @returns undefined where the run may start */
export function judgeRun(given: RunCase): RunRefusal | undefined {
  for (const rule of RULES) {
    const refusal = rule(given);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Whether `allowed` covers every host that `wanted` matches. Both may begin with `*.`, which matches all subdomains. */
export function isHostAllowed(wanted: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    if (pattern === wanted) return true;
    return pattern.startsWith('*.') && wanted.replace(/^\*/, '').endsWith(pattern.slice(1));
  });
}
