/** Runs of several rounds for tests: corrected by their validator, planned anew, given up with a report. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { Arrival } from './crash-world.ts';
import { cycleSpec } from './cycles.ts';
import { citingRule, oneStepRule, runSpec } from './runs.ts';

const unmet =
  '<attempt><verdict criterion="1" met="false" failureClass="Environmental"><reason>it is not there</reason></verdict>' +
  '<whatWasWrong>it is not there</whatWasWrong><whatToDo>change it</whatToDo></attempt>';
const step = (sequence: number, intent: string): string =>
  `<subtask sequence="${sequence}"><intent>${intent}</intent><criterion>The value is given</criterion></subtask>`;

/** What is sloppy is right at the second attempt; part B never is; in the second round part C is there instead, unless all is hopeless. */
export const roundScript = String.raw`
version: 1
rules:
  - name: several steps
    when: {role: perceiver, task: planned}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>{{task.0}}</intent></task></perception>'}
${oneStepRule}
  - name: report
    when: {role: planner, text: given up after}
    answer: {text: '<report><missing>The value.</missing><nextMove>Ask somebody else.</nextMove></report>'}
  - name: no other way
    when: {role: planner, text: 'hopeless(?s:.*)directive '}
    answer: {text: '<plan>${step(1, 'Part A')}${step(1, 'Part B once more')}</plan>'}
  - name: another way
    when: {role: planner, text: 'directive '}
    answer: {text: '<plan>${step(1, 'Part A')}${step(1, 'Part C')}${step(2, 'Part D')}</plan>'}
  - name: the first way
    when: {role: planner}
    answer: {text: '<plan>${step(1, 'Part A')}${step(1, 'Part B')}${step(2, 'Part D')}</plan>'}
  - name: not there
    when: {role: agent-validator, task: Part B}
    answer: {text: '${unmet}'}
  - name: only a change will do
    when: {role: agent-validator, task: '(?s)sloppy.*\ntool-call (?P<id>\S+) tool=change status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{task.id}}</evidence><reason>shown</reason></verdict></attempt>'}
  - name: a look is too little
    when: {role: agent-validator, task: sloppy}
    answer: {text: '${unmet}'}
${citingRule}
  - name: merge
    when: {role: meta-validator, task: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<merge><output>All is done.</output><verdict criterion="1" met="true"><evidence>{{task.id}}</evidence><reason>shown</reason></verdict><summary>Done.</summary></merge>'}
  - name: an unknown change is made in other words
    when: {role: executor, task: This is attempt 2, last: {text: '\[unknown\]'}}
    answer: {calls: [{tool: change, input: {column: right, again: true}}]}
  - name: an unknown result is looked up
    when: {role: executor, last: {text: '\[unknown\]'}}
    answer: {calls: [{tool: look, input: {again: true}}]}
  - name: reply
    when: {role: executor, last: {text: 'value (?P<value>\S+)'}}
    answer: {text: 'It is done.'}
  - name: the second time
    when: {role: executor, task: This is attempt 2}
    answer: {calls: [{tool: change, input: {column: right}}]}
  - name: the first time
    when: {role: executor, task: '(?P<what>Part .|sloppy)'}
    answer: {calls: [{tool: look, input: {at: '{{task.what}}'}}]}
`;

/** @param control  of the Agent */
export function startRound(intent: string, control: object): readonly Arrival[] {
  const criteria = [{ text: 'The value is given', mode: 'Verifiable' as const, required: true }];
  const reportDuties = [{ text: 'Report.', cache: true }];
  const parsed = AgentControl.parse(control);
  const limits = { ...cycleSpec().limits, wallClockMs: 600_000 };
  const spec = runSpec({ intent, input: intent, criteria, control: parsed, reportDuties }, ['look', 'change'], {
    limits,
  });
  return [{ originId: 'task:work', command: { type: 'StartRun', spec } }];
}
