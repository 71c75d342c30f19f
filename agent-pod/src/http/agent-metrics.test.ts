import { describe, expect, it } from 'vitest';
import { RunWorld } from '../../../test/support/run-world.ts';
import { scenarios } from '../../../test/support/run-scenarios.ts';
import { smallRun } from '../../../test/support/small-run.ts';
import { verifies } from '../../../test/verifies.ts';
import type { JournalRecord } from '@retainer/journal/journal';
import { SLOTS } from '@retainer/mind/assemble/curator/curate';
import type { StoredFact } from '@retainer/mind/parts/facts/facts';
import { startOfParts, type StatesOfParts } from '@retainer/mind/parts/derived';
import type { MailHealth } from '../ports/mail.ts';
import { createAgentMetrics } from './agent-metrics.ts';

let mailHealth: MailHealth | undefined;

const source = {
  isApiServerReachable: () => true,
  isLeaseHeld: () => true,
  isReady: () => true,
  inboxLength: () => 0,
  openRuns: () => 0,
  runsSetAside: () => 1,
  commandsSetAside: () => 2,
  pendingApprovals: () => 0,
  openQuestions: () => 1,
  jobsStalled: () => 2,
  mailHealth: () => mailHealth,
  outputRejectionsInRow: () => 3,
  probesUnansweredInRow: () => 4,
  isJournalWritable: () => true,
  budgets: () => [{ field: 'tokensPerHour', used: 250, max: 1000 }],
  backup: () => undefined,
  known: knownFacts,
  volume: () => Promise.resolve({ totalBytes: 2, freeBytes: 1 }),
};

/** Three facts, of which seven others left memory; nothing else. */
function knownFacts(): StatesOfParts {
  const states = startOfParts();
  const held = new Map(['a', 'b', 'c'].map((key) => [key, { key } as StoredFact]));
  return { ...states, facts: { ...states.facts, held, left: 7 } };
}

async function scrape(records: readonly JournalRecord[]): Promise<string> {
  const metrics = createAgentMetrics({ namespace: 'default', name: 'ada' }, source);
  for (const record of records) metrics.count(record);
  return (await metrics.render()).replaceAll(
    /agent="ada",agent_namespace="default",|,?agent="ada",agent_namespace="default"/g,
    '',
  );
}

function recordsOf(name: string): readonly JournalRecord[] {
  const scenario = scenarios.find((it) => it.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const [first] = smallRun;
  if (first === undefined) throw new Error('the small run has records');
  const { events } = new RunWorld(scenario).play();
  return events.map(({ kind, ...payload }, seq) => ({ ...first, store: 'run', kind, seq, payload: payload as never }));
}

describe('questions about calls', () => {
  const at = (timeMs: number, store: string, kind: string, payload: object): JournalRecord =>
    ({ store, kind, payload: { ...payload, atMs: timeMs }, runId: 'r', cycleId: 'r-c1', timeMs }) as never;
  const asked = { tool: 'send', input: {}, argumentsDigest: 'd', effectClass: 3, reason: 'SECRET', expiresAtMs: 0 };
  const request = (timeMs: number, requestId: string, more: object = {}): JournalRecord =>
    at(timeMs, 'cycle', 'ApprovalRequested', { ...asked, requestId, callId: requestId, ...more });
  const decided = { by: 'SECRET', reason: 'SECRET', argumentsDigest: 'd' };

  verifies('approvals:metrics', 'are counted by what became of them, with the time until a decision', async () => {
    const text = await scrape([
      request(0, 'a'),
      request(0, 'a2', { answeredWith: 'a' }),
      request(0, 'b'),
      request(0, 'c'),
      request(0, 'd'),
      at(20_000, 'cycle', 'ApprovalDecided', { ...decided, requestId: 'a', decision: 'Approve' }),
      at(40_000, 'cycle', 'ApprovalDecided', { ...decided, requestId: 'b', decision: 'Deny' }),
      at(600_000, 'cycle', 'TimeExpired', { what: 'Approval', requestId: 'c' }),
      at(600_000, 'cycle', 'CycleEnded', { outcome: 'Replied', text: 'SECRET' }),
      at(600_000, 'run', 'RunConcluded', { outcome: 'Refused' }),
    ]);
    for (const [step, count] of [
      ['requested', 4],
      ['approved', 1],
      ['denied', 1],
      ['timed_out', 1],
      ['withdrawn', 1],
    ])
      expect(text).toContain(`retainer_agent_approvals_total{step="${step}"} ${count}`);
    expect(text).toContain('retainer_agent_approval_decision_duration_seconds_sum{} 60');
    expect(text).toContain('retainer_agent_approval_decision_duration_seconds_count{} 2');
    expect(text).toContain('retainer_agent_approval_questions_per_run_sum{} 4');
    expect(text).not.toContain('SECRET');
  });
});

describe('the figures of jobs', () => {
  verifies('jobs-cluster:stalled', 'tell how many stand still', async () => {
    expect(await scrape([])).toContain('retainer_agent_jobs_stalled{} 2');
  });
});

describe('the figures of mail servers', () => {
  const up = 'retainer_agent_mail_up{server=';

  verifies('mail-cluster:up', 'tell which server is reached, and nothing of one that was never asked', async () => {
    expect(await scrape([])).not.toContain(up);
    const outgoing = { state: 'Off', sinceMs: 0 } as const;
    for (const [state, value] of [
      ['Connecting', 0],
      ['Down', 0],
      ['Up', 1],
    ] as const) {
      mailHealth = { incoming: { state, sinceMs: 0, reason: 'SECRET' }, outgoing };
      const text = await scrape([]);
      expect(text).toContain(`${up}"incoming"} ${value}`);
      expect(text).not.toContain('"outgoing"');
      expect(text).not.toContain('SECRET');
    }
    mailHealth = { incoming: { state: 'Up', sinceMs: 0 }, outgoing: { state: 'Down', sinceMs: 0 } };
    expect(await scrape([])).toContain(`${up}"outgoing"} 0`);
    mailHealth = undefined;
  });
});

describe('the figures of memory', () => {
  const at = (timeMs: number, kind: string, payload: object, runId = 'r'): JournalRecord =>
    ({ store: 'run', kind, payload, runId, timeMs }) as never;
  const empty = { rules: [], recent: [], space: 'SECRET' };
  const cycle = (recalled?: object): JournalRecord =>
    at(0, 'CycleStarted', { spec: { role: 'Perceiver' }, ...(recalled === undefined ? {} : { recalled }) });

  verifies('agent-cluster:memory-metrics', 'tell what is in it and what left it', async () => {
    const text = await scrape([]);
    for (const kind of ['cases', 'threads', 'megrams', 'artifacts', 'runs'])
      expect(text).toContain(`retainer_agent_memory_entries{kind="${kind}"} 0`);
    expect(text).toContain('retainer_agent_memory_entries{kind="facts"} 3');
    expect(text).toContain('retainer_agent_memory_left{kind="facts"} 7');
    expect(text).toContain('retainer_agent_memory_recalls_by_words_total{why="away"} 0');
  });

  verifies('agent-cluster:memory-metrics', 'count what dreams changed, by pass and by kind', async () => {
    const ended = { dreamId: 'd', pass: 'Rules', changed: { MegramWritten: 1, MegramConsolidated: 6 }, reasons: {} };
    const text = await scrape([at(0, 'PassEnded', ended), at(0, 'PassEnded', ended)]);
    expect(text).toContain('retainer_agent_dream_passes_total{pass="Rules"} 2');
    expect(text).toContain('retainer_agent_dream_changes_total{kind="MegramConsolidated"} 12');
  });

  verifies(
    'agent-cluster:memory-metrics',
    'count what it was asked, and what was answered by words alone',
    async () => {
      const text = await scrape([
        at(0, 'MemoryRecalled', { answers: [empty] }),
        at(0, 'MemoryRecalled', { answers: [{ ...empty, rules: [{ content: 'SECRET' }] }], wordsOnly: 'Late' }),
        at(0, 'MemoryRecalled', { answers: [], cases: [{ lesson: 'SECRET' }] }),
        cycle(),
        cycle({ facts: [], threads: [], cases: [], wordsOnly: 'Away' }),
        cycle({ facts: [{ id: 'SECRET' }], threads: [], cases: [] }),
      ]);
      expect(text).toContain('retainer_agent_memory_recalls_total{result="found"} 3');
      expect(text).toContain('retainer_agent_memory_recalls_total{result="nothing"} 2');
      expect(text).toContain('retainer_agent_memory_recalls_by_words_total{why="late"} 1');
      expect(text).toContain('retainer_agent_memory_recalls_by_words_total{why="away"} 1');
      expect(text).not.toContain('SECRET');
    },
  );

  verifies('agent-cluster:memory-metrics', 'tell how long the archive of a run takes', async () => {
    const text = await scrape([
      at(1000, 'RunConcluded', { outcome: 'Accepted' }, 'a'),
      at(2000, 'RunConcluded', { outcome: 'Accepted' }, 'b'),
      at(4000, 'RunReflected', { prose: 'SECRET' }, 'a'),
      at(5000, 'RunReflected', { prose: 'SECRET' }, 'of an earlier process'),
    ]);
    expect(text).toContain('retainer_agent_archive_duration_seconds_sum{} 3');
    expect(text).toContain('retainer_agent_archive_duration_seconds_count{} 1');
  });

  const keepers = [
    ['ArchiveAnswered', 'archivist'],
    ['DreamAnswered', 'dreamer'],
  ] as const;
  for (const [kind, role] of keepers)
    verifies('agent-cluster:memory-metrics', `count what the ${role} was answered, by its role`, async () => {
      const usage = { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const text = await scrape([
        at(1000, kind, { text: 'SECRET', usage, costUsd: 1 }, 'a'),
        at(1000, kind, { refusal: {} }, 'a'),
      ]);
      expect(text).toContain(`retainer_agent_tokens_total{role="${role}",type="output"} 7`);
      for (const result of ['answered', 'refused'])
        expect(text).toContain(`retainer_agent_model_calls_total{role="${role}",result="${result}"} 1`);
      expect(text).not.toContain('SECRET');
    });
});

describe('what a cycle was told at its start', () => {
  const started = (curated?: readonly object[]): JournalRecord =>
    ({
      store: 'cycle',
      kind: 'CycleStarted',
      payload: { spec: { role: 'Perceiver' }, ...(curated === undefined ? {} : { curated }) },
    }) as never;

  verifies('curator:metrics', 'is measured by slot, with the items that did not fit', async () => {
    const sensorium = (characters: number): object => ({ slot: 'sensorium', items: 1, characters, cut: 0 });
    const text = await scrape([
      started(),
      started([sensorium(2_000), { slot: 'cases', items: 1, characters: 90, cut: 2 }]),
      started([sensorium(3_000), { slot: 'cases', items: 0, characters: 0, cut: 3 }]),
    ]);
    const characters = 'retainer_agent_preamble_slot_characters';
    expect(text).toContain(`${characters}_sum{slot="sensorium"} 5000`);
    expect(text).toContain(`${characters}_bucket{le="2500",slot="sensorium"} 1`);
    expect(text).toContain(`${characters}_count{slot="cases"} 2`);
    expect(text).toContain('retainer_agent_preamble_cut_items_total{slot="cases"} 5');
    expect(text).toContain('retainer_agent_preamble_cut_items_total{slot="sensorium"} 0');
  });

  verifies(
    'curator:metrics',
    'has a series for each slot before the first cycle, and none for another name',
    async () => {
      const text = await scrape([]);
      const slots = (metric: string): readonly (string | undefined)[] =>
        [...text.matchAll(new RegExp(`^retainer_agent_preamble_${metric}\\{slot="(\\w+)"\\} 0$`, 'gm'))].map(
          ([, slot]) => slot,
        );
      expect(slots('cut_items_total')).toEqual(SLOTS);
      expect(slots('slot_characters_count')).toEqual(SLOTS);
    },
  );
});

describe('how the agent is', () => {
  const felt = { desperation: 80, calm: 61.5, confidence: 58, frustration: 22, pressure: 0, trend: 'Rising' } as const;

  verifies('affect:metrics', 'is told by dimension, and not at all before the first measurement', async () => {
    const states = startOfParts();
    const metrics = createAgentMetrics({ namespace: 'default', name: 'ada' }, { ...source, known: () => states });
    const told = async (): Promise<unknown> =>
      Object.fromEntries(
        [...(await metrics.render()).matchAll(/^retainer_agent_affect_ratio\{dimension="(\w+)".*\} (.*)$/gm)].map(
          ([, dimension = '', value]) => [dimension, Number(value)],
        ),
      );
    expect(await told()).toEqual({});
    states.newestAffect.newest = { atMs: 0, signals: {} as never, affect: felt };
    expect(await told()).toEqual({ desperation: 0.8, calm: 0.615, confidence: 0.58, frustration: 0.22, pressure: 0 });
    states.newestAffect.newest = undefined;
    expect(await told()).toEqual({});
  });
});

describe('the figures of an agent', () => {
  verifies('gate:probes-degraded', 'count what gates were answered, and what it cost', async () => {
    const answered = (changed: object): readonly JournalRecord[] =>
      smallRun
        .filter(({ kind }) => kind === 'GateScored')
        .map((record) => ({ ...record, payload: { latencyMs: 1, ...changed } }));
    const none = { available: false, reason: 'SECRET' };
    const text = await scrape([
      ...smallRun,
      ...answered({ forecasts: { ...none, isMalformed: true } }),
      ...answered({ forecasts: none, refusal: { field: 'tokensPerDay' } }),
      ...answered({ forecasts: none }),
    ]);
    for (const result of ['malformed', 'refused', 'unavailable'])
      expect(text).toContain(`retainer_agent_gate_scores_total{result="${result}"} 1`);
    expect(text).not.toContain('SECRET');
    expect(text).toContain('retainer_agent_gate_probes_total{outcome="clean"} 1');
    expect(text).toContain('retainer_agent_gate_probes_total{outcome="inconclusive"} 1');
    expect(text).toContain('retainer_agent_gate_scores_total{result="available"} 1');
    expect(text).toContain('retainer_agent_probes_unanswered_in_row{} 4');
    expect(text).toContain('retainer_agent_output_rejections_in_row{} 3');
    expect(text).toContain('retainer_agent_runs_set_aside{} 1');
    expect(text).toContain('retainer_agent_commands_set_aside{} 2');
    expect(text).toMatch(/retainer_agent_tokens_total\{role="gate-scorer",type="input"\} \d+/);
  });

  verifies(
    'agent-cluster:control-metrics',
    'count rounds, directives, corrections, loss and both gradients',
    async () => {
      const text = await scrape([...recordsOf('replanned'), ...recordsOf('corrected')]);
      expect(text).toContain('retainer_agent_rounds_total{occasion="Round"} 1');
      expect(text).toContain('retainer_agent_rounds_total{occasion="Accepted"} 2');
      expect(text).toContain('retainer_agent_directives_total{directive="Accept"} 2');
      expect(text).toContain('retainer_agent_corrections_total{failure_class="Environmental"} 3');
      expect(text).toContain('retainer_agent_run_loss_count{} 2');
      expect(text).toContain('retainer_ggs_grad_l_count{} 3');
      expect(text).toContain('retainer_ggs_grad_q_count{} 3');
    },
  );

  it('count no correction where a second attempt was asked for, and one where two differ', async () => {
    const [first] = smallRun;
    const signal = (selfConsistency: string, failureClass: string) => ({
      ...first,
      store: 'run',
      kind: 'MessageSent',
      payload: { messages: [{ type: 'CorrectionSignal', payload: { failureClass, selfConsistency } }] },
    });
    const text = await scrape([signal('Blind', 'Unverified'), signal('Differs', 'Logical')] as never);
    expect(text).toContain('retainer_agent_corrections_total{failure_class="Logical"} 1');
    expect(text).not.toContain('failure_class="Unverified"');
  });

  verifies('agent-cluster:control-metrics', 'tell tokens, model calls and cycles by role', async () => {
    const text = await scrape(smallRun);
    expect(text).toContain('retainer_agent_tokens_total{role="executor",type="input"} 1200');
    expect(text).toContain('retainer_agent_model_calls_total{role="executor",result="failed"} 1');
    expect(text).toContain('retainer_agent_cycles_total{role="executor",outcome="Replied"} 1');
    expect(text).toContain('retainer_agent_open_questions{} 1');
  });

  it('know the role of a cycle that was taken up again by its next request', async () => {
    const later = smallRun.filter(({ kind }) => kind !== 'CycleStarted');
    expect(await scrape(later)).toContain('retainer_agent_cycles_total{role="executor",outcome="Replied"} 1');
    const [ended] = smallRun.filter(({ kind }) => kind === 'CycleEnded');
    expect(await scrape(ended === undefined ? [] : [ended])).toContain(
      'cycles_total{role="unknown",outcome="Replied"} 1',
    );
  });

  verifies('budget:alarms', 'tell how much of each budget is used, and calls that were not made', async () => {
    const refused = smallRun
      .filter(({ kind }) => kind === 'ModelFailed')
      .map((record) => {
        const { failure, ...rest } = record.payload as { readonly failure: object };
        const budget = { field: 'tokensPerHour', used: 990, asked: 20, max: 1000 };
        return { ...record, payload: { ...rest, failure: { ...failure, kind: 'BudgetUsedUp', budget } } as never };
      });
    const text = await scrape(refused);
    expect(text).toContain('retainer_agent_budget_used{budget="tokensPerHour"} 250');
    expect(text).toContain('retainer_agent_budget_limit{budget="tokensPerHour"} 1000');
    expect(text).toContain('retainer_agent_model_calls_total{role="unknown",result="refused"} 1');
  });

  it('count a call that the steering had blocked', async () => {
    const blocked = smallRun
      .filter(({ kind }) => kind === 'CallAnswered')
      .map((record) => ({ ...record, payload: { ...(record.payload as object), why: 'Blocked' } as never }));
    expect(await scrape(blocked)).toContain('retainer_agent_blocked_calls_total{} 1');
    expect(await scrape(smallRun)).not.toContain('retainer_agent_blocked_calls_total{} 1');
  });

  it('show interventions before the first one, so that the first one raises an alert', async () => {
    expect(await scrape([])).toContain('retainer_agent_gate_interventions_total{intervention="Escalate"} 0');
  });
});
