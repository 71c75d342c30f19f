/** What a person refused, and the agent's own jobs: a real agent with a scripted model. */
import { describe, expect } from 'vitest';
import { inTemporaryDirectory, task } from '../support/agents.ts';
import { JobLife } from '../support/job-life.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

/** Each run writes a file, and then makes a job that does so later. */
const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: what a person refuses
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: write_file, input: {path: wall.md, content: red}}]}
  - name: what it would do later
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: schedule_reminder, input: {words: Paint the wall red., for: Agent, in: 1h}}]}
  - name: done
    when: {role: executor}
    answer: {text: It was tried.}
`;

const rulesOf = (life: JobLife): readonly unknown[] =>
  life
    .all('GateDecided')
    .filter(({ gate, verdict }) => gate === 'Tool' && verdict === 'Reject')
    .map(({ tool, rule }) => `${String(tool)} ${String(rule)}`);

async function deniedTask(life: JobLife, name: string, count: number): Promise<void> {
  const { runId } = await life.agent.submitTask(
    task(name, 'Paint the wall.', { approval: { mode: 'EveryEffect' } }),
    'test',
  );
  await life.until('ApprovalRequested', count);
  const { requestId, argumentsDigest } = life.all('ApprovalRequested')[count - 1] ?? {};
  const decision = { decision: 'Deny', by: 'ada', reason: 'not red' } as const;
  await life.say(`no-${count}`, {
    type: 'DecideApproval',
    requestId: String(requestId),
    argumentsDigest: String(argumentsDigest),
    ...decision,
  });
  await life.agent.runtime.closed(runId);
}

describe('a call that a person refused', () => {
  verifies('jobs:never-what-was-refused', 'is not tried again by a job that the agent made, also after a restart', () =>
    inTemporaryDirectory(async (directory) => {
      const first = await JobLife.begin({ directory, script });
      await deniedTask(first, 'paint', 1);
      expect(rulesOf(first)).toEqual(['write_file approval/denied', 'schedule_reminder approval/no-job-after-denial']);
      expect(first.all('JobCreated')).toEqual([]);
      await first.end();
      const second = await JobLife.begin({ directory, script });
      await second.make('paint', { for: 'Agent', when: { type: 'Moment', atMs: Date.now() + 10 } });
      await second.until('JobEnded');
      expect(rulesOf(second)).toEqual(['write_file approval/denied-before']);
      const [told] = second.all('GateDecided').filter(({ rule }) => rule === 'approval/denied-before');
      expect(told?.['reason']).toContain('ada denied it: not red');
      expect(second.all('ToolRequested').map(({ tool }) => tool)).toEqual(['schedule_reminder']);
      await second.end();
    }),
  );

  verifies('jobs:never-what-was-refused', 'may be wanted again by people: by a Task, and by a job of theirs', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory, script });
      await deniedTask(life, 'paint', 1);
      await life.make('paint', { for: 'Agent', when: { type: 'Moment', atMs: Date.now() + 10 } }, { kind: 'Person' });
      await life.until('JobEnded');
      expect(life.all('ToolRequested').map(({ tool }) => tool)).toEqual(['write_file', 'schedule_reminder']);
      await life.make('paint-own', { for: 'Agent', when: { type: 'Moment', atMs: Date.now() + 10 } });
      await life.until('JobEnded', 2);
      expect(rulesOf(life).at(-1)).toBe('write_file approval/denied-before');
      await deniedTask(life, 'paint-again', 2);
      expect(rulesOf(life).filter((it) => it === 'write_file approval/denied-before')).toHaveLength(1);
      await life.end();
    }),
  );
});
