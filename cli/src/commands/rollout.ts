/** `retainer rollout`: how far a release has come over the agents of a cluster, and what ends a halt. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { ROLLOUT_CONFIG_MAP, ROLLOUT_ENTRIES, type RolloutState } from '@retainer/contract/wire/rollout';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import { resources } from '@retainer/kube/resources';
import { connectCluster } from '../cluster/connect-cluster.ts';
import { rolloutLines, rolloutOf } from '../cluster/rollout-story.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { programVersion } from '@retainer/agent-pod/boot/program-version';

export interface RolloutFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly systemNamespace: string;
  readonly output: OutputFormat;
}

interface Look {
  readonly client: KubeClient;
  readonly output: Output;
  readonly state: RolloutState;
  readonly resourceVersion: string | undefined;
}

export function rolloutStatusCommand(flags: RolloutFlags): Promise<number> {
  return withRollout(flags, ({ output, state }) => {
    output.lines(rolloutLines(state, systemClock.nowMs()));
    output.data(state);
    return Promise.resolve(state.phase === 'Halted' ? exitCodes.failed : exitCodes.done);
  });
}

export function rolloutResumeCommand(flags: RolloutFlags): Promise<number> {
  return withRollout(flags, async ({ client, output, state, resourceVersion }) => {
    const isHalted = state.phase === 'Halted';
    if (isHalted) {
      const key = { namespace: flags.systemNamespace, name: ROLLOUT_CONFIG_MAP };
      // Applies only to the halt that was read.
      const patch = { metadata: { resourceVersion }, data: { [ROLLOUT_ENTRIES.resume]: state.changedAt } };
      await client.mergePatch(resources.configMaps, key, patch);
    }
    output.line(
      isHalted
        ? `the release ${state.release.image} begins again with one agent: retainer rollout status`
        : `no rollout is halted: ${state.release.image} is ${state.phase === 'Done' ? 'everywhere' : 'on its way'}`,
    );
    output.data({ resumed: isHalted, state });
    return exitCodes.done;
  });
}

async function withRollout(flags: RolloutFlags, act: (look: Look) => Promise<number>): Promise<number> {
  const { colour, cluster } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const connected = await connectCluster(flags, cluster, programVersion());
  if (!connected.ok) return refuse(output, connected.error);
  const { client } = connected.value;
  const key = { namespace: flags.systemNamespace, name: ROLLOUT_CONFIG_MAP };
  try {
    const object = await client.get(resources.configMaps, key);
    const state = rolloutOf(object);
    if (state === undefined)
      return refuse(
        output,
        `no rollout in namespace ${key.namespace}: no operator has led there yet, see retainer doctor`,
      );
    return await act({ client, output, state, resourceVersion: object?.metadata.resourceVersion });
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
    return refuse(output, error.message, exitCodes.failed);
  } finally {
    client.close();
  }
}
