/** `retainer state` on a data directory that nobody works in. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedState } from '@retainer/agent-pod/review/state-records';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
let data = '';
beforeAll(async () => {
  data = await unpackGoldenRun('injection', root.path);
});
afterAll(() => root.remove());

const filesOf = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true })).toSorted();

describe('retainer state', () => {
  verifies('cli:state-as-told', 'tells it as lines, as data, and as the model reads it', async () => {
    const before = await filesOf(data);
    const [text, json, told] = [
      await retainerHere('state', '--data', data),
      await retainerHere('state', '--data', data, '-o', 'json'),
      await retainerHere('state', '--data', data, '--as-told'),
    ];
    expect([text.code, json.code, told.code]).toEqual([0, 0, 0]);
    const state = JSON.parse(json.text) as RecordedState;
    expect(state).toMatchObject({ agent: expect.stringMatching(/^default\/ada, retainer /), unread: [] });
    expect(state.view.runs.map(({ outcome }) => outcome)).toEqual([
      ...['Refused', 'Refused', 'Accepted', 'Accepted', 'Refused'],
    ]);
    expect(state.view.memory).toMatchObject({ artifacts: 1, megrams: 4 });
    const withoutClock = (lines: string): readonly string[] =>
      lines
        .trimEnd()
        .split('\n')
        .filter((line) => !/^<?clock /.test(line));
    expect(withoutClock(told.text)).toEqual(withoutClock(state.told));
    expect(text.text).toMatch(/^vitals +cycles_today \d+ · .* · success_rate 0\.40 · success_n 5 · /m);
    expect(text.text).toMatch(/^ {2}failure +task unheard · outcome Refused · at 2026-11-23 05:46 UTC$/m);
    expect(text.text).toMatch(/^runs +.* notice: Refused$/m);
    expect(await filesOf(data)).toEqual(before);
  });

  verifies('cli:state-as-told', 'says what keeps it from telling', async () => {
    const nowhere = await retainerHere('state', '--data', join(root.path, 'nowhere'));
    expect(nowhere).toMatchObject({ code: 1, text: expect.stringContaining('is no data directory') });
    const copy = join(root.path, 'copy');
    await cp(data, copy, { recursive: true });
    const [segment = ''] = (await readdir(join(copy, 'journal/run'))).filter((name) => name.endsWith('.jsonl'));
    const path = join(copy, 'journal/run', segment);
    await writeFile(path, (await readFile(path, 'utf8')).replace('notice', 'notife'));
    const damaged = await retainerHere('state', '--data', copy);
    expect(damaged).toMatchObject({
      code: 5,
      text: expect.stringContaining('store run, sequence 1: the bytes of this line'),
    });
    await rm(join(copy, 'journal/agent'), { recursive: true });
    const never = await retainerHere('state', '--watch', '--data', copy);
    expect(never).toMatchObject({ code: 1, text: expect.stringContaining('no start of an agent yet') });
  });
});
