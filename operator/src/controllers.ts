/** All controllers of an installation, in the order in which an agent comes to life. */
import { releaseOf } from './desired/agent/release.ts';
import { sandboxNamespaceOf } from './desired/sandbox/run-job.ts';
import type { SigningKey } from './desired/signing-key.ts';
import { agentController } from './reconcile/agent-controller.ts';
import { canaryController } from './reconcile/canary-controller.ts';
import { canaryPort } from './reconcile/canary-port.ts';
import { characterController } from './reconcile/character-controller.ts';
import type { Controller, PassParts } from './reconcile/controller.ts';
import { sandboxAgentController } from './reconcile/sandbox-agent-controller.ts';
import { sandboxRunController } from './reconcile/sandbox-run-controller.ts';
import { RolloutBoard } from './reconcile/rollout-board.ts';
import { rolloutController } from './reconcile/rollout-controller.ts';
import type { RolloutMetrics } from './reconcile/rollout-metrics.ts';
import { SandboxRunLedger } from './reconcile/sandbox-run-ledger.ts';
import type { SandboxMetrics } from './reconcile/sandbox-run-metrics.ts';
import { skillController } from './reconcile/skill-controller.ts';
import { taskController } from './reconcile/task-controller.ts';
import { TendedBoard, tendedController } from './reconcile/tended-controller.ts';
import type { Settings } from './settings/settings.ts';

export interface ControllerParts extends PassParts {
  readonly settings: Settings;
  readonly signingKey: SigningKey;
  readonly metrics: SandboxMetrics;
  readonly rolloutMetrics: RolloutMetrics;
  /** Address of this operator's pod, whose listener the canary tries. */
  readonly podIp: string;
  /** Addresses of the cluster's DNS, which no sandbox may reach. */
  readonly dnsServers: readonly string[];
  /** Address of a host name. Rejects if there is none. */
  readonly lookup: (host: string) => Promise<string>;
}

export function controllers(parts: ControllerParts): readonly Controller[] {
  const { settings, signingKey } = parts;
  const canary = canaryPort(parts);
  const board = new RolloutBoard(releaseOf(settings));
  const tended = new TendedBoard();
  const sandbox = { ...parts, canary, tended, ledger: new SandboxRunLedger() };
  return [
    characterController(parts),
    skillController(parts),
    rolloutController({ ...parts, board }),
    agentController({
      ...parts,
      board,
      key: signingKey,
      canaryState: (isRoot) => canary.state(sandboxNamespaceOf(isRoot, settings)),
    }),
    taskController(parts),
    tendedController({ ...parts, board: tended }),
    canaryController(sandbox),
    sandboxAgentController(sandbox),
    sandboxRunController(sandbox),
  ];
}
