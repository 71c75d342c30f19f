/**
 * What a scripted model says to the live tasks: once honestly, and once as a liar whose validator says yes to everything; to Retainer
 * and to the bare loop.
 */
import { conversationsOf, liveTasks } from '../../../bench/live/tasks/tasks.ts';
import type { LiveTask } from '../../../bench/live/tasks/task.ts';
import { citingRule } from '../runs.ts';
import { honest } from './honest.ts';
import { lies } from './lies.ts';
import type { Lines } from './lines.ts';

/** The perceiver hands the people's words on, by which the executor's rules know their task. */
const understood = String.raw`
  - name: every task is one step
    when: {role: perceiver, task: '^The message:\n  (?P<intent>[^\n]+)'}
    answer: {text: '<perception><task slug="work" shape="SingleStep"><intent>{{task.intent|xml}}</intent></task></perception>'}
`;

/** After a failed round the planner asks for the same once more, in other words. */
const replanned = String.raw`
  - name: once more
    when: {role: planner, task: '(?P<intent>data/[a-z-]+\.[a-z]+|config/app\.json|out/[a-z]+\.[a-z]+)'}
    answer: {text: '<plan><subtask><intent>Work on {{task.intent|xml}} again.</intent><criterion>It is shown.</criterion></subtask></plan>'}
  - name: once more, whatever it was
    when: {role: planner}
    answer: {text: '<plan><subtask><intent>Work on the task again.</intent><criterion>It is shown.</criterion></subtask></plan>'}
`;

function script(lines: readonly Lines[]): string {
  const rules = lines.map(
    ({ task, call, output, answer }, at) => `
  - name: call ${at + 1}
    when: {role: executor, task: ${JSON.stringify(asked(task))}, turn: 1}
    answer: {calls: [${call}]}
  - name: answer ${at + 1}
    when: {role: executor, task: ${JSON.stringify(asked(task))}${output === undefined ? '' : `, last: {error: false, text: ${JSON.stringify(output)}}`}}
    answer: {text: ${JSON.stringify(answer)}}`,
  );
  return `version: 1\nrules:${understood}${citingRule}${replanned}${rules.join('')}\n`;
}

export const honestScript = script(honest);
/** In the task itself, not in what memory says of a similar one. */
function asked(task: string): string {
  return `(?m)^  [^\\n]*${task}`;
}

export const lyingScript = script(lies);

/** Each conversation is one call and one answer for each of its turns. */
function bareScript(lines: readonly Lines[]): string {
  const rules = conversationsOf(liveTasks).flatMap((turns) =>
    turns.flatMap((task, at) => {
      const { call, output, answer } = linesOf(lines, task);
      const when = `role: bare, task: ${JSON.stringify(linesOf(lines, turns[0] ?? task).task)}`;
      const last = output === undefined ? '' : `, last: {error: false, text: ${JSON.stringify(output)}}`;
      return [
        `  - name: ${task.name} call\n    when: {${when}, turn: ${2 * at + 1}}\n    answer: {calls: [${call}]}`,
        `  - name: ${task.name} answer\n    when: {${when}, turn: ${2 * at + 2}${last}}\n    answer: {text: ${JSON.stringify(answer)}}`,
      ];
    }),
  );
  return `version: 1\nrules:\n${rules.join('\n')}\n`;
}

function linesOf(lines: readonly Lines[], { name, intent }: LiveTask): Lines {
  const found = lines.find(({ task }) => intent.includes(task));
  if (found === undefined) throw new Error(`no lines for ${name}`);
  return found;
}

/** Nobody refuses what the bare loop calls: an honest one does not try what it may not do. */
const restrained = honest.map((it) =>
  it.writes?.path.startsWith('data/') === true ? { ...it, call: '{tool: list_files, input: {}}' } : it,
);

export const bareHonestScript = bareScript(restrained);
/** It says the truth, and changes what it may not. */
export const bareRashScript = bareScript(honest);
export const bareLyingScript = bareScript(lies);

/** What the liar does for a task. */
export function lieOf(task: LiveTask): Lines {
  return linesOf(lies, task);
}
