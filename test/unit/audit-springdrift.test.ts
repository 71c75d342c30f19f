/** `retainer audit summary --format springdrift`: counts against those of a shell, and lines that are none. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SpringdriftAudit } from '@retainer/agent-pod/review/springdrift-files';
import { repositoryRoot } from '../support/repository-files.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

async function summaryOf(directory: string, ...flags: readonly string[]): Promise<SpringdriftAudit> {
  const given = ['audit', 'summary', directory, '--format', 'springdrift', '-o', 'json', ...flags];
  const { code, text } = await retainer(...given);
  expect(code).toBe(0);
  return JSON.parse(text) as SpringdriftAudit;
}

const logs = join(repositoryRoot, '../shared/data/springdrift-logs');

/** A number that a pipeline prints. @param script  in the directory of the logs, with the day as `$1` */
function shell(script: string, day: string): number {
  return Number(execFileSync('sh', ['-c', script, 'sh', day], { cwd: logs, encoding: 'utf8' }));
}

const ofType = (type: string): string => `grep -h '"type":"${type}"' cycle-log/$1*.jsonl`;
/** Sum of a member with a number. */
const sumOf = (member: string): string =>
  `${ofType('llm_response')} | sed 's/.*"${member}":\\([0-9]*\\).*/\\1/' | awk '{ sum += $1 } END { print sum + 0 }'`;
const countOf = (lines: string): string => `${lines} | wc -l`;

describe.skipIf(!existsSync(logs))('two days of another system (skipped where ../shared/data is not there)', () => {
  verifies('audit-view:springdrift', 'count what grep and awk count, day by day', async () => {
    const { days, all, malformedLines } = await summaryOf(logs);
    expect(malformedLines).toBe(0);
    expect(days.map(({ day }) => day)).toEqual(['2026-03-28', '2026-03-29']);
    for (const it of [...days, all]) {
      const day = it.day === 'all' ? '' : it.day;
      const count = (script: string): number => shell(script, day);
      const ids = `grep -oh '"cycle_id":"[^"]*"' cycle-log/$1*.jsonl | sort -u`;
      expect(it.cycles.count).toBe(count(countOf(ids)));
      expect(it.models.answers).toBe(count(countOf(ofType('llm_response'))));
      expect(it.models.tokensIn).toBe(count(sumOf('input_tokens')));
      expect(it.models.tokensOut).toBe(count(sumOf('output_tokens')));
      expect(it.calls.count).toBe(count(countOf(ofType('tool_call'))));
      expect(it.calls.failed).toBe(count(`${ofType('tool_result')} | grep -c '"success":false' || true`));
      expect(it.runs.count).toBe(count('cat narrative/$1*.jsonl | wc -l'));
      for (const status of ['success', 'partial', 'failure'])
        expect(it.runs.outcomes[status]).toBe(
          count(`cat narrative/$1*.jsonl | grep -c '"outcome":{"status":"${status}"'`),
        );
      const verdicts = Object.entries(it.verdicts).filter(([gate]) => gate !== 'tool');
      for (const [gate, tally] of verdicts)
        for (const [decision, told] of Object.entries(tally))
          expect(told).toBe(count(`${ofType('dprime_layer')} | grep -c '"layer":"${gate}","decision":"${decision}"'`));
      for (const [decision, told] of Object.entries(it.verdicts['tool'] ?? {}))
        expect(told).toBe(count(`${ofType('dprime_evaluation')} | grep -c '"decision":"${decision}"'`));
    }
  });

  it('are cut to the days that are asked for', async () => {
    expect((await summaryOf(logs, '--days', '1')).days.map(({ day }) => day)).toEqual(['2026-03-29']);
    expect((await summaryOf(logs, '--to', '2026-03-28')).days.map(({ day }) => day)).toEqual(['2026-03-28']);
  });
});

describe('retainer audit summary --format springdrift', () => {
  const at = '"cycle_id":"c1","timestamp":"2026-04-01T10:00:00"';
  const lines = [
    `{"type":"human_input",${at}}`,
    'no json',
    `{"type":"llm_response",${at},"input_tokens":10,"output_tokens":2}`,
    `{"type":"llm_response",${at},"input_tokens":"many","output_tokens":2}`,
    '',
    `{"type":"tool_call","cycle_id":"c1","timestamp":"yesterday"}`,
    `{"type":"something_new",${at}}`,
    '[1]',
  ];

  verifies(
    'audit-view:springdrift-malformed',
    'counts a malformed line and tells it with its file and number',
    async () => {
      const directory = join(root.path, 'logs');
      mkdirSync(join(directory, 'memory', 'cycle-log'), { recursive: true });
      mkdirSync(join(directory, 'memory', 'narrative'));
      const file = join(directory, 'memory', 'cycle-log', '2026-04-01.jsonl');
      const entries = join(directory, 'memory', 'narrative', '2026-04-01.jsonl');
      writeFileSync(file, lines.join('\n'));
      writeFileSync(entries, `{${at},"outcome":{"status":"success"}}\n{${at}}\n`);
      const { all, malformed, malformedLines, lines: types } = await summaryOf(directory);
      expect(malformed.map(({ file: at, line }) => [at, line])).toEqual([
        [file, 2],
        [file, 4],
        [file, 6],
        [file, 8],
        [entries, 2],
      ]);
      expect(malformedLines).toBe(5);
      expect(types).toEqual({ human_input: 1, llm_response: 1, something_new: 1 });
      expect(all).toMatchObject({
        runs: { count: 1, outcomes: { success: 1 } },
        cycles: { count: 1 },
        models: { answers: 1, tokensIn: 10, tokensOut: 2, isCostComplete: false },
      });
      const { code, text } = await retainer('audit', 'summary', directory, '--format', 'springdrift');
      expect(code).toBe(0);
      expect(text).toContain(`${file}, line 2: malformed: it is no JSON\n`);
      expect(text).toMatch(/line 4: malformed: input_tokens: /);
      expect(text).toMatch(/\n5 malformed lines not counted\n$/);
    },
  );

  it('refuses a directory without such logs, and none', async () => {
    const empty = join(root.path, 'empty');
    mkdirSync(empty);
    const none = await retainer('audit', 'summary', empty, '--format', 'springdrift');
    expect(none).toMatchObject({ code: 1, text: expect.stringContaining('has no such logs') });
    expect((await retainer('audit', 'summary', '--format', 'springdrift')).code).toBe(1);
  });
});
