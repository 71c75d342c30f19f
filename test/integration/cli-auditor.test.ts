/** The auditor that `retainer run` starts beside the agent. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { systemClock } from '@retainer/contract/std/system-clock';
import { endAll, examplesPath, startRetainer } from '../support/retainer-command.ts';
import { readKeptHeads } from '../../cli/src/kept-heads.ts';
import { openJournalReader } from '@retainer/journal/open-reader';
import { applyRepair } from '@retainer/journal/repair';
import { forgetTestimony, readSegments, rewriteRecord, writeSegment } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const LOOK_AGAIN_MS = 50;

beforeAll(async () => {
  await cp(examplesPath, manifests, { recursive: true });
  const tasks = parseAllDocuments(await readFile(join(manifests, 'tasks.yaml'), 'utf8'));
  await writeFile(join(manifests, 'tasks.yaml'), String(tasks[0]));
});
afterAll(() => {
  endAll();
  return root.remove();
});

/** Programs that were started with this text among their arguments. */
function programsWith(text: string): readonly number[] {
  const all = readdirSync('/proc').filter((it) => /^\d+$/.test(it));
  return all.map(Number).filter((pid) => commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await systemClock.sleep(LOOK_AGAIN_MS);
}

verifies('cli:auditor-beside-agent', 'and tells a record that was changed in place', async () => {
  const data = join(root.path, 'watched');
  const own = join(data, 'auditor');
  const started = startRetainer(['run', '-f', manifests, '--data', data, '--watch'], { isAudited: true });
  await started.says('watching the manifests');
  expect(programsWith(own)).toHaveLength(1);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  await until(() => keptSeq(own) > 10);
  const [{ file } = { file: '' }] = readSegments(join(data, 'journal'), 'run');
  const segment = openSync(join(data, 'journal', 'run', file), 'r+');
  writeSync(segment, '!', 700);
  closeSync(segment);
  await started.says('auditor: ChainBroken: store run');
  started.child.kill('SIGINT');
  await started.ended;
  expect(programsWith(own)).toEqual([]);
});

function keptSeq(own: string): number {
  const text = existsSync(join(own, 'positions.json')) ? readFileSync(join(own, 'positions.json'), 'utf8') : '{}';
  const { stores = [] }: { stores?: readonly { store: string; settled: { lastSeq: number } }[] } = JSON.parse(text);
  return stores.find(({ store }) => store === 'run')?.settled.lastSeq ?? -1;
}

verifies('cli:auditor-beside-agent', 'and ends with it, also where that is killed', async () => {
  const data = join(root.path, 'killed');
  const started = startRetainer(['run', '-f', manifests, '--data', data, '--watch'], { isAudited: true });
  await started.says('watching the manifests');
  started.child.kill('SIGKILL');
  await started.ended;
  await until(() => programsWith(join(data, 'auditor')).length === 0);
});

verifies('cli:auditor-beside-agent', 'but none where there is to be none', async () => {
  const data = join(root.path, 'alone');
  const { code } = await startRetainer(['run', '-f', manifests, '--data', data, '--no-auditor'], { isAudited: true })
    .ended;
  expect(code).toBe(0);
  expect(existsSync(join(data, 'auditor'))).toBe(false);
});

verifies(
  'audit:heads-never-forgotten',
  'though a run of a moment made them, and a later run took the forgery up',
  async () => {
    const data = join(root.path, 'forged');
    const [journal, own] = [join(data, 'journal'), join(data, 'auditor')];
    const run = (): ReturnType<typeof startRetainer>['ended'] =>
      startRetainer(['run', '-f', manifests, '--data', data], { isAudited: true }).ended;
    expect((await run()).code).toBe(0);
    const kept = (await readKeptHeads(own)) ?? [];
    for (const store of ['system', 'cycle', 'file', 'run']) {
      const lines = readSegments(journal, store).flatMap((it) => it.lines);
      expect(kept.filter((head) => head.store === store).at(-1)?.seq, store).toBe(lines.length - 1);
    }
    rewriteRecord(journal, 'cycle', 3, (record) => ({ ...record, principal: 'human:mallory' }));
    // Nothing of the record itself contradicts it any more.
    forgetTestimony(journal);
    for (let opening = 0; opening < 2; opening += 1) {
      const { code, stderr } = await run();
      expect([code, stderr]).toEqual([0, expect.stringContaining('auditor: SuffixRewritten: store cycle')]);
    }
    expect((await startRetainer(['journal', 'verify', data]).ended).code).toBe(0);
    expect((await startRetainer(['journal', 'verify', data, '--heads', own]).ended).code).toBe(8);
  },
);

verifies(
  'cli:acknowledge-at-work',
  'a gap, taken up by the auditor without a restart, under name and reason',
  async () => {
    const data = join(root.path, 'acknowledged');
    expect((await startRetainer(['run', '-f', manifests, '--data', data], { isAudited: true }).ended).code).toBe(0);
    const journal = join(data, 'journal');
    const [{ file, lines } = { file: '', lines: [] }] = readSegments(journal, 'cycle');
    const changed = lines.map((line, at) => (at === 5 ? line.replace('"principal":"', '"principal":"x') : line));
    writeSegment(journal, 'cycle', file, changed);
    await applyRepair({ directory: journal, principal: 'human:ada', nowMs: Date.now() });
    const started = startRetainer(['run', '-f', manifests, '--data', data, '--watch'], { isAudited: true });
    await started.says('auditor: GapRecorded: store cycle, sequence 5');
    const [auditor] = programsWith(join(data, 'auditor'));
    const acknowledge = (place: string): ReturnType<typeof startRetainer>['ended'] =>
      startRetainer(['journal', 'acknowledge', place, '--data', data, '--reason', 'a bad sector']).ended;
    for (const [place, why] of [
      ['cycle/6', 'cycle/6 is no gap; gaps of the store: cycle/5'],
      ['run/5', 'run/5 is no gap; store run has none'],
      ['cicle/5', 'no store cicle; stores: '],
    ] as const)
      expect(await acknowledge(place)).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
    expect(await acknowledge('cycle/5')).toMatchObject({ code: 0, stdout: expect.stringContaining('is acknowledged') });
    await started.says('auditor: GapAcknowledged: store cycle, sequence 5');
    expect(programsWith(join(data, 'auditor'))).toEqual([auditor]);
    started.child.kill('SIGINT');
    await started.ended;
    const reader = await openJournalReader({ directory: join(data, 'auditor', 'record'), clock: systemClock });
    const words: unknown[] = [];
    for await (const { kind, payload } of reader.read('audit')) if (kind === 'HeadsSetAside') words.push(payload);
    const by = expect.stringMatching(/./);
    expect(words).toMatchObject([{ store: 'cycle/5', reason: 'a bad sector', by }]);
  },
);
