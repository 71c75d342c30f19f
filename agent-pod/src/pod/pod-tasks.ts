/** Connects the agent with its Tasks on the API server: watch, status reports, Events. */
import { nextTried } from '@retainer/mind/request/parked';
import { join } from 'node:path';
import type { Directive } from '@retainer/contract/api/task-status';
import type { Clock } from '@retainer/contract/std/clock';
import type { EventRecorder } from '@retainer/kube/events';
import { Informer } from '@retainer/kube/informer';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { PodConfig } from '../config.ts';
import { unusedMessage } from '../deliver/awaiting-approval.ts';
import { changedMessage, heldMessage } from '../deliver/task-status-body.ts';
import { OutboxDelivery } from '../deliver/outbox-delivery.ts';
import { TaskStatusDelivery } from '../deliver/task-status.ts';
import { approvalQuestions, workQuestions, type CycleState } from '@retainer/mind/cycle/state';
import type { RunView } from '../input/task-decisions.ts';
import { TaskWatch } from '../input/task-watch.ts';
import type { Reachability } from '../lease/reachability.ts';
import type { AgentRuntime } from '../loop/agent-runtime.ts';
import type { DeliveringAgent } from '../delivery-of-agent.ts';
import type { OpenedAgent } from '../open-agent.ts';
import { isForTask } from '@retainer/mind/run/run-cause';
import { deliverableText } from '@retainer/mind/run/delivered';
import { resultText, sent, type RunState } from '@retainer/mind/run/state';
import { runIdOfIdentity, runIdOfTask } from '../input/task-identity.ts';
import { knownTools } from '../parts/catalog.ts';

export interface TaskParts {
  readonly config: PodConfig;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly reachability: Reachability;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly characterDigest: string;
  readonly onNotice: (notice: string) => void;
}

export function taskDelivery(parts: TaskParts, agent: DeliveringAgent): TaskStatusDelivery {
  const { config, client, reachability, characterDigest, onNotice, events } = parts;
  return new TaskStatusDelivery({
    client,
    characterDigest,
    known: knownTools,
    outbox: new OutboxDelivery(join(config.dataDirectory, 'outbox')),
    runIdOf,
    wholeText: (runId) => {
      const state = agent.openRuns().find(({ spec }) => spec.runId === runId);
      const text = state === undefined ? undefined : resultText(state);
      return state === undefined || text === undefined ? undefined : deliverableText(state, knownTools, text);
    },
    untilReachable: (signal) => reachability.untilReachable(signal),
    onDropped: async (dropped) => {
      const record = { store: 'agent', kind: 'DeliveryDropped', principal: 'agent', payload: { ...dropped } } as const;
      await agent.journal.append([record]);
      onNotice(`the result of ${dropped.target} could not be delivered: ${dropped.why}`);
    },
    onDelivered: (task, outcome) => events.record(endEvent(task, outcome)),
    onNotice,
  });
}

export interface PodTasks {
  readonly watch: TaskWatch;
  /** Lists and watches until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** The watch of this agent's Tasks, not started. */
export function openTasks(parts: TaskParts, agent: OpenedAgent, delivery: TaskStatusDelivery): PodTasks {
  const { config, client, clock, characterDigest, onNotice, events } = parts;
  const { namespace, name } = config.agent;
  const informer = new Informer({
    client,
    clock,
    random: Math.random,
    resource: resources.tasks,
    namespaces: [namespace],
    fieldSelector: `spec.agentRef.name=${name}`,
    onChange: () => watch.wake(),
  });
  const tellUnused = unusedTeller(events);
  const tellChange = changeTeller(events);
  const watch: TaskWatch = new TaskWatch({
    clock,
    objects: () => (informer.hasSynced ? informer.cache.list() : undefined),
    runIdOf: runIdOfTask,
    runs: () => runViews(agent.runtime),
    isTaken: (runId) => agent.runtime.knowsRun(runId),
    isAccepting: () => agent.runtime.isReady && agent.journal.mode === 'Writable',
    concurrentMax: agent.concurrentRunsMax,
    submit: (task) => agent.submitTask(task, 'task'),
    accept: ({ originId, command }) => agent.runtime.accept(originId, 'task', command),
    isGone: async ({ runId, task }) => {
      const live = await client.get(resources.tasks, task);
      return live === undefined || runIdOf(live) !== runId;
    },
    report: (object, status, run) => {
      const { generation } = object.metadata;
      tellUnused(object, run);
      tellChange(object, run);
      delivery.report({ object, status }, { ...run, characterDigest, generation });
    },
    onNotice,
  });
  return { watch, run: (signal) => informer.run(signal) };
}

/** Names decisions that fit no call, once for each run and for each fault. */
function unusedTeller(events: TaskParts['events']): (task: KubeObject, run: RunView) => void {
  const told = new Map<string, string>();
  return (task, run) => {
    const note = unusedMessage(run);
    if (note === (told.get(run.runId) ?? '')) return;
    told.set(run.runId, note);
    if (note === '') return;
    events.record({ regarding: task, type: 'Warning', reason: 'ApprovalNotUsed', action: 'Decide', note });
  };
}

/** Tells once for each run and character. */
function changeTeller(events: TaskParts['events']): (task: KubeObject, run: RunView) => void {
  const told = new Map<string, string>();
  return (task, { runId, held, change }) => {
    const to = held?.to ?? change?.to;
    if (to === undefined || told.get(runId) === to) return;
    told.set(runId, to);
    const note = held === undefined ? changedMessage(change) : heldMessage(held);
    const type = held === undefined ? 'Normal' : 'Warning';
    const reason = held?.because === undefined ? 'CharacterChanged' : 'TaskHeld';
    events.record({ regarding: task, type, reason, action: 'Continue', note });
  };
}

/** Runs that no Task asked for have no status, and no Task whose end could cancel them. */
export function runViews(runtime: Pick<AgentRuntime, 'openRuns' | 'openCycles' | 'asideRuns'>): readonly RunView[] {
  const cycles = runtime.openCycles();
  const open = runtime
    .openRuns()
    .filter(({ spec }) => isForTask(spec))
    .map((state) =>
      runView(
        state,
        cycles.filter(({ spec }) => spec.runId === state.spec.runId),
      ),
    );
  const aside = runtime.asideRuns().filter(({ notice }) => notice === undefined);
  return [...open, ...aside.map(asideView)];
}

function asideView({ runId, task, startedAtMs, held }: ReturnType<AgentRuntime['asideRuns']>[number]): RunView {
  const nothing = { approvals: [], mistyped: [], question: undefined, answeredAtMs: undefined, decidedAtMs: undefined };
  const flags = { isConcluded: false, isSetAside: true, isBetweenWaits: false };
  const waits = held === undefined ? {} : { held };
  return { runId, task, startedAtMs, ...flags, ...nothing, ...waits, steered: undefined };
}

/** @param cycles  of this run, under way */
export function runView(state: RunState, cycles: readonly CycleState[]): RunView {
  const { spec, waits } = state;
  const approvals = cycles.flatMap(approvalQuestions);
  const asked = cycles.flatMap(workQuestions);
  const question = state.question ?? asked[0];
  const isWaitingForLeave = [...waits].some((id) => id !== state.question?.questionId);
  return {
    runId: spec.runId,
    task: spec.task,
    startedAtMs: state.startedAtMs,
    isConcluded: state.concluded !== undefined,
    isSetAside: false,
    isBetweenWaits: isWaitingForLeave !== approvals.length + asked.length > 0,
    approvals,
    mistyped: [],
    question,
    answeredAtMs: sent(state, 'ClarificationAnswer').at(-1)?.atMs,
    decidedAtMs: state.decidedAtMs,
    ...modelWait(state),
    steered: state.steered.findLast(({ explanation }) => !ENDING.has(explanation.directive)),
    ...(state.change === undefined ? {} : { change: state.change }),
  };
}

/** Of the cycle whose provider is tried next. */
function modelWait({ parked, unparkedAtMs }: RunState): Pick<RunView, 'parked' | 'unparkedAtMs'> {
  const next = nextTried(parked.values());
  return {
    ...(next === undefined ? {} : { parked: next }),
    ...(unparkedAtMs === undefined ? {} : { unparkedAtMs }),
  };
}

/** Directives that end a run: the final status contains them. */
const ENDING: ReadonlySet<Directive> = new Set(['Accept', 'Success', 'Abandon']);

function runIdOf({ metadata }: KubeObject): string {
  const { namespace = '', name, uid = '' } = metadata;
  return runIdOfIdentity({ namespace, name, uid });
}

/** Outcomes that a person should look at. */
const WARNED = new Set(['Refused', 'Failed', 'Abandoned']);

function endEvent(task: KubeObject, outcome: string): Parameters<EventRecorder['record']>[0] {
  return {
    regarding: task,
    type: WARNED.has(outcome) ? 'Warning' : 'Normal',
    reason: outcome === 'Refused' ? 'TaskRefused' : 'TaskFinished',
    action: 'Finish',
    note: `the Task ended ${outcome}: its status has the result`,
  };
}
