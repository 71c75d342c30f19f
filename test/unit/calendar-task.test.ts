/** A Task asks for a reminder, or for work that recurs: a real agent with a scripted model. */
import { describe, expect } from 'vitest';
import { inTemporaryDirectory, task } from '../support/agents.ts';
import { JobLife } from '../support/job-life.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const plain = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: what time it is
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: get_current_datetime, input: {}}]}
  - name: what was asked for
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: schedule_reminder, input: {words: Drink the tea., in: 1s, name: tea}}]}
  - name: done
    when: {role: executor}
    answer: {text: You are reminded in a second.}
`;

const planned = String.raw`
version: 1
rules:
  - name: a plan
    when: {role: perceiver}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>Report weekly.</intent></task></perception>'}
  - name: the scheduler has it
    when: {role: planner}
    answer: {text: '<plan><subtask sequence="1" worker="scheduler"><intent>Report weekly.</intent><criterion>There is a job</criterion></subtask></plan>'}
${citingRule}
  - name: a tool that the executor does not have
    when: {role: scheduler, turn: 1}
    answer: {calls: [{tool: schedule_from_spec, input: {words: Write the weekly report., name: weekly, cron: 0 8 * * 1, requiredTools: [write_file]}}]}
  - name: done
    when: {role: scheduler}
    answer: {text: The job is weekly.}
`;

describe('a Task', () => {
  verifies('jobs:tools', 'that asks for a reminder needs no plan for it, and the words come without a model', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory, script: plain });
      const { runId } = await life.agent.submitTask(task('tea', 'Remind me in a second to drink the tea.'), 'test');
      expect((await life.agent.runtime.closed(runId)).concluded?.outcome).toBe('Succeeded');
      await life.until('JobEnded');
      expect(life.delivered()).toEqual(['Drink the tea.']);
      expect(life.job('tea')).toMatchObject({
        status: 'Done',
        maker: { kind: 'Agent', runId },
        label: { trust: 'Trusted' },
      });
      await life.end();
    }),
  );

  verifies('jobs:tools', 'that needs the calendar itself may name the Scheduler in its plan', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory, script: planned });
      const { runId } = await life.agent.submitTask(task('weekly', 'Report weekly.'), 'test');
      await life.agent.runtime.closed(runId);
      const when = { type: 'Cron', cron: '0 8 * * 1', timeZone: 'UTC' };
      expect(life.job('weekly')?.job).toMatchObject({
        kind: 'Recurring',
        for: 'Agent',
        when,
        requiredTools: ['write_file'],
      });
      const [admitted] = life.all('RunAdmitted') as unknown as readonly [
        { readonly spec: { readonly roles: { readonly Executor: { readonly tools: readonly string[] } } } },
      ];
      const { tools } = admitted.spec.roles.Executor;
      expect(tools).toContain('schedule_reminder');
      expect(tools).not.toContain('schedule_from_spec');
      await life.end();
    }),
  );
});
