/** Required is required: a result that is good enough without one of its required criteria is told as that, everywhere. */
import { afterAll, describe, expect } from 'vitest';
import { join } from 'node:path';
import { requiredUnmetMessage } from '@retainer/contract/api/task-end';
import { JobsAtWork } from '../../cli/src/jobs-at-work.ts';
import { exitCodeOf } from '../../cli/src/exit-codes.ts';
import { codedEnd, type TaskResult } from '../../cli/src/run-task.ts';
import { renderResults } from '../../cli/src/render-results.ts';
import { runTasks } from '../../cli/src/run-tasks.ts';
import { TaskBoard } from '../../cli/src/task-board.ts';
import { agentDefinition, scripted, task } from '../support/agents.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

/** The validator finds three of four criteria met; of a Task with one criterion, that one. */
const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: look
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: list_files, input: {}}]}
  - name: three of four
    when: {role: agent-validator, text: '(?s)The tone is friendly.*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>a</reason></verdict><verdict criterion="2" met="true"><evidence>{{text.id}}</evidence><reason>b</reason></verdict><verdict criterion="3" met="false" failureClass="Logical"><reason>it is curt</reason></verdict><verdict criterion="4" met="true"><evidence>{{text.id}}</evidence><reason>d</reason></verdict><whatWasWrong>It is curt.</whatWasWrong><whatToDo>Greet first.</whatToDo></attempt>'}
  - name: all of one
    when: {role: agent-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>a</reason></verdict></attempt>'}
  - name: done
    answer: {text: done}
`;

const criteria = (mode: 'Plausible' | 'Verifiable') =>
  ['The files are listed', 'The work is short', 'The tone is friendly', 'Nothing is left open'].map((text) => ({
    text,
    mode,
  }));

const ordered = (mode: 'Plausible' | 'Verifiable') => [
  task('letter', 'List the files and write a letter.', { successCriteria: criteria(mode) }),
  task('after', 'List the files.', { dependsOn: [{ name: 'letter' }] }),
  task('easy', 'List the files.', { dependsOn: [{ name: 'letter', outcome: 'Succeeded' }] }),
];

let agents = 0;

async function resultsOf(mode: 'Plausible' | 'Verifiable'): Promise<readonly TaskResult[]> {
  agents += 1;
  const agent = await openedAgent({
    dataDirectory: join(root.path, `agent-${agents}`),
    definition: agentDefinition({ control: { maxReplans: 0, deliverWhenClose: true, fastLoop: { maxRetries: 0 } } }),
    model: await scripted(script),
  });
  try {
    const { results } = await runTasks({
      agent,
      board: new TaskBoard(ordered(mode)),
      concurrentMax: 2,
      staysUp: false,
      onStart: () => undefined,
      onIdle: () => undefined,
      onStranger: () => undefined,
      jobs: new JobsAtWork({
        output: { note: () => undefined, lines: () => undefined },
        isEnabled: true,
        staysUp: false,
      }),
      signal: new AbortController().signal,
    });
    return results;
  } finally {
    await agent.close();
  }
}

const ends = (results: readonly TaskResult[]): Readonly<Record<string, string>> =>
  Object.fromEntries(results.map(({ task: name, end }) => [name, end]));

describe('a required criterion that is not met', () => {
  verifies(
    'verdict:required-is-required',
    'is named in the outcome and the exit code, where it is a matter of taste',
    async () => {
      const results = await resultsOf('Plausible');
      expect(ends(results)).toEqual({ letter: 'Succeeded', after: 'NotStarted', easy: 'Succeeded' });
      const [letter] = results.filter((it) => it.task === 'letter');
      if (letter === undefined) throw new Error('the letter has a result');
      expect(codedEnd(letter)).toBe('RequiredUnmet');
      expect(exitCodeOf([codedEnd(letter)], false)).toBe(2);
      const told = renderResults([letter], { columns: 120, characterFile: 'character.yaml' }).map((it) =>
        it.text.trim(),
      );
      expect(told).toContain('good enough within its limits, but 1 of 4 required criteria not met');
      expect(told.join('\n')).toMatch(/unmet +The tone is friendly/);
    },
  );

  verifies(
    'verdict:required-is-required',
    'lets no Task start that depends on it, unless that one says so',
    async () => {
      const results = await resultsOf('Plausible');
      const why = results.find((it) => it.task === 'after')?.why;
      expect(why).toBe(
        'it depends on letter, which ended Succeeded, not Accepted; dependsOn[].outcome: Succeeded lets that be enough',
      );
    },
  );

  verifies('verdict:required-is-required', 'is no success at all, where it is verifiable', async () => {
    const results = await resultsOf('Verifiable');
    expect(ends(results)).toEqual({ letter: 'Abandoned', after: 'NotStarted', easy: 'NotStarted' });
    const judged = results.find((it) => it.task === 'letter')?.conclusion?.criteria;
    expect(judged?.map(({ verdict }) => verdict)).toEqual(['Met', 'Met', 'Unmet', 'Met']);
  });
});

describe('the message of a condition', () => {
  verifies('verdict:required-is-required', 'names the criteria by their index, and never by their words', () => {
    expect(requiredUnmetMessage([2])).toBe(
      'good enough within its limits, but 1 required criterion is not met: see status.criteria with index 2',
    );
    expect(requiredUnmetMessage(Array.from({ length: 10 }, (_, at) => at))).toBe(
      'good enough within its limits, but 10 required criteria are not met: see status.criteria with index 0, 1, 2, 3, 4, 5, 6, 7 and 2 more',
    );
  });
});
