/** `retainer jobs` on a record that was written by hand. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { JobStory, RecordedJob } from '@retainer/agent-pod/review/job-records';
import type { NewRecord } from '@retainer/journal/journal';
import { jobOfPeople } from '../support/job-words.ts';
import { jobRecord, WEB_WORDS, writeRecords } from '../support/recorded-jobs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const MADE = at('2030-03-01T09:00');
const cron = { type: 'Cron', cron: '0 8 * * *', timeZone: 'Europe/Berlin' } as const;
const agent = { kind: 'Agent', runId: 'tidy-run' } as const;
const noon = at('2030-03-02T12:00');

const records: readonly NewRecord[] = [
  jobRecord(MADE, 'JobCreated', jobOfPeople('daily', { when: cron, requiredTools: ['read_file'], tags: ['news'] })),
  jobRecord(
    MADE,
    'JobCreated',
    jobOfPeople(
      'follow-up',
      { words: 'Look again\nat a.csv.', when: { ...cron, cron: '0 3 * * 1', runsMax: 4 } },
      { source: 'FollowUp', maker: agent, label: WEB_WORDS, reason: 'three runs failed so', because: ['r-1', 'r-2'] },
    ),
  ),
  jobRecord(
    MADE,
    'JobCreated',
    jobOfPeople(
      'milk',
      { kind: 'Reminder', for: 'Person', words: 'Buy milk.', when: { type: 'Moment', atMs: noon } },
      { source: 'Tool', maker: { kind: 'Person', runId: 'ask-run' } },
    ),
  ),
  jobRecord(
    MADE,
    'JobCreated',
    jobOfPeople('taxes', { kind: 'Todo', for: 'Person', when: { type: 'Open', dueAtMs: noon } }, { source: 'Tool' }),
  ),
  jobRecord(MADE, 'JobCreated', jobOfPeople('old')),
  jobRecord(MADE, 'JobCancelled', { jobId: 'old', reason: 'not needed', by: 'bob', originId: 'o1' }),
  jobRecord(at('2030-03-02T07:02'), 'JobFired', { jobId: 'daily', momentMs: at('2030-03-02T07:00'), runId: 'd-1' }),
  jobRecord(at('2030-03-02T07:05'), 'JobEnded', {
    ...{ jobId: 'daily', momentMs: at('2030-03-02T07:00'), runId: 'd-1', outcome: 'Failed' },
    why: 'its run did not call read_file with success',
  }),
  jobRecord(at('2030-03-05T06:00'), 'JobSkipped', {
    ...{ jobId: 'daily', why: 'Missed', count: 2, firstMs: at('2030-03-03T07:00'), lastMs: at('2030-03-04T07:00') },
    nextAtMs: at('2030-03-05T07:00'),
  }),
  jobRecord(at('2030-03-04T02:01'), 'JobDeferred', {
    ...{
      jobId: 'follow-up',
      momentMs: at('2030-03-04T02:00'),
      why: 'Budget',
      field: 'costUsdPerDay',
      untilMs: at('2030-03-04T02:30'),
    },
  }),
  jobRecord(noon, 'JobFired', { jobId: 'milk', momentMs: noon }),
  jobRecord(noon, 'JobEnded', { jobId: 'milk', momentMs: noon, outcome: 'Delivered' }),
];

const root = temporaryDirectory();
const data = join(root.path, 'data');
beforeAll(async () => {
  mkdirSync(data);
  await writeRecords(data, records);
});
afterAll(() => root.remove());

/** However wide the column of the labels is. */
const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
const jobs = (...words: readonly string[]) => retainerHere('jobs', ...words, '--data', data);

describe('retainer jobs list', () => {
  verifies(
    'cli-jobs:told',
    'has a row for each job that is not over, with its moment in its zone and in UTC',
    async () => {
      const { code, text } = await jobs('list');
      expect(code).toBe(0);
      const rows = text.split('\n').map((line) => line.split(/ {2,}/));
      expect(rows.slice(0, 4)).toEqual([
        ['id', 'name', 'kind', 'for', 'status', 'next', 'last', 'made by', 'waits'],
        [
          ...['daily', 'daily', 'Recurring', 'Agent', 'Active', '2030-03-05 08:00 Europe/Berlin (07:00 UTC)'],
          ...['Failed, 2030-03-02 07:00 UTC', 'manifest'],
        ],
        [
          ...['follow-up', 'follow-up', 'Recurring', 'Agent', 'Active', '2030-03-04 03:00 Europe/Berlin (02:00 UTC)'],
          'agent (follow-up)',
          'because too little is left of budgets.costUsdPerDay, until 2030-03-04 02:30 UTC',
        ],
        [
          ...[
            'taxes',
            'taxes',
            'Todo',
            'Person',
            'Active',
            'due 2030-03-02 12:00 UTC',
            'person',
            'for whoever does it',
          ],
        ],
      ]);
      expect(text).toContain('3 jobs; 2 that are over with --all\n');
      expect(text).toContain(`look at one with: retainer jobs show ID --data ${data}\n`);
    },
  );

  verifies('cli-jobs:told', 'has those that are over on request, and the same for programs', async () => {
    const { text } = await jobs('list', '--all', '-o', 'json');
    const listed = JSON.parse(text) as readonly RecordedJob[];
    expect(listed.map(({ jobId, status, nextAtMs }) => [jobId, status, nextAtMs])).toEqual([
      ['daily', 'Active', at('2030-03-05T07:00')],
      ['follow-up', 'Active', at('2030-03-04T02:00')],
      ['milk', 'Done', undefined],
      ['taxes', 'Active', undefined],
      ['old', 'Cancelled', undefined],
    ]);
  });
});

describe('retainer jobs show', () => {
  verifies(
    'cli-jobs:told',
    'tells who made a job and why, what it served and skipped, and what may be typed',
    async () => {
      const { code, text } = await jobs('show', 'daily');
      expect(code).toBe(0);
      for (const line of [
        '  when  0 8 * * * in Europe/Berlin; missed moments: Once',
        '  made by  people, by the manifest of the Agent, 2030-03-01 09:00 UTC (job/1)',
        '  label  trusted, words of a person, for the owner',
        '  must call  read_file',
        '  counts  1 moment served, 1 of them in vain; 2 moments skipped',
        '  served  2030-03-02 07:00 UTC  run d-1, 2 min 00 s late: Failed, because its run did not call read_file with success',
        '  skipped  2 moments, 2030-03-03 07:00 UTC to 2030-03-04 07:00 UTC: nobody was there to serve them; the next was 2030-03-05 07:00 UTC',
        `  retainer explain d-1 --data ${data}`,
        `  retainer jobs pause daily --reason TEXT --data ${data}`,
        `  retainer jobs run-now daily --reason TEXT --data ${data}`,
        `  retainer jobs cancel daily --reason TEXT --data ${data}`,
      ])
        expect(linesOf(text)).toContain(line);
    },
  );

  verifies('cli-jobs:told', 'tells of a job of its own whose words it holds, and which records led to it', async () => {
    const { text } = await jobs('show', 'follow');
    for (const line of [
      '  words  Look again',
      '  at a.csv.',
      '  when  0 3 * * 1 in Europe/Berlin, 4 runs at most; missed moments: Once',
      '  made by  the agent in run tidy-run, for a reason that code found, 2030-03-01 09:00 UTC (job/2)',
      '  reason  three runs failed so',
      '  because of  r-1, r-2',
      '  label  untrusted, words of the web (example.org), for the owner',
    ])
      expect(linesOf(text)).toContain(line);
  });

  verifies('cli-jobs:told', 'tells who ended one that is over, and proposes no word about it', async () => {
    const { text } = await jobs('show', 'old');
    expect(text).toMatch(/^ {2}status +Cancelled by bob: not needed$/m);
    expect(text).not.toContain('--reason TEXT');
    const story = JSON.parse((await jobs('show', 'old', '-o', 'json')).text) as JobStory;
    expect(story.words).toEqual([{ word: 'Cancelled', atMs: MADE, by: 'bob', reason: 'not needed' }]);
  });

  verifies('cli-jobs:told', 'names what there is for an unknown id', async () => {
    expect(await jobs('show', 'weekly')).toEqual({
      code: 1,
      text: 'no job "weekly"; jobs: daily, follow-up, taxes, old, milk\n',
    });
  });
});

describe('a word about a job', () => {
  const spooled = (): readonly string[] => {
    try {
      return readdirSync(join(data, 'spool')).map((name) => readFileSync(join(data, 'spool', name), 'utf8'));
    } catch {
      return [];
    }
  };

  verifies('cli-jobs:word', 'is refused in a sentence where it means nothing, and leaves nothing', async () => {
    const because = ['--reason', 'x'] as const;
    for (const [words, says] of [
      [['pause', 'old', ...because], /^old is over \(Cancelled by bob: not needed\), so nothing can be said about it/],
      [['cancel', 'milk', ...because], /^milk is over \(Done\), so nothing/],
      [['resume', 'daily', ...because], /^daily is not paused$/m],
      [['run-now', 'nothing', ...because], /^no job "nothing"; jobs: /],
      [['pause', 'daily', '--reason', ' '], /^--reason must say why/],
      [['pause', 'daily'], /required option '--reason <text>'/],
    ] as const)
      expect(await jobs(...words), words.join(' ')).toEqual({ code: 1, text: expect.stringMatching(says) });
    expect(spooled()).toEqual([]);
  });

  verifies('cli-jobs:word', 'is left for the agent with who and why, and says how to take it back', async () => {
    const { code, text } = await jobs('pause', 'daily', '--reason', 'too noisy');
    expect(code).toBe(0);
    expect(text).toContain(`its moments pass until retainer jobs resume daily --reason TEXT --data ${data};`);
    expect(spooled().map((it) => JSON.parse(it) as object)).toEqual([
      { type: 'PauseJob', jobId: 'daily', reason: 'too noisy', by: userInfo().username },
    ]);
  });
});
