/** The HTTP servers for the kubelet and the scraper. They run from before the journal is opened until after it is closed. */
import { startOfParts } from '@retainer/mind/parts/derived';
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import type { PodConfig } from '../config.ts';
import { approvalQuestions, workQuestions } from '@retainer/mind/cycle/state';
import { createAgentMetrics, type AgentMetrics } from '../http/agent-metrics.ts';
import { checked, EventLoopWatch, type Check } from '../http/health.ts';
import { listen } from '@retainer/kube/listen';
import { ServeForward } from '../http/serve-forward.ts';
import { volumeProof } from '../http/volume-proof.ts';
import type { ServingPort } from '../ports/serving-port.ts';
import { supervise } from '../loop/supervisor.ts';
import type { OpenedAgent } from '../open-agent.ts';
import type { PodJobs } from './pod-jobs.ts';
import type { PodMail } from './pod-mail.ts';
import { volumeUsage } from '../upkeep/volume-watch.ts';

/** Written by `run-pod.ts`, read by the servers. */
export interface PodState {
  /** Why the agent has not started; ignored afterwards. */
  waitingFor: string | undefined;
  isDraining: boolean;
  agent: OpenedAgent | undefined;
  jobs: PodJobs | undefined;
  /** Undefined where the agent has no mail. */
  mail: PodMail | undefined;
  isLeaseHeld: () => boolean;
  isApiServerReachable: () => boolean;
  /** Undefined before the start, and if the agent may serve nothing. */
  serving: ServingPort | undefined;
  waitingTasks: () => number;
}

type ServedConfig = Pick<PodConfig, 'agent' | 'dataDirectory' | 'ports'>;

export interface PodServers {
  readonly metrics: AgentMetrics;
  readonly ports: { readonly http: number; readonly metrics: number };
  close(): Promise<void>;
}

export async function servePod(config: ServedConfig, state: PodState, clock: Clock): Promise<PodServers> {
  const eventLoop = new EventLoopWatch();
  const stop = new AbortController();
  const ticking = supervise(eventLoop.component(clock), clock, stop.signal, {
    onRestart: () => undefined,
    onGivenUp: () => undefined,
  });
  const metrics = createAgentMetrics(config.agent, gauges(config, state));
  const volume = volumeProof(join(config.dataDirectory, 'cache'), clock);
  const routes = {
    '/healthz': () => checked([{ reason: 'EventLoopHeldUp', fault: () => eventLoop.fault() }]),
    '/readyz': () => checked([...readiness(state), { reason: 'VolumeNotUsable', fault: () => volume.fault() }]),
  };
  const health = await listen({
    port: config.ports.http,
    routes,
    subtree: new ServeForward(() => state.serving),
  });
  const scraped = await listen({
    port: config.ports.metrics,
    routes: {
      '/metrics': async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.render() }),
    },
  });
  return {
    metrics,
    ports: { http: health.port, metrics: scraped.port },
    close: async () => {
      stop.abort();
      await Promise.all([ticking, health.close(), scraped.close()]);
    },
  };
}

function readiness(state: PodState): readonly Check[] {
  return [
    { reason: 'Draining', fault: () => (state.isDraining ? 'the pod is stopping' : undefined) },
    { reason: 'Starting', fault: () => (state.agent === undefined ? state.waitingFor : undefined) },
    {
      reason: 'LeaseNotHeld',
      fault: () =>
        state.isLeaseHeld() ? undefined : 'this pod does not hold the Lease of the agent: no effects until it does',
    },
    { reason: 'JournalNotWritable', fault: () => journalFault(state.agent) },
    {
      reason: 'NotAtWork',
      fault: () => (state.agent?.runtime.isReady === false ? 'the agent accepts no commands' : undefined),
    },
  ];
}

function journalFault(agent: OpenedAgent | undefined): string | undefined {
  if (agent === undefined || agent.journal.mode === 'Writable') return undefined;
  return `the journal is ${agent.journal.mode} (${agent.journal.modeCause ?? 'unknown'}): see retainer journal verify`;
}

function gauges({ dataDirectory }: ServedConfig, state: PodState): Parameters<typeof createAgentMetrics>[1] {
  return {
    isApiServerReachable: () => state.isApiServerReachable(),
    isLeaseHeld: () => state.isLeaseHeld(),
    isReady: () => state.agent?.runtime.isReady === true && !state.isDraining,
    inboxLength: () => (state.agent?.runtime.known.inbox.open.size ?? 0) + state.waitingTasks(),
    openRuns: () => state.agent?.runtime.openRuns().length ?? 0,
    runsSetAside: () => state.agent?.runtime.asideRuns().filter(({ held }) => held === undefined).length ?? 0,
    commandsSetAside: () => state.agent?.runtime.asideCommands().length ?? 0,
    pendingApprovals: () =>
      (state.agent?.runtime.openCycles() ?? []).reduce((sum, cycle) => sum + approvalQuestions(cycle).length, 0),
    openQuestions: () =>
      (state.agent?.runtime.openRuns() ?? []).filter((run) => run.question !== undefined).length +
      (state.agent?.runtime.openCycles() ?? []).filter((cycle) => workQuestions(cycle).length > 0).length,
    outputRejectionsInRow: () => state.agent?.runtime.gateHealth.outputRejectionsInRow ?? 0,
    probesUnansweredInRow: () => state.agent?.runtime.gateHealth.probesUnansweredInRow ?? 0,
    budgets: () => state.agent?.runtime.budgets() ?? [],
    known: () => state.agent?.runtime.parts.known() ?? startOfParts(),
    backup: () => state.agent?.backup(),
    mailHealth: () => state.mail?.health(),
    jobsStalled: () => state.jobs?.stalled() ?? 0,
    isJournalWritable: () => state.agent?.journal.mode === 'Writable',
    volume: () => volumeUsage(dataDirectory),
  };
}
