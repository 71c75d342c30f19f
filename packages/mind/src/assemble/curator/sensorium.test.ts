import { describe, expect } from 'vitest';
import { figures, nowMs, view } from '../../../../../test/support/selves.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { sensorium } from './sensorium.ts';

describe('the sensorium', () => {
  verifies('sensorium:sections', 'says little where there is little to say', () => {
    expect(sensorium(view(), [])).toBe(
      [
        '<sensorium>',
        '<clock now="2030-01-01 12:00 UTC" uptime="1 h 5 min" cycle="ork-1-c1"/>',
        '<situation input="task" queue_depth="0" conversation_depth="0"/>',
        '<run task="work" round="1"/>',
        '<vitals cycles_today="0" agents_active="0" success_rate="0.00" success_n="0" cost_trend="stable" recall_rate="0.00" recall_n="0" novelty="1"/>',
        '<sandbox enabled="no"/>',
        '<memory runs="0" threads="0" cases="0" facts="0" artifacts="0" megrams="0" files="0"/>',
        '</sensorium>',
      ].join('\n'),
    );
  });

  verifies('sensorium:sections', 'has every section that has something to say, in their order', () => {
    const minutes = (count: number): number => nowMs - count * 60_000;
    const told = sensorium(
      view({
        lastCycleMs: minutes(3),
        thread: 'weather — data/rain.csv',
        run: { task: 'work', round: 2, steered: { directive: 'Refine', d: 0.5, omega: 0.25 } },
        runs: [figures({ outcome: 'Failed', task: 'old', keywords: ['snow'] }), figures({ keywords: ['snow'] })],
        recalls: { rate: 0.25, n: 4 },
        budgets: [
          { field: 'tokensPerHour', used: 10.4, max: 100 },
          { field: 'tokensPerDay', used: 10, max: 0 },
        ],
        approvals: [{ tool: 'send', task: 'other', askedAtMs: minutes(7) }],
        tightening: 0.85,
        outputRejectionsInRow: 3,
        areOutputsHeld: true,
        languages: ['bash', 'python'],
        delegations: [
          {
            name: 'coder',
            task: 'other',
            turn: 2,
            turnsMax: 10,
            tokens: 900,
            startedAtMs: minutes(1),
            lastTool: 'bash',
          },
        ],
        events: [{ name: 'gates', title: 'Tighten: CumulativeRisk', atMs: minutes(60) }],
        tasks: [{ name: 'work', status: 'working', done: 1, total: 3, updatedAtMs: nowMs }],
        integrity: { suspectFacts: 1, facts: 4, unreadRecords: 2 },
        memory: { threads: 2, cases: 3, facts: 4, artifacts: 1, megrams: 2, files: 5 },
      }),
      [{ slot: 'cases', items: 2 }],
    );
    expect(told.split('\n')).toEqual([
      '<sensorium>',
      '<clock now="2030-01-01 12:00 UTC" uptime="1 h 5 min" cycle="ork-1-c1" last_cycle="3 min ago"/>',
      '<situation input="task" queue_depth="0" conversation_depth="0" thread="weather — data/rain.csv"/>',
      '<run task="work" round="2" directive="Refine" distance="0.50" resources="0.25"/>',
      '<vitals cycles_today="0" agents_active="1" success_rate="0.50" success_n="2" cost_trend="stable" recall_rate="0.25" recall_n="4" novelty="1">',
      '<failure task="old" outcome="Failed"/>',
      '</vitals>',
      '<budgets>',
      '<budget field="tokensPerHour" used="10" max="100"/>',
      '</budgets>',
      '<approvals pending="1">',
      '<approval tool="send" task="other" waiting="7 min"/>',
      '</approvals>',
      '<gates tightening="0.85" outputs_held="for a person" outputs_rejected_in_row="3"/>',
      '<sandbox enabled="yes" languages="bash python"/>',
      '<delegations count="1">',
      '<agent name="coder" task="other" turn="2/10" tokens="900" elapsed="1 min" last_tool="bash"/>',
      '</delegations>',
      '<events count="1">',
      '<event name="gates" title="Tighten: CumulativeRisk" at="2030-01-01 11:00 UTC"/>',
      '</events>',
      '<tasks active="1">',
      '<task name="work" status="working" progress="1/3" updated="2030-01-01 12:00 UTC"/>',
      '</tasks>',
      '<integrity suspect_facts="1" facts_examined="4" unread_records="2"/>',
      '<meta_recommendations high_novelty="take a small first step and check it" tightened_gates="do what is asked and no more"/>',
      '<memory runs="2" threads="2" cases="3" facts="4" artifacts="1" megrams="2" files="5"/>',
      '<cut slot="cases" items="2"/>',
      '</sensorium>',
    ]);
  });

  const recommended: readonly (readonly [string, Parameters<typeof view>[0], string | undefined])[] = [
    ['no history', {}, undefined],
    ['runs like this one that went well', { runs: [figures()] }, undefined],
    ['one of two runs that went well', { runs: [figures(), figures({ outcome: 'Failed' })] }, undefined],
    ['cancelled runs alone', { runs: [figures({ outcome: 'Cancelled' })] }, undefined],
    [
      'runs that failed',
      { runs: [figures({ outcome: 'Failed' })] },
      'low_success="look at what failed before you plan"',
    ],
    ['a new subject', { words: ['snow'], runs: [figures()] }, 'high_novelty="take a small first step and check it"'],
    ['gates that were tightened', { tightening: 0.85 }, 'tightened_gates="do what is asked and no more"'],
  ];
  for (const [what, changed, expected] of recommended)
    verifies('sensorium:recommendations', `recommends ${expected ?? 'nothing'} after ${what}`, () => {
      const [, told] = /<meta_recommendations (.*)\/>/.exec(sensorium(view(changed), [])) ?? [];
      expect(told).toBe(expected);
    });
});
