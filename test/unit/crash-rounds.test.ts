/** A crash at every record of runs that are corrected by their validator, planned anew and given up; plain ones are in `crash-anywhere`. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { RunEventOf } from '@retainer/mind/run/event';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice } from '../support/crash-labels.ts';
import { crashPoints, play, World, worldAt, type Ambiguity, type Arrival } from '../support/crash-world.ts';
import { cycleSpec } from '../support/cycles.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { citingRule, oneStepRule, runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const unmet =
  '<attempt><verdict criterion="1" met="false" failureClass="Environmental"><reason>it is not there</reason></verdict>' +
  '<whatWasWrong>it is not there</whatWasWrong><whatToDo>change it</whatToDo></attempt>';
const step = (sequence: number, intent: string): string =>
  `<subtask sequence="${sequence}"><intent>${intent}</intent><criterion>The value is given</criterion></subtask>`;

/** What is sloppy is right at the second attempt; part B never is; in the second round part C is there instead, unless all is hopeless. */
const script = String.raw`
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

function startRun(intent: string, control: object): readonly Arrival[] {
  const criteria = [{ text: 'The value is given', mode: 'Verifiable' as const, required: true }];
  const reportDuties = [{ text: 'Report.', cache: true }];
  const parsed = AgentControl.parse(control);
  const limits = { ...cycleSpec().limits, wallClockMs: 600_000 };
  const spec = runSpec({ intent, input: intent, criteria, control: parsed, reportDuties }, ['look', 'change'], {
    limits,
  });
  return [{ originId: 'task:work', command: { type: 'StartRun', spec } }];
}

/** Whether something was asked of the world that the record does not know the end of. */
function isInFlight(records: readonly JournalRecord[]): boolean {
  const count = (kind: string): number => records.filter((it) => it.kind === kind).length;
  return count('ToolRequested') > count('ToolFinished') || count('DeliveryRequested') > count('Delivered');
}

const typesOf = (journal: MemoryJournal): readonly string[] =>
  journal.records
    .filter((it) => it.kind === 'MessageSent')
    .flatMap((it) => (it.payload as unknown as RunEventOf<'MessageSent'>).messages.map(({ type }) => type));

const corrected = { maxReplans: 0, fastLoop: { maxRetries: 1 } };
const replanned = { maxReplans: 1, fastLoop: { maxRetries: 0 } };

interface Crashed {
  readonly name: string;
  readonly intent: string;
  readonly control: object;
  readonly outcome: string;
  /** Words that only such a run says. */
  readonly types: readonly string[];
}

describe.each<Crashed>([
  {
    name: 'corrected by its validator',
    intent: 'sloppy work',
    control: corrected,
    outcome: 'Accepted',
    types: ['CorrectionSignal'],
  },
  {
    name: 'planned anew',
    intent: 'planned',
    control: replanned,
    outcome: 'Accepted',
    types: ['ReplanRequest', 'PlanDirective', 'OutcomeSummary'],
  },
  {
    name: 'given up after a new plan',
    intent: 'hopeless and planned',
    control: replanned,
    outcome: 'Abandoned',
    types: ['PlanDirective', 'AbandonReport'],
  },
])('a run that is $name', ({ intent, control, outcome, types }) => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(script);
    await play(whole, end, model, startRun(intent, control));
  });

  it('ends as it is meant to, by the words that it is about', () => {
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual([outcome]);
    expect(typesOf(whole)).toEqual(expect.arrayContaining([...types]));
  });

  it('tells each plan what the run taught memory before', () => {
    const kinds = whole.records.map(({ kind }) => kind);
    const recalls = kinds.flatMap((kind, at) => (kind === 'MemoryRecalled' ? [at] : []));
    for (const at of recalls.slice(1)) {
      const written = kinds.slice(0, at).filter((kind) => kind === 'Remembered').length;
      expect(written).toBeGreaterThanOrEqual(1);
    }
  });

  // A report whose one call a crash lost is left out.
  const told = ({ deliveries }: World): unknown =>
    deliveries.map(({ deliveryId, body }) => [deliveryId, body.outcome, body.summary.split('\n\n')[0], body['unmet']]);

  for (const ambiguity of ['NotDone', 'DoneAndKnown', 'DoneAndUnknown'] satisfies readonly Ambiguity[])
    verifies('run:crash-anywhere', `from every prefix, the effect in flight ${ambiguity}: the same, once`, async () => {
      for (const length of crashPoints(whole.records)) {
        const prefix = whole.records.slice(0, length);
        if (ambiguity !== 'NotDone' && !isInFlight(prefix)) continue;
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, ambiguity);
        await play(journal, world, model, startRun(intent, control));
        const label = crashLabel(prefix);
        expect(told(world), label).toEqual(told(end));
        expectNoEffectTwice(world, label);
        const finals = typesOf(journal).filter((it) => it === 'FinalResult');
        expect(finals, label).toHaveLength(1);
        expect(
          journal.records.filter((it) => it.kind === 'RunRemembered'),
          label,
        ).toHaveLength(1);
      }
    });
});
