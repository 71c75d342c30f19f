/** `retainer install`: installs or upgrades the chart of this tree with helm, then waits until agents can run. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@retainer/contract/std/system-clock';
import { connectCluster, type ConnectedCluster } from '../cluster/connect-cluster.ts';
import { readEnvironment } from '../config.ts';
import { observeCluster } from '../doctor/observe-cluster.ts';
import { renderDiagnosis } from '../doctor/render-diagnosis.ts';
import { exitCodes } from '../exit-codes.ts';
import { counted } from '../doctor/check-result.ts';
import { untendedOf } from '../doctor/tended-check.ts';
import { awaitReady, type Awaited } from '../install/await-ready.ts';
import { templateArguments, upgradeArguments, type InstallChoice } from '../install/helm-arguments.ts';
import { markUntended } from '../install/mark-untended.ts';
import { findHelm, runHelm, type HelmRun } from '../install/run-helm.ts';
import { createOutput, type Output } from '../output.ts';
import { refuse } from '../refuse.ts';
import { programVersion } from '@retainer/agent-pod/boot/program-version';

export interface InstallFlags {
  readonly release: string;
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly registry?: string;
  readonly tag?: string;
  readonly resetValues?: true;
  /** Seconds; 0: does not wait. */
  readonly wait: number;
  readonly dryRun?: true;
}

const chart = fileURLToPath(new URL('../../../charts/retainer', import.meta.url));

export async function installCommand(flags: InstallFlags): Promise<number> {
  const { colour, cluster } = readEnvironment();
  const output = createOutput('text', colour);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const run: HelmRun = { onNote: (line) => output.note(line), signal: stop.signal };
  if (!existsSync(chart)) return refuse(output, `no chart at ${chart}: run this command in a clone of the repository`);
  const helm = await findHelm(run);
  if (!helm.ok) return refuse(output, helm.error);
  const choice = choiceOf(flags);
  if (flags.dryRun === true) return await carryOut(output, templateArguments(chart, choice), run);
  const connected = await connectCluster(flags, cluster, programVersion());
  if (!connected.ok) return refuse(output, connected.error);
  output.note(`${flags.release} into namespace ${flags.namespace} of ${connected.value.address}`);
  const code = await carryOut(output, upgradeArguments(chart, choice), run);
  if (code !== exitCodes.done || flags.wait === 0) return closed(connected.value, code);
  const awaited = await waitFor(connected.value, flags, output, stop.signal);
  if (awaited.type === 'Ready') await tellUntended(connected.value, flags, output);
  return closed(connected.value, tell(output, awaited, flags));
}

function choiceOf({ values = [], set = [], resetValues, ...flags }: InstallFlags): InstallChoice {
  return { ...flags, values, set, resetValues: resetValues === true };
}

/** helm's output is the result. */
async function carryOut(output: Output, args: readonly string[], run: HelmRun): Promise<number> {
  const ended = await runHelm(args, run);
  if (!ended.ok) return refuse(output, ended.error);
  if (run.signal.aborted) return exitCodes.interrupted;
  output.line(ended.value.stdout.trimEnd());
  return ended.value.code === 0 ? exitCodes.done : exitCodes.failed;
}

function waitFor(
  { client, address }: ConnectedCluster,
  { namespace: systemNamespace, wait }: InstallFlags,
  output: Output,
  signal: AbortSignal,
): Promise<Awaited> {
  const scope = { systemNamespace, namespace: undefined, agent: undefined };
  const version = programVersion();
  return awaitReady({
    observe: () => observeCluster({ client, clock: systemClock, scope, version, address, depth: 'Installation' }),
    clock: systemClock,
    timeoutMs: wait * 1000,
    onChange: ({ check, status, seen }) => output.note(`  ${status === 'ok' ? 'ready' : 'waits'}  ${check}: ${seen}`),
    signal,
  });
}

/** Tells of a narrowed release, on each Agent that it tended before, and here. Never rejects: the release is installed. */
async function tellUntended(
  { client, address }: ConnectedCluster,
  { namespace: systemNamespace }: InstallFlags,
  output: Output,
): Promise<void> {
  const scope = { systemNamespace, namespace: undefined, agent: undefined };
  const version = programVersion();
  const facts = await observeCluster({ client, clock: systemClock, scope, version, address, depth: 'Everything' });
  const agents = untendedOf(facts);
  if (agents.length === 0) return;
  const told = await markUntended(client, { agents, systemNamespace, nowMs: systemClock.nowMs() }).then(
    () => 'their condition Ready says so',
    (error: unknown) => `their status cannot be written: ${error instanceof Error ? error.message : 'unknown'}`,
  );
  output.note(`${counted(agents.length, 'Agent')} without an operator now; ${told}. See retainer doctor`, 'Warning');
}

function tell(output: Output, awaited: Awaited, { namespace, kubeconfig, context, wait }: InstallFlags): number {
  switch (awaited.type) {
    case 'Stopped':
      return exitCodes.interrupted;
    case 'NotReady':
      output.error(
        `not ready after ${wait} s; the release is installed and may still become ready: see retainer doctor`,
      );
      output.lines(renderDiagnosis(awaited.diagnosis));
      return exitCodes.failed;
    case 'Ready':
      output.line('');
      output.lines(
        nextSteps([
          ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
          ...(context === undefined ? [] : ['--context', context]),
          ...(namespace === 'retainer-system' ? [] : ['--system-namespace', namespace]),
        ]).map((text) => ({ tone: 'Plain', text })),
      );
      return exitCodes.done;
  }
}

function closed({ client }: ConnectedCluster, code: number): number {
  client.close();
  return code;
}

/** @param doctor  the options for cluster and namespace that install got */
function nextSteps(doctor: readonly string[]): readonly string[] {
  return [
    'Next:',
    '  kubectl apply -f manifests/examples   # a character, skills, an agent and six Tasks',
    '  kubectl get retainer                  # all objects: Ready or not, and why',
    `  ${['retainer doctor', ...doctor].join(' ')}   # faults, and how to fix them`,
  ];
}
