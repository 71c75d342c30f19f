import { describe, expect } from 'vitest';
import { emptyMemory, figures, nowMs, ownRun, somewhere, view } from '../../../../../test/support/selves.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { budgetFields } from '../../gate/budget/budget.ts';
import { sensorium } from './sensorium.ts';

describe('the sensorium', () => {
  verifies('sensorium:sections', 'says little where there is little to say', () => {
    expect(sensorium(view(), [])).toBe(
      [
        '<sensorium>',
        '<clock now="2030-01-01 12:00 UTC" uptime="1 h 5 min" cycle="ork-1-c1"/>',
        '<situation input="task" queue_depth="0" conversation_depth="0"/>',
        '<run task="work" round="1" time_left="5 min"/>',
        '<vitals cycles_today="0" agents_active="0" success_n="0" recall_n="0" cases_told_n="0" novelty="1" novelty_n="0"/>',
        '<memory runs="0" threads="0" cases="0" facts="0" artifacts="0" megrams="0" files="0"/>',
        '</sensorium>',
      ].join('\n'),
    );
  });

  verifies('sensorium:sections', 'tells a person who asks while nobody works of no cycle and no run', () => {
    const { cycleId: _cycle, run: _run, ...idle } = view();
    expect(sensorium(idle, []).split('\n').slice(1, 4)).toEqual([
      '<clock now="2030-01-01 12:00 UTC" uptime="1 h 5 min"/>',
      '<situation input="nothing" queue_depth="0" conversation_depth="0"/>',
      '<vitals cycles_today="0" agents_active="0" success_n="0" recall_n="0" cases_told_n="0"/>',
    ]);
  });

  verifies('sensorium:sections', 'has every section that has something to say, in their order', () => {
    const minutes = (count: number): number => nowMs - count * 60_000;
    const told = sensorium(
      view({
        ...{ lastCycleMs: minutes(3), toldAtMs: minutes(5) },
        thread: 'weather — data/rain.csv',
        run: ownRun({
          ...{ round: 2, steered: { directive: 'Refine', d: 0.5, omega: 0.25 }, leftMs: 90_000 },
          levels: [
            { field: 'tokens', used: 950, max: 1000 },
            { field: 'costUsd', used: 0.4, max: 0.5 },
          ],
        }),
        runs: [figures({ outcome: 'Failed', task: 'old', keywords: ['snow'] }), figures({ keywords: ['snow'] })],
        recalls: { rate: 0.25, n: 4 },
        casesTold: { rate: 0.5, n: 2 },
        budgets: [
          { field: 'tokensPerHour', used: 10, max: 100 },
          { field: 'tokensPerDay', used: 10, max: 0 },
          { field: 'costUsdPerDay', used: 0.25, max: 1 },
        ],
        approvals: [{ tool: 'send', task: 'other', askedAtMs: minutes(7) }],
        questions: [{ task: 'third', askedAtMs: minutes(120) }],
        tightening: 0.85,
        outputRejectionsInRow: 3,
        probesUnanswered: 4,
        areOutputsHeld: true,
        patterns: [{ name: 'ToolFailures', about: 'send', count: 2, of: 5 }],
        place: somewhere({ runsOn: 'cluster', hosts: ['pypi.org'], pages: ['*'] }),
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
        events: [
          { name: 'restart', title: 'the program started again', atMs: minutes(61) },
          { name: 'restart', title: 'the program started again', atMs: minutes(60) },
          { name: 'person-answered', title: 'a question', atMs: minutes(1) },
        ],
        tasks: [{ name: 'work', status: 'working', done: 1, total: 3, updatedAtMs: nowMs }],
        integrity: { suspectFacts: 1, facts: 4, unreadRecords: 2 },
        memory: { ...emptyMemory, runs: 2, threads: 2, dormantThreads: 1, fadedFacts: 1, dreamtAtMs: minutes(45) },
      }),
      [{ slot: 'cases', items: 2 }],
    );
    expect(told.split('\n')).toEqual([
      '<sensorium>',
      '<clock now="2030-01-01 12:00 UTC" uptime="1 h 5 min" cycle="ork-1-c1" last_cycle="3 min ago"/>',
      '<situation input="task" queue_depth="0" conversation_depth="0" thread="weather — data/rain.csv"/>',
      '<run task="work" round="2" directive="Refine" distance="0.50" resources="0.25" time_left="1 min">',
      '<limit field="tokens" used="950" max="1000" spent="95%"/>',
      '<limit field="costUsd" used="0.40" max="0.50" spent="80%"/>',
      '</run>',
      '<vitals cycles_today="0" agents_active="1" success_rate="0.50" success_n="2" recall_rate="0.25" recall_n="4" cases_told_rate="0.50" cases_told_n="2" novelty="1" novelty_n="2">',
      '<failure task="old" outcome="Failed" at="2030-01-01 12:00 UTC"/>',
      '</vitals>',
      '<budgets>',
      '<budget field="tokensPerHour" used="10" max="100" spent="10%"/>',
      '<budget field="costUsdPerDay" used="0.25" max="1" spent="25%"/>',
      '</budgets>',
      '<approvals pending="1">',
      '<approval tool="send" task="other" waiting="7 min"/>',
      '</approvals>',
      '<questions pending="1">',
      '<question task="third" waiting="2 h 0 min"/>',
      '</questions>',
      '<gates tightening="0.85" outputs_held="for a person" outputs_rejected_in_row="3" probes_unanswered_in_row="4"/>',
      '<patterns count="1">',
      '<pattern name="ToolFailures" about="send" count="2" of="5"/>',
      '</patterns>',
      '<place time_zone="UTC" runs_on="cluster" pages="every public host"/>',
      '<sandbox state="ready" languages="bash python" network="listed hosts" root="no" seconds="60" processes="128" memory="512Mi" written="256Mi" hosts="1">',
      '<host name="pypi.org"/>',
      '</sandbox>',
      '<delegations count="1">',
      '<agent name="coder" task="other" turn="2/10" tokens="900" elapsed="1 min" last_tool="bash"/>',
      '</delegations>',
      '<events count="3" since_last_cycle="1">',
      '<event name="restart" title="the program started again" times="2" at="2030-01-01 11:00 UTC"/>',
      '<event name="person-answered" title="a question" at="2030-01-01 11:59 UTC" since_last_cycle="yes"/>',
      '</events>',
      '<tasks active="1">',
      '<task name="work" status="working" progress="1/3" updated="2030-01-01 12:00 UTC"/>',
      '</tasks>',
      '<integrity suspect_facts_7d="1" facts_examined_7d="4" unread_records="2"/>',
      '<meta_recommendations high_novelty="take a small first step and check it" tightened_gates="do what is asked and no more"/>',
      '<memory runs="2" threads="2" dormant_threads="1" cases="0" facts="0" faded_facts="1" artifacts="0" megrams="0" files="0" last_dream="45 min ago"/>',
      '<cut slot="cases" items="2"/>',
      '</sensorium>',
    ]);
  });

  verifies('sensorium:sections', 'says for which moment of its schedule a Task is', () => {
    const run = ownRun({ input: 'schedule', forMs: nowMs - 60_000, scheduledRun: 7 });
    expect(sensorium(view({ run }), [])).toContain(
      '<situation input="schedule" scheduled_for="2030-01-01 11:59 UTC" scheduled_run="7" queue_depth="0" ',
    );
  });

  verifies('sensorium:sections', 'says for which moment a job began it', () => {
    const run = ownRun({ input: 'job', forMs: nowMs - 60_000 });
    expect(sensorium(view({ run }), [])).toContain(
      '<situation input="job" scheduled_for="2030-01-01 11:59 UTC" queue_depth="0" ',
    );
  });

  const places: readonly (readonly [string, Parameters<typeof view>[0], RegExp])[] = [
    ['no sandbox by the manifest', { place: somewhere({ sandbox: 'off' }) }, /<sandbox state="off"\/>/],
    ['a sandbox that isolates nothing', { place: somewhere({ sandbox: 'down' }) }, /<sandbox state="down" /],
    ['one failed call', { place: somewhere(), codeFailedInRow: 1 }, /state="ready" .* failed_in_row="1"/],
    ['calls that fail in a row', { place: somewhere(), codeFailedInRow: 2 }, /state="failing" .* failed_in_row="2"/],
    ['code as root', { place: somewhere({ isRoot: true }) }, / network="none" root="yes" /],
    [
      'some pages',
      { place: somewhere({ pages: ['a.org', 'b.org', 'c.org', 'd.org'] }) },
      /pages="listed hosts" hosts="4">\n<host name="a\.org"\/>\n<host name="b\.org"\/>\n<host name="c\.org"\/>\n<\/place>/,
    ],
    [
      'a run that waits',
      { run: ownRun({ isClockStanding: true }) },
      /time_left="5 min" clock="stands while it waits"\/>/,
    ],
    ['no pages', { place: somewhere() }, /pages="none"/],
  ];
  for (const [what, changed, expected] of places)
    verifies('sensorium:place', `says ${what}`, () => {
      expect(sensorium(view(changed), [])).toMatch(expected);
    });

  verifies(
    'sensorium:sections',
    'shows what waits longest, the budgets that are most spent, and how many there are',
    () => {
      const many = [5, 4, 3, 2, 1];
      const told = sensorium(
        view({
          approvals: many.map((hours) => ({ tool: 'send', task: `t${hours}`, askedAtMs: nowMs - hours * 3_600_000 })),
          budgets: budgetFields.map((field, at) => ({ field, used: at, max: 9 })),
        }),
        [],
      );
      expect(told).toContain('<approvals pending="5">');
      expect(told.match(/<approval [^>]*task="(\w+)"/g)?.map((row) => row.slice(-4, -1))).toEqual([
        '"t5',
        '"t4',
        '"t3',
      ]);
      expect(told.match(/(?<=<budget field=")\w+/g)).toEqual(budgetFields.slice(2));
    },
  );

  const sinceMs = nowMs - 3_600_000;
  const restoring = { from: '0123456789abcdef0123456789abcdef01234567', asOfMs: sinceMs, restoredMs: nowMs };
  const copies: readonly (readonly [string, Parameters<typeof view>[0], string | undefined])[] = [
    ['copies that are current', {}, undefined],
    [
      'a commit that is late',
      { secondCopy: { late: { Commit: { why: 'Late', sinceMs } } } },
      '<backup commit="late" unsaved_since="2030-01-01 11:00 UTC"/>',
    ],
    [
      'a push that is late',
      { secondCopy: { late: { Push: { why: 'Late', sinceMs } } } },
      '<backup remote="late" unpushed_since="2030-01-01 11:00 UTC"/>',
    ],
    [
      'a remote that went elsewhere',
      { secondCopy: { late: { Push: { why: 'Diverged', sinceMs } } } },
      '<backup remote="another history" unpushed_since="2030-01-01 11:00 UTC"/>',
    ],
    [
      'a restoring',
      { secondCopy: { late: {}, restoring } },
      '<backup restored="2030-01-01 12:00 UTC" from_commit="0123456789ab" as_of="2030-01-01 11:00 UTC"/>',
    ],
  ];
  for (const [what, changed, expected] of copies)
    verifies('backup:in-state', `says ${expected === undefined ? 'nothing' : expected.slice(8, 24)} of ${what}`, () => {
      expect(/<backup .*\/>/.exec(sensorium(view(changed), []))?.[0]).toBe(expected);
    });

  const soon = { jobId: 'weekly', kind: 'Recurring', for: 'Agent', atMs: nowMs + 3_600_000 };
  const late = { jobId: 'call-ben', kind: 'Todo', for: 'Person', atMs: nowMs - 3_600_000 };
  verifies('cli-mail:state', 'counts letters where a mailbox was read, and says nothing of mail elsewhere', () => {
    const told = (changed: Parameters<typeof view>[0]): string => sensorium(view(changed), []);
    expect(told({ mail: { unread: 2, held: 1, unanswered: 3 } })).toContain(
      '<mail unread="2" held="1" unanswered="3"/>',
    );
    expect(told({})).not.toContain('<mail');
  });

  const calendars: readonly (readonly [string, Parameters<typeof view>[0], string | undefined])[] = [
    ['an empty calendar', {}, undefined],
    [
      'what comes next, what is overdue, and what fired and was skipped since it was told',
      {
        calendar: { active: 2, own: 1, paused: 1, next: [soon], overdue: [late], fired: 2, skipped: 40 },
      },
      '<schedule jobs="2" own="1" paused="1" overdue="1" fired_while_away="2" skipped_while_away="40">' +
        '<overdue job="call-ben" kind="todo" for="person" at="2030-01-01 11:00 UTC"/>' +
        '<next job="weekly" kind="recurring" for="agent" at="2030-01-01 13:00 UTC"/></schedule>',
    ],
  ];
  for (const [what, changed, expected] of calendars)
    verifies('jobs:in-state', `tells ${what}`, () => {
      const told = sensorium(view(changed), []).replaceAll(/\n\s*/g, '');
      expect(/<schedule .*<\/schedule>/.exec(told)?.[0]).toBe(expected);
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
