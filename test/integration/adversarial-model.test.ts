import { describe, expect, it } from 'vitest';
import type { RunState } from '@retainer/mind/run/state';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { openedAgent } from '../support/opened-agent.ts';

/** A call that works, so that there is evidence to abuse. */
const look = "{calls: [{tool: memory_write, input: {key: 'k', value: 'v'}}]}";
const honest = String.raw`
  - name: one call
    when: {role: executor, turn: 1}
    answer: ${look}
  - name: reply
    when: {role: executor}
    answer: {text: 'All is done.'}`;

const verdictOf = (inside: string): string => `
  - name: verdict
    when: {role: agent-validator}
    answer: {text: '<attempt>${inside}</attempt>'}`;

interface Case {
  readonly name: string;
  readonly rules: string;
  readonly outcome: string;
  readonly reason: RegExp;
}

/** Every way in which a model has been seen, or can be thought, to misbehave. None may hang, pass, or cost without bound. */
const cases: readonly Case[] = [
  {
    name: 'malformed XML from the validator, again and again',
    rules: `${honest}
  - name: malformed
    when: {role: agent-validator}
    answer: {text: '<attempt><verdict criterion="1" met="true">'}`,
    outcome: 'Abandoned',
    reason: /could not be verified: .*; Malformed/,
  },
  {
    name: 'a verdict without evidence',
    rules: honest + verdictOf('<verdict criterion="1" met="true"><reason>trust me</reason></verdict>'),
    outcome: 'Abandoned',
    reason: /cites no tool call/,
  },
  {
    name: 'a verdict that cites an invented call',
    rules:
      honest +
      verdictOf('<verdict criterion="1" met="true"><evidence>work-c1-t77</evidence><reason>r</reason></verdict>'),
    outcome: 'Abandoned',
    reason: /cites no tool call/,
  },
  {
    name: 'a verdict on another criterion only',
    rules: honest + verdictOf('<verdict criterion="9" met="true"><evidence>x</evidence><reason>r</reason></verdict>'),
    outcome: 'Abandoned',
    reason: /gave no verdict/,
  },
  {
    name: 'a claim without any work',
    rules: `
  - name: claim
    when: {role: executor}
    answer: {text: 'Done, and tool-call work-c1-t1 status=ok proves it.'}`,
    outcome: 'Abandoned',
    reason: /nothing proves it/,
  },
  {
    name: 'tool calls without end',
    rules: `
  - name: endless
    when: {role: executor, last: {text: '.'}}
    answer: {text: '.', calls: [{tool: memory_read, input: {prefix: '{{last.callId}}'}}]}
  - name: first
    when: {}
    answer: {calls: [{tool: memory_read, input: {}}]}`,
    outcome: 'Abandoned',
    reason: /used up|repeated/,
  },
  {
    name: 'the same call for ever',
    rules: `
  - name: same
    when: {role: executor}
    answer: {calls: [{tool: memory_read, input: {}}]}`,
    outcome: 'Abandoned',
    reason: /repeated the same call/,
  },
  {
    name: 'a thousand calls at once',
    rules: `
  - name: many
    when: {role: executor}
    answer: {calls: [{tool: memory_read, input: {}, repeat: 1000}]}`,
    outcome: 'Abandoned',
    reason: /repeated the same call|used up|in a row/,
  },
  {
    name: 'tools that do not exist',
    rules: `
  - name: unknown
    when: {role: executor}
    answer: {calls: [{tool: launch_missiles, input: {}}]}`,
    outcome: 'Abandoned',
    reason: /failed in too many turns/,
  },
  {
    name: 'wrong arguments',
    rules: `
  - name: wrong
    when: {role: executor}
    answer: {calls: [{tool: write_file, input: {file: 7}}]}`,
    outcome: 'Abandoned',
    reason: /failed in too many turns/,
  },
  {
    name: 'code where none can be isolated',
    rules: `
  - name: code
    when: {role: executor, turn: {max: 2}}
    answer: {calls: [{tool: bash, input: {script: 'echo x'}}]}
  - name: reply
    when: {role: executor}
    answer: {text: 'It ran.'}`,
    outcome: 'Abandoned',
    reason: /nothing proves it|repeated/,
  },
  { name: 'empty answers', rules: fault('Empty'), outcome: 'Abandoned', reason: /EmptyReply/ },
  { name: 'cut-off answers', rules: fault('Truncate'), outcome: 'Abandoned', reason: /Truncated/ },
  {
    name: 'a key that is refused',
    rules: fault('Fail, failure: Authentication'),
    outcome: 'Failed',
    reason: /Authentication/,
  },
  { name: 'sixteen megabytes', rules: fault('Babble, chars: 16000000'), outcome: 'Failed|Abandoned', reason: /./ },
];

/** What passes by itself: the run waits for it, until a person ends it. */
const passing: readonly { readonly name: string; readonly rules: string; readonly why: string }[] = [
  { name: 'a stall', rules: fault('Stall'), why: 'Timeout' },
  { name: 'a connection that breaks in the middle', rules: fault('Disconnect'), why: 'Network' },
  { name: 'an overloaded provider', rules: fault('Fail, failure: Overloaded, retryAfterMs: 1'), why: 'Overloaded' },
];

function fault(kind: string): string {
  return `
  - name: fault
    when: {role: executor}
    answer: {text: 'some words of an answer'}
    fault: {kind: ${kind}}`;
}

/** Far below what a real run may take: the model answers at once, time-outs are set to a second, and there is one plan. */
const bounds = { modelCalls: 36, records: 4500 };

/** How the cycles ended that brought nothing. */
function ends(state: RunState): readonly string[] {
  return [...state.roleCycles.values()].flatMap((it) => it.end?.reason ?? []);
}

interface Ran {
  readonly state: RunState;
  readonly modelCalls: number;
  readonly records: number;
  /** Why it was parked, each time. */
  readonly parked: readonly string[];
}

/** @param endsParked  a person ends the run when it is parked */
async function run(rules: string, endsParked = false): Promise<Ran> {
  return inTemporaryDirectory(async (dataDirectory) => {
    let modelCalls = 0;
    let records = 0;
    const parked: string[] = [];
    let end = (): void => undefined;
    const opened = await openedAgent({
      definition: agentDefinition({
        models: { provider: 'Scripted', script: 's.yaml', requestTimeout: '1s' },
        control: { maxReplans: 0 },
      }),
      dataDirectory,
      model: await scripted(`version: 1\nrules:${oneStepRule}${rules}`),
      onRecord: (record) => {
        records += 1;
        if (record.kind === 'ModelRequested') modelCalls += 1;
        if (record.kind !== 'Parked') return;
        parked.push((record.payload as { readonly why: string }).why);
        end();
      },
    });
    const work = task('work', 'Do the work.', {
      successCriteria: [{ text: 'The work is done' }],
      budget: { wallClock: '30s' },
    });
    const { runId } = await opened.submitTask(work, 'test');
    const cancel = { type: 'CancelRun', runId, by: 'ann', reason: 'enough' } as const;
    end = () => void (endsParked ? opened.runtime.accept('cancel', 'test', cancel) : undefined);
    if (parked.length > 0) end();
    const state = await opened.runtime.closed(runId);
    await opened.close();
    return { state, modelCalls, records, parked };
  });
}

describe('a model that misbehaves', () => {
  it.each(cases)('$name: a clear outcome, never a false success, bounded', async ({ rules, outcome, reason }) => {
    const { state, modelCalls, records } = await run(rules);
    expect(state.concluded?.outcome).toMatch(new RegExp(`^(${outcome})$`));
    expect([...(state.concluded?.reasons ?? []), ...ends(state)].join('; ')).toMatch(reason);
    expect(state.concluded?.unmet).toEqual(['The work is done']);
    expect(modelCalls).toBeLessThanOrEqual(bounds.modelCalls);
    expect(records).toBeLessThanOrEqual(bounds.records);
  });

  it.each(passing)('$name: ends no work, and a person can end it', async ({ rules, why }) => {
    const { state, parked, modelCalls } = await run(rules, true);
    expect(parked).toContain(why);
    expect(state.concluded?.outcome).toBe('Cancelled');
    expect(modelCalls).toBeLessThanOrEqual(bounds.modelCalls);
  });

  it('is believed when the evidence is there', async () => {
    expect((await run(honest + citingRule)).state.concluded?.outcome).toBe('Accepted');
  });
});
