/** Packs the record of a data directory as a recorded run, with the stories of its runs. Never over one that is there. */
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listRuns, openRecords } from '@retainer/agent-pod/review/run-records';
import { repositoryRoot } from './repository-files.ts';
import { retainer } from './retainer-command.ts';

/** Reserve of space and lock of the process that wrote: no part of the record. */
const LEFT_OUT: ReadonlySet<string> = new Set(['ballast', 'lock']);

/**
 * @param data  of a program that has ended
 * @param golden  a directory without a `journal`
 * @param scratch  the directory that the record must not name
 * @throws where something is recorded already, and where the record tells of the machine, its user or its key
 */
export async function keepGoldenRun(data: string, golden: string, scratch = data): Promise<void> {
  if (await isThere(join(golden, 'journal')))
    throw new Error(`${golden} is recorded already, and is never recorded anew`);
  const journal = join(data, 'journal');
  for (const entry of await readdir(journal, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || LEFT_OUT.has(entry.name)) continue;
    const bytes = await readFile(path);
    // The journal packs its blobs itself.
    refuseTraces(path, (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString(), scratch);
    const packed = `${join(golden, path.slice(data.length))}.gz`;
    await mkdir(dirname(packed), { recursive: true });
    await writeFile(packed, gzipSync(bytes, { level: 9 }));
  }
  for (const { task } of await listRuns(await openRecords(data))) {
    const { code, stdout, stderr } = await retainer('explain', task, '--data', data);
    if (code !== 0) throw new Error(stderr);
    refuseTraces(`the story of ${task}`, stdout, scratch);
    await writeFile(join(golden, `explain-${task}.txt`), stdout);
  }
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** What would say on which machine, by whom and with which key it was recorded. */
function refuseTraces(path: string, text: string, scratch: string): void {
  const { username } = userInfo();
  const key = process.env['ANTHROPIC_API_KEY']?.trim() ?? '';
  const traces = [scratch, repositoryRoot, homedir(), hostname(), `human:${username}`, `"by":"${username}"`];
  const found = traces.filter((it) => text.includes(it));
  if (key !== '' && text.includes(key)) found.push('the API key');
  if (found.length > 0) throw new Error(`${path} holds ${found.join(', ')}`);
}
