/** A run asks a person: the answer comes from the command line or from the manifest, also after a stop. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer, startRetainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');

/** It asks until the answer names a year. */
const script = String.raw`
version: 1
rules:
  - name: the year is known
    when: {role: perceiver, text: '(?s).*in the year (?P<year>\d{4})'}
    answer: {text: '<perception><task slug="report" shape="SingleStep"><intent>Report on {{text.year}}.</intent></task></perception>'}
  - name: which year
    when: {role: perceiver}
    answer: {text: '<perception><question>Which year is meant?</question></perception>'}
  - name: done
    when: {role: executor, text: '(?s).*in the year (?P<year>\d{4})'}
    answer: {text: 'The report of {{text.year}} is done.'}
`;

function manifestsIn(directory: string, task = ''): Promise<string> {
  const report = taskManifest('report', `intent: Write the report.${task}`);
  return writeManifests(directory, [characterManifest(), agentManifest, report].join('---'), script);
}

beforeAll(() => manifestsIn(manifests));
afterAll(() => {
  endAll();
  return root.remove();
});

async function stoppedAtQuestion(data: string): Promise<string> {
  const waiting = startRetainer(['run', '-f', manifests, '--data', data]);
  await waiting.says('asks: Which year is meant?');
  await waiting.says('answer with: retainer answer report-');
  const left = await waiting.ended;
  expect(left.code).toBe(10);
  expect(left.stdout).toMatch(
    /AWAITING ANSWER {2}report[^]*Which year is meant\?[^]*retainer answer report-\S+ "TEXT" --data/,
  );
  const { stdout } = await retainer('answer', '--data', data, '-o', 'json');
  const [{ questionId } = { questionId: '' }] = JSON.parse(stdout) as readonly { readonly questionId: string }[];
  return questionId;
}

describe('retainer answer', () => {
  verifies('cli:answer-question', 'lists what is asked, and lets the run go on with the answer', async () => {
    const data = join(root.path, 'answered');
    await stoppedAtQuestion(data);
    expect((await retainer('answer', '--data', data)).stdout).toMatch(/Task report, waits[^]*Which year is meant\?/);
    const empty = await retainer('answer', 'report', '--data', data);
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('Question: Which year is meant?') });
    expect((await retainer('answer', 'report', 'in the year 2014', '--data', data)).code).toBe(0);
    const { code, stdout } = await retainer('run', '-f', manifests, '--data', data);
    expect(stdout).toContain('The report of 2014 is done.');
    expect(code).toBe(0);
    const told = await retainer('explain', 'report', '--data', data);
    expect(told.stdout).toContain('understands: Report on 2014.');
    expect(told.stdout).toContain(`${userInfo().username} answers: in the year 2014`);
    expect((await retainer('replay', 'report', '--data', data)).stdout).toContain('byte-equal');
    expect((await retainer('answer', '--data', data)).stdout).toContain('no question is open');
    const late = await retainer('answer', 'report', 'in the year 2015', '--data', data);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('has no open question') });
  });

  verifies(
    'cli:answer-question',
    'takes an answer from the manifest of the Task, to exactly its question',
    async () => {
      const data = join(root.path, 'in-manifest');
      const question = await stoppedAtQuestion(data);
      const answer = (id: string): string => `, answers: [{question: ${id}, text: in the year 2013, by: "human:ada"}]`;
      const other = await manifestsIn(join(root.path, 'other-answer'), answer(`${question}0`));
      const waiting = startRetainer(['run', '-f', other, '--data', data, '--watch']);
      await waiting.says('continues from its record');
      waiting.child.kill('SIGINT');
      expect((await waiting.ended).code).toBe(130);
      const own = await manifestsIn(join(root.path, 'own-answer'), answer(question));
      const { code, stdout, stderr } = await retainer('run', '-f', own, '--data', data);
      expect(stderr).toMatch(/[^:]ada answers: in the year 2013/);
      expect(stderr).toContain('understands: Report on 2013.');
      expect(stdout).toContain('The report of 2013 is done.');
      expect(code).toBe(0);
    },
  );

  it('does without where the Task says so and nobody answers', async () => {
    const data = join(root.path, 'proceeds');
    const own = await manifestsIn(
      join(root.path, 'proceeds-manifests'),
      ', onNoAnswer: Refuse, approval: {timeout: 1s}',
    );
    const { code, stdout } = await retainer('run', '-f', own, '--data', data);
    expect(stdout).toMatch(/REFUSED {2}report/);
    expect(stdout).toContain('nobody answered the question in time');
    expect(code).toBe(0);
  });
});

describe('a question of who works', () => {
  const working = String.raw`
version: 1
rules:
  - name: one step
    when: {role: perceiver}
    answer: {text: '<perception><task slug="report" shape="SingleStep"><intent>Report on the year.</intent></task></perception>'}
  - name: done
    when: {role: executor, last: {tool: ask_person, text: '(?s)A person answered:\s+(?P<year>\d{4})'}}
    answer: {text: 'The report of {{last.year}} is done.'}
  - name: asks
    when: {role: executor}
    answer: {calls: [{tool: ask_person, input: {question: 'Which year, 2013 or 2014?'}}]}
`;

  async function stoppedInWork(name: string): Promise<{ readonly data: string; readonly own: string }> {
    const data = join(root.path, name);
    const report = taskManifest('report', 'intent: Write the report.');
    const objects = [characterManifest(), agentManifest, report].join('---');
    const own = await writeManifests(join(root.path, `${name}-manifests`), objects, working);
    const waiting = startRetainer(['run', '-f', own, '--data', data]);
    await waiting.says('asks: Which year, 2013 or 2014?');
    await waiting.says('answer with: retainer answer report-');
    waiting.child.kill('SIGKILL');
    await waiting.ended;
    return { data, own };
  }

  verifies('cycle:asks-a-person', 'is listed, answered while the agent is dead, and the work goes on', async () => {
    const { data, own } = await stoppedInWork('in-work');
    expect((await retainer('answer', '--data', data)).stdout).toMatch(/Task report, [^]*Which year, 2013 or 2014\?/);
    expect((await retainer('approve', '--data', data)).stdout).not.toContain('ask_person');
    expect((await retainer('answer', 'report', '2014', '--data', data)).code).toBe(0);
    const { code, stdout } = await retainer('run', '-f', own, '--data', data);
    expect(stdout).toContain('The report of 2014 is done.');
    expect(code).toBe(0);
    const told = await retainer('explain', 'report', '--data', data);
    expect(told.stdout).toContain(`${userInfo().username} answers: 2014`);
    expect((await retainer('replay', 'report', '--data', data)).stdout).toContain('byte-equal');
    expect((await retainer('answer', '--data', data)).stdout).toContain('no question is open');
  });

  verifies('cycle:asks-a-person', 'takes its answer from the manifest of the Task', async () => {
    const { data } = await stoppedInWork('in-work-manifest');
    const { stdout } = await retainer('answer', '--data', data, '-o', 'json');
    const [{ questionId } = { questionId: '' }] = JSON.parse(stdout) as readonly { readonly questionId: string }[];
    const answers = `answers: [{question: ${questionId}, text: "2013", by: "human:ada"}]`;
    const report = taskManifest('report', `intent: Write the report., ${answers}`);
    const objects = [characterManifest(), agentManifest, report].join('---');
    const answered = await writeManifests(join(root.path, 'in-work-answered'), objects, working);
    const run = await retainer('run', '-f', answered, '--data', data);
    expect(run.stdout).toContain('The report of 2013 is done.');
    expect(run.stderr).toContain('ada answers: 2013');
  });
});
