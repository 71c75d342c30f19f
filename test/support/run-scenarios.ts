/** Four runs as minds: plain, corrected inside a subtask, replanned because a target is blocked, and abandoned. */
import type { AbandonReport } from '@retainer/mind/request/answers/abandon-report';
import type { AttemptVerdicts } from '@retainer/mind/request/answers/attempt-verdicts';
import type { Merge } from '@retainer/mind/request/answers/merge';
import type { Perception } from '@retainer/mind/request/answers/task-spec';
import type { Plan } from '@retainer/mind/request/answers/plan';
import type { CyclePurpose, RunOutcome } from '@retainer/mind/run/event';
import type { BusCriterion, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { Mind, Thinking, WorldOptions } from './run-world.ts';
import { runSpec } from './runs.ts';

export const criterion = (text: string): BusCriterion => ({ text, mode: 'Verifiable', required: true });

export const perceived = (shape: 'SingleStep' | 'Plan'): Thinking => {
  const value: Perception = { kind: 'Task', slug: 'work', intent: 'Do the work.', shape, assumptions: [] };
  return { value: value };
};

/** One subtask for each list of intents that run side by side. */
export const planned = (...groups: readonly (readonly string[])[]): Thinking => {
  const subtasks = groups.flatMap((intents, index) =>
    intents.map((intent) => ({
      sequence: index + 1,
      intent,
      context: '',
      criteria: [criterion(`${intent} is shown`)],
      plannedTools: [],
    })),
  );
  const value: Plan = { criteria: [], subtasks };
  return { value: value };
};

/** One call of an executor's cycle. */
export const call = (
  { subtaskId = '', attempt = 1 }: CyclePurpose,
  change: Partial<ToolCallRecord> = {},
): ToolCallRecord => ({
  callId: `${subtaskId}-a${attempt}-t1`,
  tool: 'read_file',
  input: '{"path":"data.csv"}',
  target: 'data.csv',
  status: 'Ok',
  output: 'rows: 3',
  durationMs: 5,
  files: [],
  ...change,
});

export const worked = (purpose: CyclePurpose, change: Partial<ToolCallRecord> = {}): Thinking => ({
  text: `${purpose.subtaskId ?? ''} is done`,
  calls: [call(purpose, change)],
});

const judge = (count: number, ids: readonly string[], isMet: boolean): AttemptVerdicts['verdicts'] =>
  Array.from({ length: count }, (_, position) => ({
    criterion: position + 1,
    met: isMet,
    ...(isMet ? {} : { failureClass: 'Environmental' as const }),
    evidence: isMet ? [...ids] : [],
    reason: isMet ? 'shown' : 'the file is not there',
  }));

export const judged = (purpose: CyclePurpose, isMet: boolean, count = 1): Thinking => {
  const value: AttemptVerdicts = {
    verdicts: judge(count, [call(purpose).callId], isMet),
    whatWasWrong: isMet ? '' : 'the file is not there',
    whatToDo: isMet ? '' : 'read another one',
  };
  return { value: value };
};

/** Cites the calls of the named subtasks' first attempts. */
export const merged = (ids: readonly string[], count = 1, isMet = true): Thinking => {
  const value: Merge = { output: 'All of it is done.', verdicts: judge(count, ids, isMet), summary: 'Done.' };
  return { value: value };
};

export interface Scenario extends Pick<WorldOptions, 'spec' | 'mind' | 'happenings'> {
  readonly name: string;
  readonly outcome: RunOutcome;
}

const criteria = [criterion('The work is done')];
const reportDuties = [{ text: 'Report.', cache: true }];
const spec = runSpec({ criteria, reportDuties }, ['read_file', 'run_code']);

const plain: Mind = (purpose) => {
  switch (purpose.role) {
    case 'Perceiver':
      return perceived('SingleStep');
    case 'Executor':
      return worked(purpose);
    case 'AgentValidator':
      return judged(purpose, true);
    case 'Planner':
      return planned([`Try ${purpose.round}`]);
    case 'MetaValidator':
      return merged([`r-r${purpose.round}-s1-a1-t1`]);
  }
};

const corrected: Mind = (purpose, cycle) =>
  purpose.role === 'AgentValidator' ? judged(purpose, purpose.attempt !== 1) : plain(purpose, cycle);

/** Two groups; in the first round the second subtask of the first group reads what is not there. */
const replanned: Mind = (purpose) => {
  const { role, round, subtaskId = '' } = purpose;
  const isBad = round === 1 && subtaskId.endsWith('s2');
  switch (role) {
    case 'Perceiver':
      return perceived('Plan');
    case 'Planner':
      return round === 1 ? planned(['Read A', 'Read B'], ['Add']) : planned(['Read A', 'Read C'], ['Add']);
    case 'Executor':
      return worked(purpose, isBad ? { target: 'b.csv', input: '{"path":"b.csv"}' } : {});
    case 'AgentValidator':
      return judged(purpose, !isBad);
    case 'MetaValidator':
      return merged([`r-r${round}-s1-a1-t1`]);
  }
};

export const reported: Thinking = {
  value: {
    done: ['A was read.'],
    missing: ['B is not there.'],
    nextMoves: ['Say where B is.'],
  } satisfies AbandonReport,
};

/** One part is there, the other never is. */
const abandoned: Mind = (purpose, cycle) => {
  const { role, round, subtaskId = '' } = purpose;
  if (cycle.structured === 'AbandonReport') return reported;
  if (role === 'Planner') return planned([`Read A, try ${round}`, `Find B, try ${round}`]);
  if (role === 'AgentValidator') return judged(purpose, subtaskId.endsWith('s1'));
  return replanned(purpose, cycle);
};

export const scenarios: readonly Scenario[] = [
  { name: 'plain', outcome: 'Accepted', spec, mind: plain },
  { name: 'corrected', outcome: 'Accepted', spec, mind: corrected },
  { name: 'replanned', outcome: 'Accepted', spec, mind: replanned },
  { name: 'abandoned', outcome: 'Abandoned', spec, mind: abandoned },
];

/** As the plain run, but that this role comes back with something else. */
const plainBut =
  (role: CyclePurpose['role'], thinking: (input: string) => Thinking | undefined): Mind =>
  (purpose, cycle) =>
    (purpose.role === role ? thinking(cycle.input) : undefined) ?? plain(purpose, cycle);

const failed: Thinking = { outcome: 'Failed', reason: 'the model failed' };
const question: Thinking = { value: { kind: 'Question', text: 'Which file?' } };

/** Short runs for the words that the four above never say. */
export const rareScenarios: readonly Scenario[] = [
  {
    name: 'asked about',
    outcome: 'Accepted',
    spec,
    mind: plainBut('Perceiver', (input) => (input.includes('answer 1') ? undefined : question)),
    happenings: [
      {
        atMs: 60_000,
        input: { kind: 'QuestionAnswered', atMs: 60_000, questionId: 'r-q1', text: 'a.csv', by: 'ann' },
      },
    ],
  },
  {
    name: 'answered at once',
    outcome: 'Succeeded',
    spec: runSpec({}, []),
    mind: () => ({ value: { kind: 'Reply', text: 'Hello.' } }),
  },
  { name: 'not understood', outcome: 'Failed', spec, mind: plainBut('Perceiver', () => failed) },
  {
    name: 'not planned',
    outcome: 'Failed',
    spec,
    mind: (purpose, cycle) =>
      purpose.role === 'Planner' ? failed : purpose.role === 'Perceiver' ? perceived('Plan') : plain(purpose, cycle),
  },
  {
    name: 'cancelled',
    outcome: 'Cancelled',
    spec,
    mind: plain,
    happenings: [{ atMs: 1500, input: { kind: 'RunCancelled', atMs: 1500, by: 'ann', reason: 'enough' } }],
  },
];
