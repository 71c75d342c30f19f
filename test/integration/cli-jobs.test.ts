/** Jobs as a person meets them: the real program, with a scripted model. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedJob } from '@retainer/agent-pod/review/job-records';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer, startRetainer, type Ended, type Started } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const script = `
version: 1
rules:${oneStepRule}
  - name: a reminder in two hours
    when: {role: executor, task: 'Remind me in two hours', turn: 1}
    answer: {calls: [{tool: schedule_reminder, input: {words: Call Ben., in: 2h, name: call-ben}}]}
  - name: a reminder in a moment
    when: {role: executor, task: 'Remind me in a moment', turn: 1}
    answer: {calls: [{tool: schedule_reminder, input: {words: Call Eve., in: 2s, name: call-eve}}]}
  - name: done
    when: {role: executor}
    answer: {text: It is done.}
`;

const agent = `${agentManifest}  scheduler:
    idleAfter: 0s
    jobs:
      - {name: weekly, cron: '0 8 * * 1', timeZone: Europe/Berlin, intent: Write the report.}
`;
const yearly = taskManifest('tidy', "intent: Tidy up., schedule: {cron: '0 8 1 1 *'}");

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-jobs-'));
});
afterAll(async () => {
  endAll();
  await rm(directory, { recursive: true });
});

interface Place {
  readonly run: readonly string[];
  readonly jobs: (...words: readonly string[]) => Promise<Ended>;
  readonly data: string;
}

async function place(name: string, intent: string): Promise<Place> {
  const objects = [characterManifest(), agent, yearly, taskManifest('remind', `intent: ${intent}`)];
  const manifests = await writeManifests(join(directory, name), objects.join('---'), script);
  const data = join(directory, `${name}-data`);
  return {
    run: ['run', '-f', manifests, '--data', data],
    jobs: (...words) => retainer('jobs', ...words, '--data', data),
    data,
  };
}

/** Resolves when standard output has had it; rejects when the program ends before. */
function printed({ child, ended }: Started, what: RegExp): Promise<void> {
  let stdout = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text: string) => {
      stdout += text;
      if (what.test(stdout)) resolve();
    });
    void ended.then(({ stderr }) => reject(new Error(`it ended and never printed ${what}: ${stderr}`)));
  });
}

const because = ['--reason', 'a test'] as const;

describe('an agent with a calendar', () => {
  verifies(
    'cli-jobs:told',
    'lists the jobs of its manifest, of a schedule and of its own, and runs none before its moment',
    async () => {
      const { run, jobs } = await place('told', 'Remind me in two hours to call Ben.');
      const { code, stdout, stderr } = await retainer(...run);
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/^SUCCEEDED {2}remind /m);
      expect(stdout).not.toContain('tidy');
      expect(stderr).toMatch(/^next reminder-[0-9a-f]{8} at \S+ \S+ UTC, in 1 h 59 min; --watch waits for it$/m);
      expect(stderr).not.toContain('has no effect');
      const listed = await jobs('list');
      expect(listed.stdout).toMatch(
        /^weekly +weekly +Recurring +Agent +Active +\S+ 08:00 Europe\/Berlin \(0[67]:00 UTC\) +manifest$/m,
      );
      expect(listed.stdout).toMatch(/^task-tidy +tidy +Recurring +Agent +Active +\S+-01-01 08:00 UTC +schedule$/m);
      expect(listed.stdout).toMatch(/^reminder-[0-9a-f]{8} +call-ben +Reminder +Person +Active +\S+ \S+ UTC +\w+$/m);
      const shown = await jobs('show', 'reminder');
      expect(shown.stdout).toMatch(/^ {2}words +Call Ben\.$/m);
      expect(shown.stdout).toMatch(/^ {2}made by +the agent in run remind-\w+, /m);
      expect(await jobs('show', 'nothing')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^no job "nothing"; jobs: /),
      });
    },
  );

  verifies(
    'cli-jobs:word',
    'takes what a person says at its next start: pause, a run at once, resume, and the end',
    async () => {
      const { run, jobs, data } = await place('word', 'Say that it is done.');
      await retainer(...run);
      for (const words of [await jobs('pause', 'weekly', ...because), await jobs('run-now', 'weekly', ...because)])
        expect(words, words.stderr).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('the agent reads this when it runs'),
        });
      const { code, stdout, stderr } = await retainer(...run);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/^job weekly was paused by \S+: a test$/m);
      expect(stdout).toMatch(/^SUCCEEDED {2}job weekly, for .*\n {2}It is done\.$/m);
      expect((await jobs('list')).stdout).toMatch(
        /^weekly .* Paused +Succeeded, \S+ \S+ UTC +manifest +for a person: jobs resume weekly$/m,
      );
      const explained = await retainer('explain', 'job-weekly', '--data', data);
      expect(explained.stdout).toMatch(/^Run job-weekly-\w+: job weekly, for its moment /);
      expect(explained.stdout).toContain('made by people, by the manifest of the Agent, ');
      const map = await retainer('audit', 'map', 'job-weekly', '--data', data);
      expect(map, map.stdout).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Run \S+: job weekly, .* made by people/),
      });
      await jobs('resume', 'weekly', ...because);
      await jobs('cancel', 'task-tidy', ...because);
      await retainer(...run);
      const after = JSON.parse((await jobs('list', '--all', '-o', 'json')).stdout) as readonly RecordedJob[];
      expect(after.map(({ jobId, status, fired }) => `${jobId} ${status} ${fired}`).toSorted()).toEqual([
        'task-tidy Cancelled 0',
        'weekly Active 1',
      ]);
      expect(await jobs('pause', 'task-tidy', ...because)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^task-tidy is over \(Cancelled by \S+: a test\)/),
      });
    },
  );
});

describe('retainer run --watch', () => {
  verifies(
    'cli-jobs:at-work',
    'says what is next, brings a reminder, and serves a word about a job at once',
    async () => {
      const { run, jobs } = await place('watch', 'Remind me in a moment to call Eve.');
      const watching = startRetainer([...run, '--watch']);
      const reminded = printed(watching, /^REMINDER {2}job reminder-[0-9a-f]{8}, for .*\n {2}Call Eve\.$/m);
      await watching.says('next reminder-');
      await reminded;
      await watching.says('next weekly at ');
      const ran = printed(watching, /^SUCCEEDED {2}job weekly, for .*\n {2}It is done\.$/m);
      await jobs('run-now', 'weekly', ...because);
      await ran;
      await jobs('pause', 'weekly', ...because);
      await watching.says('next task-tidy at ');
      watching.child.kill('SIGINT');
      const { code, stdout } = await watching.ended;
      expect(code).toBe(0);
      expect(stdout.match(/^REMINDER/gm)).toHaveLength(1);
    },
  );
});
