/**
 * A real agent on a real directory, whose scripted model acts on the state that it is told. There is one set of rules for every state:
 * where the state is well, they go on as usual. No rule knows anything that is not in its request.
 */
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import { agentDefinition } from './agents.ts';
import { withLivedAgent, type LivedAgent } from './lived-agent.ts';
import { citingRule, oneStepRule } from './runs.ts';

/** What the Tasks are about. */
export const intents = {
  sum: 'Add up the numbers in numbers.txt.',
  survey: 'Survey the files here.',
  report: 'Report on the sales of one year.',
  vague: 'Ask first.',
  note: 'Leave a note that the year is closed.',
} as const;

const NUMBERS = '4\n10\n';

/** Calls of a survey as it is usually done. */
export const SURVEY_CALLS = 9;

/** Rules for a state that is not well. Each stands before what is usually done. */
const acting = String.raw`
  - name: nothing isolates code, so that the file is read instead
    when: {role: executor, task: 'Add up', turn: 1, system: '<sandbox state="down"'}
    answer: {calls: [{tool: read_file, input: {path: numbers.txt}}]}
  - name: code failed again and again, so that a person is asked
    when: {role: executor, task: 'Add up', turn: 1, system: '<sandbox state="failing"[^>]* failed_in_row="(?P<times>\d+)"'}
    answer: {calls: [{tool: ask_person, input: {question: 'Code failed {{system.times}} times in a row. May I read the file instead?'}}]}
  - name: the calls of the day are nearly spent, so that the work stops
    when: {role: executor, task: 'Survey', system: '<budget field="toolCallsPerDay"[^>]* spent="9\d%"'}
    answer: {text: 'I stop before I begin, because the calls of this day are nearly spent.'}
  - name: the calls of the Task are nearly spent, so that one look has to do
    when: {role: executor, task: 'Survey', turn: 1, system: '<limit field="toolCalls"[^>]* spent="9\d%"'}
    answer: {calls: [{tool: search_files, input: {pattern: chapter}}]}
  - name: what one look showed
    when: {role: executor, task: 'Survey', turn: 2, system: '<limit field="toolCalls"[^>]* spent="9\d%"'}
    answer: {text: One look had to do.}
  - name: nobody answers questions, so that a year is taken
    when: {role: executor, task: 'Report', turn: 1, system: '<question task="(?P<task>[^"]*)" waiting="\d+ [hd] '}
    answer: {text: 'This year, because nobody answers {{system.task}}: nothing was sold.'}
  - name: nobody approves notes, so that a draft is written
    when: {role: executor, task: 'Leave a note', turn: 1, system: '<approval tool="write_file"[^>]* waiting="\d+ [hd] '}
    answer: {calls: [{tool: write_file, input: {path: drafts/closed.md, content: The year is closed.}}]}
`;

const chapters = Array.from(
  { length: SURVEY_CALLS },
  (_, at) => `{tool: search_files, input: {pattern: chapter ${at + 1}}}`,
);

/** What is done in any other state. */
const usual = String.raw`
  - name: code adds the numbers
    when: {role: executor, task: 'Add up', turn: 1}
    answer: {calls: [{tool: bash, input: {script: add numbers.txt}}]}
  - name: and is tried once more
    when: {role: executor, task: 'Add up', turn: 2, last: {tool: bash, error: true}}
    answer: {calls: [{tool: bash, input: {script: add numbers.txt once more}}]}
  - name: what code said
    when: {role: executor, last: {tool: bash, error: false, text: '(?m)^(?P<sum>\d+)$'}}
    answer: {text: 'The sum is {{last.sum}}.'}
  - name: what the person allows
    when: {role: executor, last: {tool: ask_person, text: 'A person answered:\s+yes'}}
    answer: {calls: [{tool: read_file, input: {path: numbers.txt}}]}
  - name: what the file says
    when: {role: executor, last: {tool: read_file, text: '(?m)^(?P<a>\d+)\n(?P<b>\d+)$'}}
    answer: {text: 'The numbers are {{last.a}} and {{last.b}}, and no code added them.'}
  - name: every chapter is looked for
    when: {role: executor, task: 'Survey', turn: 1}
    answer: {calls: [${chapters.join(', ')}]}
  - name: the second look
    when: {role: executor, task: 'Look once more', turn: 2}
    answer: {text: I looked once more.}
  - name: a person knows the year
    when: {role: executor, task: 'Report', turn: 1}
    answer: {calls: [{tool: ask_person, input: {question: 'Which year?'}}]}
  - name: the year
    when: {role: executor, last: {tool: ask_person, text: 'A person answered:\s+(?P<year>\d+)'}}
    answer: {text: 'The year {{last.year}}: nothing was sold.'}
  - name: the note
    when: {role: executor, task: 'Leave a note', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: notes/closed.md, content: The year is closed.}}]}
  - name: done
    when: {role: executor}
    answer: {text: It is done.}
`;

const asking = `
  - name: a question before the work
    when: {role: perceiver, task: '^The message:\\n  Ask first'}
    answer: {text: '<perception><question>What is wanted?</question></perception>'}
`;

const judging = String.raw`
  - name: the first survey does not please
    when: {role: agent-validator, task: 'Reply under judgement[^\n]*\n  It is done'}
    answer: {text: '<attempt><verdict criterion="1" met="false" failureClass="Logical"><reason>too little</reason></verdict><whatWasWrong>too little</whatWasWrong><whatToDo>Look once more.</whatToDo></attempt>'}
`;

const scriptOf = (rules: string): string => `
version: 1
rules:${asking}${oneStepRule}${judging}${citingRule}${rules}`;

/** A machine on which a program ends as is said. */
export function sandboxThat(run: SandboxPort['run']): SandboxPort {
  return {
    probe: () => Promise.resolve({ ok: true, value: { description: 'in memory', languages: ['bash'] } }),
    run,
    lookup: () => Promise.resolve(undefined),
  };
}

/** It adds the numbers. */
export const addingSandbox = sandboxThat(() => {
  const sum = NUMBERS.trim()
    .split('\n')
    .reduce((all, it) => all + Number(it), 0);
  return Promise.resolve({
    end: 'Exited',
    exitCode: 0,
    stdout: `${sum}\n`,
    stderr: '',
    droppedBytes: 0,
    durationMs: 1,
  });
});

/** No program begins. */
export const failingSandbox = sandboxThat(() => Promise.reject(new Error('the runner is gone')));

interface Given {
  /** Nothing isolates code where absent. */
  readonly sandbox?: SandboxPort;
  /** Of the Agent. */
  readonly budgets?: object;
  /** The model goes on as usual whatever it is told. */
  readonly isHeedless?: boolean;
}

/** Opens an agent, and closes it after `use`. */
export async function withAgent(
  { sandbox, budgets, isHeedless = false }: Given,
  use: (agent: LivedAgent) => Promise<void>,
): Promise<void> {
  const waiting = { approvals: { timeout: '24h' } };
  const definition = agentDefinition({ control: { maxReplans: 0 }, budgets: { ...waiting, ...budgets } });
  await withLivedAgent(async (agent) => {
    await agent.put({ 'numbers.txt': NUMBERS });
    await agent.open({ definition, script: scriptOf(isHeedless ? usual : `${acting}${usual}`), sandbox });
    await use(agent);
  });
}
