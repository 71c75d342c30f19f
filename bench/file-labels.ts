/**
 * What the labels of files cost each tool call: `npm run bench:file-labels`.
 *
 * The real tools, over a workspace of 1,000 files of which the record trusts half, with the real record. Beside each call stands the
 * same work on the plain file system, on the same volume in the same run. A label is found while the call runs; a changed file is a
 * record more, whose durable append is told apart.
 */
import { startOfParts } from '@retainer/mind/parts/derived';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { Files } from '@retainer/mind/parts/files/files';
import { openJournal } from '@retainer/journal/open-journal';
import type { Journal } from '@retainer/journal/journal';
import { fileRecords } from '@retainer/agent-pod/loop/file-records';
import { MemoryWriter } from '@retainer/agent-pod/loop/memory-writer';
import { ProjectedJournal } from '@retainer/agent-pod/loop/projected-journal';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { FilesPort, Permit } from '@retainer/agent-pod/ports/tool';
import { sha256Hex } from '@retainer/contract/std/hash';
import { systemClock } from '@retainer/contract/std/system-clock';
import { observed } from '../test/support/observed.ts';
import { createExecutor, type Executor } from '../agent-pod/src/tools/execute.ts';
import { createRegistry } from '../agent-pod/src/parts/catalog.ts';
import { WorkspaceLabels } from '../agent-pod/src/tools/workspace-labels.ts';
import { bySize } from './bench-size.ts';
import { fail, quantile, row } from './figures.ts';

const FILES = bySize({ smoke: 200, full: 1_000 });
const FILE_BYTES = 4_096;
const LARGE_BYTES = 1_048_576;
/** Of a call about one file, and about all of them. */
const ROUNDS = bySize({ smoke: { One: 20, All: 3 }, full: { One: 200, All: 15 } });
const WARM_ROUNDS = bySize({ smoke: 1, full: 5 });
const GOAL_MS = 0.5;
/** Longer than a changed file is hashed anew at each look. */
const SETTLE_MS = 150;

const LINE = 'a line of an ordinary file, such as there are many\n';
const textOf = (at: number): string => `file ${at}\n${LINE.repeat(FILE_BYTES / LINE.length)}`.slice(0, FILE_BYTES);
const nameOf = (at: number): string => `part-${at % 20}/file-${at}.txt`;

/** Milliseconds that one call spends on labels: the outermost call of `WorkspaceLabels` counts, and the records of files. */
const spent = { labelMs: 0, recordMs: 0, depth: 0 };

function timedLabel(work: () => unknown): unknown {
  const startMs = performance.now();
  spent.depth += 1;
  const end = (): void => {
    spent.depth -= 1;
    if (spent.depth === 0) spent.labelMs += performance.now() - startMs;
  };
  const found = work();
  if (found instanceof Promise) return found.finally(end);
  end();
  return found;
}

function watchLabels(): void {
  for (const name of ['ofRead', 'ofEntry', 'ofPath', 'ofBytes', 'ofNames'] as const) {
    const original: unknown = Reflect.get(WorkspaceLabels.prototype, name);
    if (typeof original !== 'function') fail(new Error(`${name} is gone`));
    Reflect.set(WorkspaceLabels.prototype, name, function (this: unknown, ...given: readonly unknown[]) {
      return timedLabel(() => Reflect.apply(original, this, given));
    });
  }
}

interface Place {
  readonly workspace: string;
  readonly journal: Journal;
  readonly executor: Executor;
}

const registry = createRegistry({ sandboxLanguages: ['bash'] });

/** Nothing runs: what a program sees is found before. */
const sandbox: SandboxPort = {
  probe: () => Promise.resolve({ ok: true, value: { description: 'none', languages: ['bash'] } }),
  run: () => Promise.resolve({ end: 'Exited', exitCode: 0, stdout: '', stderr: '', droppedBytes: 0, durationMs: 0 }),
  lookup: () => Promise.resolve(undefined),
};

async function openPlace(directory: string): Promise<Place> {
  const workspace = join(directory, 'workspace');
  const journal = await openJournal({
    ...{ directory: join(directory, 'journal'), stores: agentStores, agentUid: 'bench', clock: systemClock },
  });
  const files = recordedFiles(journal);
  await fill(workspace, files);
  const gate = compileGate({}, 'bench', registry.known);
  const executor = createExecutor({
    ...{ registry, clock: systemClock, workspaceDirectory: workspace, sandbox, files },
    gate: gate.ok ? gate.value : fail(new Error(gate.error.join('; '))),
    facts: { write: () => Promise.resolve(undefined), read: () => [] },
    artifacts: { put: ({ text }) => Promise.resolve(sha256Hex(text)), read: () => Promise.resolve(undefined) },
    recall: { search: () => Promise.resolve([]) },
    parts: { known: startOfParts, write: () => Promise.resolve() },
    self: observed({}),
    holdsSecret: () => false,
    deniedBefore: () => ({}),
    accepted: (permit) => permit,
    approval: () => undefined,
  });
  return { workspace, journal, executor };
}

function recordedFiles(journal: Journal): FilesPort {
  const projected = new ProjectedJournal(journal);
  const memory = new MemoryWriter((records) => projected.append(records));
  const known = (): Files => projected.known.files;
  return {
    known,
    addedBy: () => ({ files: 0, bytes: 0 }),
    record: async (changes, by) => {
      const startMs = performance.now();
      await memory.write('Tools', fileRecords(changes, by, known()));
      spent.recordMs += performance.now() - startMs;
    },
  };
}

async function fill(workspace: string, files: FilesPort): Promise<void> {
  const names = Array.from({ length: FILES }, (_, at) => nameOf(at));
  const texts = new Map([
    ...names.map((name, at) => [name, textOf(at)] as const),
    ['large.txt', LINE.repeat(LARGE_BYTES / LINE.length)],
  ]);
  for (const name of names) await mkdir(join(workspace, name, '..'), { recursive: true });
  for (const [name, text] of texts) await writeFile(join(workspace, name), text);
  const trusted = [...texts].filter((_, at) => at % 2 === 0);
  const changes = trusted.map(([path, text]) => ({ path, sizeBytes: text.length, sha256: sha256Hex(text) }));
  const label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] } as const;
  await files.record({ files: changes, gone: [], label, why: 'Program' }, { runId: 'r', cycleId: 'c', callId: 'call' });
  await pause(SETTLE_MS);
}

let calls = 0;

async function callTool(executor: Executor, tool: string, input: object): Promise<void> {
  calls += 1;
  const parsed = registry.parse(tool, input);
  const permit: Permit = {
    ...{ callId: `call-${calls}`, cycleId: 'cycle', runId: 'run', tool, input, agent: 'executor', autonomous: false },
    argumentsDigest: parsed.ok ? parsed.value.argumentsDigest : fail(new Error(parsed.error)),
    read: { items: [], addresses: [], instructions: [] },
  };
  const { status, text } = await executor.execute(permit, new AbortController().signal);
  if (status !== 'Ok') fail(new Error(`${tool}: ${text}`));
}

interface Measured {
  readonly name: string;
  readonly files: keyof typeof ROUNDS;
  readonly tool: string;
  readonly input: (round: number) => object;
  /** The same on the file system, with nothing around it. */
  readonly raw: (workspace: string, round: number) => Promise<unknown>;
}

async function walk(workspace: string): Promise<readonly string[]> {
  const entries = await readdir(workspace, { recursive: true, withFileTypes: true });
  const paths = entries.map((it) => join(it.parentPath, it.name));
  for (const path of paths) await lstat(path);
  return entries.flatMap((it, at) => (it.isFile() ? [paths[at] ?? ''] : []));
}

async function readAll(workspace: string): Promise<void> {
  for (const path of await walk(workspace)) (await readFile(path, 'utf8')).includes('absent');
}

const measured: readonly Measured[] = [
  {
    name: 'read_file, 4 KiB',
    files: 'One',
    tool: 'read_file',
    input: (round) => ({ path: nameOf((round * 2) % FILES) }),
    raw: (workspace, round) => readFile(join(workspace, nameOf((round * 2) % FILES)), 'utf8'),
  },
  {
    name: 'read_file, 1 MiB',
    files: 'One',
    tool: 'read_file',
    input: () => ({ path: 'large.txt' }),
    raw: (workspace) => readFile(join(workspace, 'large.txt'), 'utf8'),
  },
  {
    name: 'write_file, 4 KiB',
    files: 'One',
    tool: 'write_file',
    input: (round) => ({ path: `out/new-${round}.txt`, content: textOf(round) }),
    raw: (workspace, round) => writeFile(join(workspace, 'out', `raw-${round}.txt`), textOf(round)),
  },
  {
    name: 'edit_file, 4 KiB',
    files: 'One',
    tool: 'edit_file',
    input: (round) => ({ path: `out/new-${round}.txt`, edits: [{ old: `file ${round}\n`, new: 'changed\n' }] }),
    raw: async (workspace, round) => {
      const path = join(workspace, 'out', `raw-${round}.txt`);
      await writeFile(path, (await readFile(path, 'utf8')).replace(`file ${round}\n`, 'changed\n'));
    },
  },
  { name: 'list_files, all', files: 'All', tool: 'list_files', input: () => ({}), raw: walk },
  { name: 'find_files, all', files: 'All', tool: 'find_files', input: () => ({ glob: '**/*.txt' }), raw: walk },
  { name: 'search_files, all', files: 'All', tool: 'search_files', input: () => ({ pattern: 'file 7' }), raw: readAll },
  { name: 'bash: what it sees of all', files: 'All', tool: 'bash', input: () => ({ script: 'true' }), raw: walk },
];

async function measure({ executor, workspace }: Place, { name, files, tool, input, raw }: Measured): Promise<void> {
  const times = { raw: [] as number[], call: [] as number[], label: [] as number[], record: [] as number[] };
  for (let round = 0; round < ROUNDS[files] + WARM_ROUNDS; round += 1) {
    Object.assign(spent, { labelMs: 0, recordMs: 0 });
    const startMs = performance.now();
    await callTool(executor, tool, input(round));
    const calledMs = performance.now();
    await raw(workspace, round);
    const rawMs = performance.now() - calledMs;
    if (round < WARM_ROUNDS) continue;
    times.raw.push(rawMs);
    times.call.push(calledMs - startMs);
    times.label.push(spent.labelMs);
    times.record.push(spent.recordMs);
  }
  const shown = (values: readonly number[]): string => quantile(values, 0.5).toFixed(3);
  const beside = `whole call ${shown(times.call)} ms, plain file system ${shown(times.raw)} ms`;
  const record = quantile(times.record, 0.5) === 0 ? '' : `, durable record ${shown(times.record)} ms`;
  const isMissed = quantile(times.label, 0.5) > GOAL_MS ? ' MISSED' : '';
  row(`labels of ${name}, p50`, `${shown(times.label)} ms`, `goal ≤ ${GOAL_MS} ms${isMissed}; ${beside}${record}`);
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
const place = await openPlace(directory);
watchLabels();
try {
  for (const one of measured) await measure(place, one);
} finally {
  await place.journal.close();
  await rm(directory, { recursive: true, force: true });
}
