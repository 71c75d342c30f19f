/** What the programs of a run add to the workspace: counted over restarts, and cleared at its end where it is scratch. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { SandboxChanges, SandboxRequest } from '@retainer/agent-pod/ports/sandbox-run';
import type { JournalRecord } from '@retainer/journal/journal';
import { agentDefinition, characterSpec, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { changesSince, contentsOf } from '../support/workspace-changes.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

/** Two programs, and between them a call that waits for a person. */
const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: the first program
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: bash, input: {script: first}}]}
  - name: a call that waits for a person
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: the second program
    when: {role: executor, turn: 3}
    answer: {calls: [{tool: bash, input: {script: second}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const FIRST = { 'out/sum.txt': '6', '.cache/a.bin': '11', '.cache/deep/b.bin': '222' };
const ADDED = { files: 3, bytes: 6, scratch: ['.cache'] };

/** Writes the files of the first program, and says what it added as a real one does. */
class WritingSandbox implements SandboxPort {
  readonly requests: SandboxRequest[] = [];

  probe(): ReturnType<SandboxPort['probe']> {
    return Promise.resolve({ ok: true, value: { description: 'in memory', languages: ['bash'] } });
  }

  async run(request: SandboxRequest): ReturnType<SandboxPort['run']> {
    this.requests.push(request);
    const { workspaceDirectory, script: program } = request;
    const before = contentsOf(workspaceDirectory);
    if (program === 'first')
      for (const [path, text] of Object.entries(FIRST)) {
        const place = join(workspaceDirectory, path);
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, text);
      }
    const made: SandboxChanges = changesSince(workspaceDirectory, before);
    const changes = program === 'first' ? { ...made, added: ADDED } : made;
    return { end: 'Exited', exitCode: 0, stdout: '', stderr: '', droppedBytes: 0, durationMs: 1, changes };
  }

  lookup(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

class Life {
  readonly records: JournalRecord[] = [];
  readonly sandbox = new WritingSandbox();
  readonly workspace: string;
  readonly #directory: string;
  readonly #listeners = new Set<() => void>();

  constructor(directory: string) {
    this.#directory = directory;
    this.workspace = join(directory, 'workspace');
  }

  async open(): Promise<OpenedAgent> {
    return await openedAgent({
      definition: agentDefinition({ control: { maxReplans: 0 } }, characterSpec()),
      dataDirectory: this.#directory,
      model: await scripted(script),
      sandbox: this.sandbox,
      onRecord: (record) => {
        this.records.push(record);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.records.filter((it) => it.kind === kind).map((it) => it.payload as Record<string, unknown>);
  }

  async until(kind: string): Promise<void> {
    while (this.all(kind).length === 0)
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
  }

  /** Starts the Task, starts the agent anew while a person is asked, and works to the end. */
  async play(intent: string): Promise<void> {
    const first = await this.open();
    const { runId } = await first.submitTask(task('note', intent), 'test');
    await this.until('ApprovalRequested');
    await first.close();
    const second = await this.open();
    const { requestId = '', argumentsDigest = '' } = this.all('ApprovalRequested')[0] as Record<string, string>;
    const word = { type: 'DecideApproval', decision: 'Approve', by: 'ann', reason: 'fine' } as const;
    await second.runtime.accept('approve', 'test', { ...word, requestId, argumentsDigest });
    await second.runtime.closed(runId);
    await second.close();
  }
}

describe('a run whose programs leave files behind', () => {
  verifies('sandbox:room-of-the-run', 'has no second budget after a restart', () =>
    inTemporaryDirectory(async (directory) => {
      const life = new Life(directory);
      await life.play('Write a note, and add the sums.');
      expect(life.sandbox.requests.map(({ script: program, added }) => [program, added])).toEqual([
        ['first', { files: 0, bytes: 0 }],
        ['second', expect.objectContaining({ files: 3, bytes: 6 })],
      ]);
      expect(life.all('ProgramAdded')).toMatchObject([{ ...ADDED }]);
    }),
  );

  verifies('sandbox:scratch-cleared', 'ends without its scratch, and the record tells how much it was', () =>
    inTemporaryDirectory(async (directory) => {
      const life = new Life(directory);
      await life.play('Write a note, and add the sums.');
      expect(existsSync(join(life.workspace, '.cache'))).toBe(false);
      expect([...contentsOf(life.workspace).keys()].toSorted()).toEqual(['notes/a.md', 'out/sum.txt']);
      expect(life.all('ScratchCleared')).toEqual([{ directories: ['.cache'], files: 2, bytes: 5 }]);
      expect(life.all('FileForgotten')).toEqual([{ path: '.cache/a.bin' }, { path: '.cache/deep/b.bin' }]);
    }),
  );

  verifies('sandbox:scratch-cleared', 'keeps what its Task names', () =>
    inTemporaryDirectory(async (directory) => {
      const life = new Life(directory);
      await life.play('Write a note, and add the sums of .cache/deep/b.bin.');
      expect(existsSync(join(life.workspace, '.cache/deep/b.bin'))).toBe(true);
      expect(existsSync(join(life.workspace, '.cache/a.bin'))).toBe(false);
      expect(life.all('ScratchCleared')).toEqual([{ directories: ['.cache'], files: 1, bytes: 2 }]);
    }),
  );
});
