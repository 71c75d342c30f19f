/**
 * An agent whose model can be held in one role of a run: the first try of that role's call fails, and comes again after
 * {@link HOLD_MS}. Its Tasks note two colours in two steps, so that every role thinks once or twice.
 */
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { CITING_RULE } from './puppet.ts';
import type { World } from './world.ts';

export const HELD = 'held';
/** Long enough that all Tasks are held at once on a slow machine; after a restart each is held once more. At most the longest pause of a retry. */
const HOLD_MS = 55_000;
const API = 'retainer.dev/v1alpha1';
/** The agent runs all Tasks of a test at once. As AgentLimits has it. */
const CONCURRENT_RUNS = 8;

/** Roles that think, as scripts name them. */
export const THINKING_ROLES = ['perceiver', 'planner', 'executor', 'agent-validator', 'meta-validator'] as const;
export type ScriptRole = (typeof THINKING_ROLES)[number];

/** Where a role is told what to do: of two steps the first is held, not the next that is shown it. */
const TOLD = {
  perceiver: 'The message:\\n  ',
  planner: '\\nTask:\\n  ',
  executor: '^Your task:\\n  ',
  'agent-validator': '\\nTask:\\n  ',
  'meta-validator': '',
} as const satisfies Readonly<Record<ScriptRole, string>>;

/** The executor is held when its call is done: what is done must not be done again. */
const holds = THINKING_ROLES.map(
  (role) => `
  - name: held in the ${role}
    when: {role: ${role}, task: '${TOLD[role]}.*hold ${role}\\.'${role === 'executor' ? ', results: [{ min: 1 }]' : ''}}
    fault: {kind: Fail, failure: Overloaded, retryAfterMs: ${HOLD_MS}, times: 1}`,
).join('');

const script = String.raw`
version: 1
rules:${holds}
  - name: every task is planned
    when: { role: perceiver, task: 'hold (?P<role>[a-z-]+)\.' }
    answer:
      text: >-
        <perception><task slug="colours" shape="Plan"><intent>Note two colours, hold {{task.role}}.</intent></task></perception>
  - name: one step for each colour
    when: { role: planner, task: 'hold (?P<role>[a-z-]+)\.' }
    answer:
      text: |-
        <plan>
          <subtask sequence="1">
            <intent>Note sky = blue, hold {{task.role}}.</intent>
            <criterion>The colour is noted.</criterion>
            <tool>memory_write</tool>
          </subtask>
          <subtask sequence="2">
            <intent>Note grass = green, hold nobody.</intent>
            <criterion>The colour is noted.</criterion>
            <tool>memory_write</tool>
          </subtask>
        </plan>
  - name: note it
    when:
      role: executor
      task: '^Your task:\n  Note (?P<key>\w+) = (?P<value>\w+), hold'
      results: [{ min: 0, max: 0 }]
    answer:
      text: I note it.
      calls: [{ tool: memory_write, input: { key: 'colour/{{task.key}}', value: '{{task.value}}' } }]
  - name: say what is noted
    when:
      role: executor
      task: '^Your task:\n  Note (?P<key>\w+) = (?P<value>\w+), hold'
      last: { tool: memory_write, error: false }
    answer: { text: 'The {{task.key}} is {{task.value}}.' }
${CITING_RULE}
  - name: the whole
    when:
      role: meta-validator
      task: '(?s)\ntool-call (?P<first>\S+) tool=\S+ status=ok.*\ntool-call (?P<last>\S+) tool=\S+ status=ok'
    answer:
      text:
        - "<merge>\n  <output>The sky is blue, and the grass is green.</output>\n"
        - each: { of: task, pattern: '(?m)^criterion (?P<number>\d+)[^:\n]*: ' }
          text: |2
              <verdict criterion="{{each.number}}" met="true">
                <evidence>{{task.first|xml}}</evidence>
                <evidence>{{task.last|xml}}</evidence>
                <reason>Both calls succeeded.</reason>
              </verdict>
        - "  <summary>Both are noted.</summary>\n</merge>"
`;

export function heldObjects(spec: Readonly<Record<string, unknown>> = {}): readonly RenderedObject[] {
  const authority = {
    alone: [{ id: 'notes', description: 'It may note.', tools: ['memory_write'], effectClass: 1 }],
  };
  const highestEndeavour = [
    { id: 'do-it', description: 'What is asked is done.', level: 'UserAutonomy', operator: 'Required' },
  ];
  return [
    {
      apiVersion: API,
      kind: 'CharacterSpec',
      metadata: { name: HELD },
      spec: { persona: 'You note colours.', authority, highestEndeavour },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${HELD}-script` }, data: { 'script.yaml': script } },
    {
      apiVersion: API,
      kind: 'Agent',
      metadata: { name: HELD },
      spec: {
        characterRef: { name: HELD },
        models: { provider: 'Scripted', script: 'script.yaml', scriptConfigMapRef: { name: `${HELD}-script` } },
        memory: { storage: '1Gi' },
        limits: { concurrentRuns: CONCURRENT_RUNS },
        sandbox: { enabled: false },
        ...spec,
      },
    },
  ];
}

/** @param role  in which its model is held once in every life of the process; absent: nowhere */
export function heldTask(name: string, role: ScriptRole | 'nobody'): RenderedObject {
  return {
    apiVersion: API,
    kind: 'Task',
    metadata: { name },
    spec: {
      agentRef: { name: HELD },
      intent: `Note two colours, hold ${role}.`,
      successCriteria: [{ text: 'Two colours are noted.' }],
    },
  };
}

/** A line of the journal. */
export interface JournalRecord {
  readonly store: string;
  readonly order: number;
  readonly epoch: number;
  readonly kind: string;
  readonly runId?: string;
  readonly cycleId?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Everything that the agent's runs and cycles have recorded, in its order. A line that is just being written is left out. */
export async function journalOf(
  { kubectl }: World,
  namespace: string,
  agent: string,
): Promise<readonly JournalRecord[]> {
  const read = 'cat /data/journal/run/*.jsonl /data/journal/cycle/*.jsonl';
  const text = await kubectl.run(inAgent(namespace, agent, read));
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as JournalRecord).toSorted((a, b) => a.order - b.order);
}

/** Kills the agent's process with SIGKILL: the container's first process is tini, and its only child the agent. */
export async function killAgent({ kubectl }: World, namespace: string, agent: string): Promise<void> {
  await kubectl.run(inAgent(namespace, agent, 'kill -KILL $(cat /proc/1/task/1/children)'));
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
}

export async function agentContainer(world: World, namespace: string, agent: string): Promise<ContainerStatus> {
  const pod = await world.get('pod', `retainer-${agent}-0`, namespace);
  const { containerStatuses = [] } = pod.status as { readonly containerStatuses?: readonly ContainerStatus[] };
  const found = containerStatuses.find(({ name }) => name === 'agent');
  if (found === undefined) throw new Error(`the pod of ${agent} has no container yet`);
  return found;
}

function inAgent(namespace: string, agent: string, command: string): readonly string[] {
  return ['exec', `retainer-${agent}-0`, '-n', namespace, '-c', 'agent', '--', 'sh', '-c', command];
}

/** Roles whose model was asked by this run, and had not answered when the records end. */
export function heldRoles(records: readonly JournalRecord[], runId: string): readonly string[] {
  const own = records.filter((it) => it.runId === runId);
  const answered = new Set(own.filter(({ kind }) => kind === 'ModelAnswered').map(callOf));
  const waiting = own.filter((it) => it.kind === 'ModelRequested' && !answered.has(callOf(it)));
  const cycles = new Set(waiting.map(({ cycleId }) => cycleId));
  return own.flatMap(({ kind, payload }) => {
    if (kind !== 'CycleRequested') return [];
    const { spec, purpose } = payload as { readonly spec: { cycleId: string }; readonly purpose: { role: string } };
    return cycles.has(spec.cycleId) ? [purpose.role] : [];
  });
}

function callOf({ payload }: JournalRecord): unknown {
  return payload['callId'];
}
