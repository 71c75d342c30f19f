/** One question to each role that asks a model. Every text that is not ours passes `say`, so that a test can make it hostile. */
import type {
  BusCriterion,
  Salvage,
  SubTask,
  SubTaskOutcome,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import type { AbandonQuestion } from '@retainer/mind/assemble/abandon-input';
import type { AttemptQuestion } from '@retainer/mind/assemble/attempt-input';
import type { MergeQuestion } from '@retainer/mind/assemble/merge-input';
import type { PerceiverQuestion } from '@retainer/mind/assemble/perceiver-input';
import type { PlannerQuestion } from '@retainer/mind/assemble/planner-input';
import type { SubtaskQuestion } from '@retainer/mind/assemble/subtask-input';

type Say = (text: string) => string;

interface RoleQuestions {
  readonly perceiver: PerceiverQuestion;
  readonly firstPlan: PlannerQuestion;
  readonly nextPlan: PlannerQuestion;
  readonly firstAttempt: SubtaskQuestion;
  readonly nextAttempt: SubtaskQuestion;
  readonly attempt: AttemptQuestion;
  readonly merge: MergeQuestion;
  readonly abandon: AbandonQuestion;
}

/** 2026-11-22 08:30 UTC. */
const nowMs = Date.UTC(2026, 10, 22, 8, 30);

export function roleQuestions(say: Say): RoleQuestions {
  const outcomes = [outcomeOf(say, 2), outcomeOf(say, 1)];
  return {
    perceiver: perceiverOf(say),
    firstPlan: firstPlanOf(say),
    nextPlan: nextPlanOf(say),
    firstAttempt: { subtask: subtaskOf(say), earlierCalls: [] },
    nextAttempt: nextAttemptOf(say),
    attempt: attemptOf(say),
    merge: { nowMs, intent: say('Sum the sales.'), criteria: criteriaOf(say), outcomes, salvage: salvageOf(say) },
    abandon: {
      intent: say('Sum the sales.'),
      reason: say('each plan came out worse'),
      replans: 2,
      outcomes: [
        ...outcomes,
        { ...outcomeOf(say, 3), status: 'Failed', started: false, output: '', failureReason: say('step 2 failed') },
      ],
      unmet: [say('The total is right.')],
    },
  };
}

function criteriaOf(say: Say): BusCriterion[] {
  return [
    { text: say('The total is right.'), mode: 'Verifiable', required: true },
    { text: say('A person can follow it.'), mode: 'Plausible', required: false },
  ];
}

function salvageOf(say: Say): Salvage[] {
  return [{ subtaskId: 's0', round: 1, intent: say('Read sales.csv.'), output: say('31 rows\n1 header') }];
}

function perceiverOf(say: Say): PerceiverQuestion {
  return {
    rawInput: say('the same for march\nas a table'),
    scope: say('only the workspace'),
    criteria: criteriaOf(say),
    history: Array.from({ length: 7 }, (_, n) => ({ input: say(`ask ${n}`), summary: say(`say ${n}`) })),
    user: [say('She reads tables.')],
    clarifications: [{ question: say('Which file?'), answer: say('sales.csv') }, { question: say('Which year?') }],
    canAsk: false,
  };
}

function firstPlanOf(say: Say): PlannerQuestion {
  return {
    nowMs,
    task: {
      taskSlug: 'sum_march_sales',
      intent: say('Sum the sales of March in sales.csv.'),
      shape: 'Plan',
      scope: say('only the workspace'),
      deadlineMs: nowMs + 600_000,
      rawInput: say('sum up march pls'),
      assumptions: [say('March of this year.')],
    },
    criteria: criteriaOf(say),
    constraints: [{ name: 'm1', line: 'MUST NOT: "Trust the totals row."', id: 'r2' }],
    tools: [{ name: 'run_code', description: say('Runs a script.\nIn a sandbox.') }],
    workers: [],
    subtasksMax: 16,
  };
}

function nextPlanOf(say: Say): PlannerQuestion {
  return {
    ...firstPlanOf(say),
    directive: {
      directive: 'ChangeApproach',
      previous: 'ChangePath',
      loss: { d: 1, p: 1, omega: 0.2, l: 0.92, q: 0.9 },
      gradL: 0.2,
      gradQ: 0.2,
      blocked: { tools: ['fetch_url'], targets: [say('https://a.example/')] },
      failedCriterion: say('The total is right.'),
      failureClass: 'Logical',
      budgetPressure: 0.2,
      salvage: salvageOf(say),
      rationale: say('nothing got better'),
    },
    tried: {
      outcomes: [outcomeOf(say, 1), failedOf(say, 2), { ...outcomeOf(say, 3), status: 'Failed', started: false }],
      taskVerdicts: [{ index: 1, verdict: 'Unmet', evidence: [], reason: say('Two files disagree.') }],
      fenced: (output) => output,
    },
    refusal: say('step 2 plans with fetch_url, which is blocked'),
  };
}

function failedOf(say: Say, sequence: number): SubTaskOutcome {
  const failing = callOf(say, 'b');
  return {
    ...outcomeOf(say, sequence),
    status: 'Failed',
    verdicts: [{ index: 1, verdict: 'Unmet', evidence: [], reason: say('Nothing was printed.') }],
    calls: [callOf(say, 'a'), { ...failing, status: 'Error', output: say('Traceback:\nKeyError: march') }],
  };
}

function nextAttemptOf(say: Say): SubtaskQuestion {
  return {
    subtask: subtaskOf(say),
    scope: say('only the workspace'),
    correction: {
      subtaskId: 's1',
      attempt: 2,
      failedCriterion: say('The output shows one number.'),
      failureClass: 'Logical',
      whatWasWrong: say('Two numbers came out.'),
      whatToDo: say('Add them up.'),
    },
    earlierCalls: [callOf(say, 'a'), { ...callOf(say, 'b'), status: 'Error' }],
  };
}

function attemptOf(say: Say): AttemptQuestion {
  const refusal = { rule: 'blocked-tool', reason: say('it is blocked') };
  return {
    nowMs,
    subtask: subtaskOf(say),
    result: {
      subtaskId: 's1',
      attempt: 1,
      status: 'Completed',
      output: say('It is 42.\nAll of it.'),
      calls: [callOf(say, 'a'), { ...callOf(say, 'b'), status: 'Unrun', refusal }],
    },
  };
}

export function callOf(say: Say, id: string): ToolCallRecord {
  return {
    callId: `r-c1-${id}`,
    tool: 'run_code',
    input: say('{"script":"print(42)"}'),
    status: 'Ok',
    output: say('42\n'),
    exitCode: 0,
    durationMs: 5,
    files: [{ path: say('total.txt'), sizeBytes: 3, sha256: '0' }],
  };
}

export function outcomeOf(say: Say, sequence: number): SubTaskOutcome {
  return {
    ...subtaskOf(say),
    subtaskId: `s${sequence}`,
    sequence,
    position: sequence - 1,
    status: 'Matched',
    output: say(`Part ${sequence} is 42.`),
    started: true,
    trajectory: [],
    verdicts: [{ index: 1, verdict: 'Met', evidence: [`r-c${sequence}-a`], reason: say('It shows.') }],
    calls: [{ ...callOf(say, 'a'), callId: `r-c${sequence}-a` }],
  };
}

function subtaskOf(say: Say): SubTask {
  return {
    subtaskId: 's1',
    sequence: 1,
    position: 0,
    intent: say('Sum one part.'),
    context: say('The rows are in sales.csv.\nMarch only.'),
    criteria: [{ text: say('The output shows one number.'), mode: 'Verifiable', required: true }],
    blocked: { tools: ['fetch_url'], targets: [say('/etc')] },
  };
}
