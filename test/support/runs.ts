/** Runs for tests: a whole RunSpec from the little that a test cares about, and what a scripted model says in the inner roles. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { RunSpec } from '@retainer/mind/run/event';
import { originOfTask } from '@retainer/mind/run/run-cause';
import { config, cycleSpec } from './cycles.ts';

export type RolePart = RunSpec['roles']['Planner'];

export function rolePart(part: Partial<RolePart> = {}): RolePart {
  return { tier: 'Capable', model: 'm', system: [], tools: [], limits: cycleSpec().limits, ...part };
}

/** @param tools  of the executor */
export function runSpec(
  spec: Partial<RunSpec> = {},
  tools: readonly string[] = [],
  part: Partial<RolePart> = {},
): RunSpec {
  const inner = rolePart(part);
  return {
    runId: 'r',
    agent: 'default/agent',
    task: { namespace: 'default', name: 'work' },
    ...originOfTask(spec.task ?? { namespace: 'default', name: 'work' }),
    intent: 'Do it.',
    input: 'Do it.',
    background: '',
    criteria: [],
    autonomous: true,
    identity: '',
    workers: [],
    roles: {
      Perceiver: inner,
      Planner: inner,
      Executor: { ...inner, tools: [...tools] },
      AgentValidator: inner,
      MetaValidator: inner,
    },
    control: AgentControl.parse({}),
    wallClockMs: 600_000,
    tools: tools.map((name) => ({ name, description: name })),
    environment: 'local',
    onNoAnswer: 'Wait',
    answerWaitMs: 600_000,
    characterDigest: config.gate.characterDigest,
    ...spec,
  };
}

/** A rule of a script: the perceiver takes every Task for one step. */
export const oneStepRule = String.raw`
  - name: every task is one step
    when: {role: perceiver}
    answer: {text: '<perception><task slug="work" shape="SingleStep"><intent>Do it.</intent></task></perception>'}
`;

/** Answers every Task; the one with the intent to hold asks a person first, so that its run stays under way. */
export const holdScript = `
version: 1
rules:${oneStepRule}
  - name: hold
    when: {task: hold, results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: done
    answer: {text: done}
`;

/** The validator cites the last call that succeeded, for the first criterion. */
export const citingRule = String.raw`
  - name: verdict
    when: {role: agent-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict></attempt>'}
`;

/** The one step of every task is one change, and then it is done. */
export const oneChangeScript = String.raw`
version: 1
rules:${oneStepRule}
  - name: work
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: change, input: 1}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

/** A run of one change, for the Task that is named as it. */
export function oneChangeRun(runId: string): RunSpec {
  return runSpec({ runId, task: { namespace: 'default', name: runId } }, ['change']);
}
