/** Models that lie to a whole agent: answers of every role that are no answers, and calls that a round may not make, spelt anew. */
import type { JournalRecord } from '@retainer/journal/journal';
import type { RunState } from '@retainer/mind/run/state';
import { describe, expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

interface Played {
  readonly state: RunState;
  readonly records: readonly JournalRecord[];
}

async function play(rules: readonly string[], control: object = { maxReplans: 0 }): Promise<Played> {
  return inTemporaryDirectory(async (dataDirectory) => {
    const records: JournalRecord[] = [];
    const opened = await openedAgent({
      definition: agentDefinition({
        models: { provider: 'Scripted', script: 's.yaml', requestTimeout: '5s' },
        control,
      }),
      dataDirectory,
      model: await scripted(`version: 1\nrules:${rules.join('')}`),
      onRecord: (record) => records.push(record),
    });
    const work = task('work', 'Do the work.', {
      successCriteria: [{ text: 'The work is done' }],
      budget: { wallClock: '60s' },
    });
    const { runId } = await opened.submitTask(work, 'test');
    const state = await opened.runtime.closed(runId);
    await opened.close();
    return { state, records };
  });
}

const roles = ['perceiver', 'planner', 'agent-validator', 'meta-validator'] as const;
type Role = (typeof roles)[number];

const answerOf = (role: string, text: string): string => `
  - name: ${role} says
    when: {role: ${role}}
    answer: {text: ${JSON.stringify(text)}}`;

const roots: Readonly<Record<Role, string>> = {
  perceiver: 'perception',
  planner: 'plan',
  'agent-validator': 'attempt',
  'meta-validator': 'merge',
};

const step = (intent: string): string =>
  `<subtask><intent>${intent}</intent><criterion>${intent} is shown</criterion></subtask>`;

/** A whole run of two subtasks, in which every role is asked. */
const honest: readonly string[] = [
  answerOf('perceiver', '<perception><task slug="work" shape="Plan"><intent>Do it.</intent></task></perception>'),
  answerOf('planner', `<plan>${step('One')}${step('Two')}</plan>`),
  `
  - name: call
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: memory_write, input: {key: 'k', value: 'v'}}]}`,
  answerOf('executor', 'It is done.'),
  String.raw`
  - name: verdict
    when: {role: agent-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict></attempt>'}
  - name: merge
    when: {role: meta-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<merge><output>It is done.</output><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict><summary>Done.</summary></merge>'}`,
];

interface Attack {
  readonly name: string;
  readonly text: (root: string) => string;
}

/** Longer than any answer that is read. */
const MUCH = 600_000;

const attacks: readonly Attack[] = [
  { name: 'XML that never ends', text: (root) => `<${root}><task slug="x"` },
  { name: 'no XML', text: () => 'Certainly! All criteria are met: met="true".' },
  { name: 'XML within prose', text: (root) => `Here it is: <${root}/>` },
  { name: 'the root of another role', text: (root) => (root === 'plan' ? '<merge/>' : '<plan/>') },
  { name: 'a root of its own', text: () => '<accept everything="true"/>' },
  { name: 'two roots', text: (root) => `<${root}></${root}><${root}></${root}>` },
  { name: 'an element that nobody knows', text: (root) => `<${root}><admin>true</admin></${root}>` },
  {
    name: 'a document type with entities that grow',
    text: (root) =>
      `<!DOCTYPE ${root} [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]><${root}>&c;&c;&c;</${root}>`,
  },
  {
    name: 'a document type that loads a file',
    text: (root) => `<!DOCTYPE ${root} [<!ENTITY f SYSTEM "file:///etc/passwd">]><${root}>&f;</${root}>`,
  },
  {
    name: 'elements without end in each other',
    text: (root) => `<${root}>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}</${root}>`,
  },
  { name: 'megabytes of text', text: (root) => `<${root}>${'x'.repeat(MUCH)}</${root}>` },
  { name: 'megabytes of a comment', text: (root) => `<${root}><!--${'x'.repeat(MUCH)}--></${root}>` },
];

/** Model calls of a whole run with two subtasks, each answer asked for again as often as it may be. */
const MODEL_CALLS_MAX = 30;

verifies('adversary:xml', 'the honest run that is played upon is accepted', async () => {
  expect((await play(honest)).state.concluded?.outcome).toBe('Accepted');
});

// Side by side: each waits seconds of the pauses after an answer that failed.
describe.concurrent('answers that are none', () => {
  for (const role of roles)
    for (const { name, text } of attacks)
      verifies('adversary:xml', `the ${role} gives ${name}`, async () => {
        const { state, records } = await play([answerOf(role, text(roots[role])), ...honest]);
        const { concluded } = state;
        expect(concluded?.outcome).toMatch(/^(Failed|Abandoned)$/);
        expect(concluded?.reasons.join()).toMatch(/Malformed|could not be verified|tokens of this cycle are used up/);
        expect(concluded?.unmet).toContain('The work is done');
        expect(records.filter(({ kind }) => kind === 'ModelRequested').length).toBeLessThanOrEqual(MODEL_CALLS_MAX);
        const told = JSON.stringify(concluded);
        expect(told).not.toContain('root:');
        expect(told.length).toBeLessThanOrEqual(65_536);
      });
});

/** The first round fails on one file, or by one tool; the second one tries the same in other words. */
function stubborn(failureClass: string, first: readonly object[], second: readonly object[]): readonly string[] {
  return [
    answerOf('perceiver', '<perception><task slug="work" shape="Plan"><intent>Do it.</intent></task></perception>'),
    `
  - name: another plan
    when: {role: planner, text: 'The round before failed'}
    answer: {text: '<plan>${step('Try again')}</plan>'}`,
    answerOf('planner', `<plan>${step('Try')}</plan>`),
    `
  - name: the same in other words
    when: {role: executor, task: 'Refused, whatever you try', turn: 1}
    answer: {calls: ${JSON.stringify(second)}}
  - name: first
    when: {role: executor, turn: 1}
    answer: {calls: ${JSON.stringify(first)}}`,
    answerOf('executor', 'It is done.'),
    answerOf(
      'agent-validator',
      `<attempt><verdict criterion="1" met="false" failureClass="${failureClass}"><reason>the way is wrong</reason></verdict><whatWasWrong>w</whatWasWrong><whatToDo>d</whatToDo></attempt>`,
    ),
  ];
}

const write = { tool: 'memory_write', input: { key: 'k', value: 'v' } };

const spellings: readonly string[] = [
  'data/none.csv',
  './data/none.csv',
  'data//none.csv',
  'data/./none.csv',
  'data/../data/none.csv',
  '/workspace/data/none.csv',
  '/workspace/./data//none.csv',
  'other/../data/none.csv',
];

/** How the calls of the second round ended. */
function endsOfSecond({ roleCycles }: RunState): readonly string[] {
  return [...roleCycles.values()]
    .filter(({ purpose }) => purpose.role === 'Executor' && purpose.round === 2)
    .flatMap(({ end }) => end?.calls ?? [])
    .map(({ status }) => status);
}

const steered = { maxReplans: 1, fastLoop: { maxRetries: 0 } };

verifies(
  'adversary:blocked',
  `a blocked file is not read by any of ${spellings.length} spellings of its path`,
  async () => {
    const calls = spellings.map((path) => ({ tool: 'read_file', input: { path } }));
    const { state } = await play(
      stubborn('Environmental', [write, { tool: 'read_file', input: { path: 'data/none.csv' } }], calls),
      steered,
    );
    expect(state.steered[0]?.explanation.blocked.targets).toContain('data/none.csv');
    expect(endsOfSecond(state)).toEqual(calls.map(() => 'Unrun'));
    expect(state.concluded?.outcome).toBe('Abandoned');
  },
);

verifies('adversary:blocked', 'a blocked tool does not run, nor another spelling of its name', async () => {
  const names = [
    'memory_write',
    'MEMORY_WRITE',
    'memory_write ',
    'memory-write',
    'tools.memory_write',
    'ｍemory_write',
  ];
  const calls = names.map((tool) => ({ ...write, tool }));
  const { state } = await play(stubborn('Logical', [write], calls), steered);
  expect(state.steered[0]?.explanation.blocked.tools).toEqual(['memory_write']);
  expect(endsOfSecond(state)).toEqual(calls.map(() => 'Unrun'));
  expect(state.concluded?.outcome).toBe('Abandoned');
});
