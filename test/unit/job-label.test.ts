/** What a job was made from, and its runs: a real agent with a scripted model. */
import { expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { JobLife } from '../support/job-life.ts';
import { WEB_WORDS } from '../support/recorded-jobs.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: what the page wants next
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: schedule_reminder, input: {words: Send the list., for: Agent, in: 1h}}]}
  - name: done
    when: {role: executor}
    answer: {text: It was tried.}
`;

verifies(
  'jobs:after-strangers',
  'a run of a job begins with the label of its maker, so a person approves what it would do later',
  () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory, script });
      const when = { type: 'Moment', atMs: Date.now() } as const;
      await life.make('theirs', { for: 'Agent', when, words: 'Send it.' }, { kind: 'Agent' }, WEB_WORDS);
      await Promise.race([life.until('ApprovalRequested'), life.until('RunClosed')]);
      expect(life.all('RunAdmitted')).toMatchObject([{ spec: { label: WEB_WORDS } }]);
      expect(life.all('JobCreated').map(({ jobId }) => jobId)).toEqual(['theirs']);
      expect(life.all('GateDecided')).toContainEqual(
        expect.objectContaining({ tool: 'schedule_reminder', rule: 'taint/effect-class' }),
      );
      await life.end();
    }),
);
