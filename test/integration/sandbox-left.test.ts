/** What the programs of a run leave behind, over a restart, on both kinds of sandbox: bounded together, and cleared with a record. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import type { JournalRecord } from '@retainer/journal/journal';
import { agentDefinition, characterSpec, scripted, task } from '../support/agents.ts';
import { startFakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { sandboxAgent } from '../support/sandbox-agent.ts';
import { SandboxOperator } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

/** Each file with ten directories: a few files fill the budget. */
const DEEP = Array.from({ length: 9 }, (_, at) => at).join('/');
const DEEP_ENTRIES = 11;
const deepFiles = (name: string, count: number): string =>
  `for i in $(seq ${count}); do mkdir -p out/${name}$i/${DEEP}; : > out/${name}$i/${DEEP}/f; done`;

/** Over 10,000 together, and 1,500 of them where the record of a call lists 1,000. */
const FIRST = [
  'mkdir -p .cache/deep/empty; ln -s deep .cache/link; for i in $(seq 1500); do echo $i > .cache/deep/$i; done',
  deepFiles('a', 360),
].join('\n');
const SECOND = `mkdir .tmp; : > .tmp/over; ${deepFiles('b', 510)}`;

const script = `
version: 1
rules:${oneStepRule}${citingRule}
  - name: the first program
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: bash, input: {script: ${JSON.stringify(FIRST)}}}]}
  - name: a call that waits for a person
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: the second program
    when: {role: executor, turn: 3}
    answer: {calls: [{tool: bash, input: {script: ${JSON.stringify(SECOND)}}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

interface Place {
  /** As a newly started agent has it. */
  readonly sandbox: () => SandboxPort;
  readonly close: () => Promise<void>;
}

const KINDS = {
  'on this machine': (directory: string): Promise<Place> =>
    Promise.resolve({
      sandbox: () => createBubblewrapSandbox({ resultDirectory: join(directory, 'sandbox') }),
      close: () => Promise.resolve(),
    }),
  'in pods': async (directory: string): Promise<Place> => {
    const server = await startFakeApiServer();
    const client = fakeKubeClient(server, { user: 'ada' });
    const operator = new SandboxOperator({ server, directory });
    operator.start();
    return {
      sandbox: () => sandboxAgent({ client, directory: join(directory, 'sandbox') }),
      close: async () => {
        await operator.stop();
        client.close();
        await server.stop();
      },
    };
  },
} as const;

interface Lived {
  readonly workspace: string;
  readonly all: (kind: string) => readonly Readonly<Record<string, unknown>>[];
}

/** Starts the Task, starts the agent anew while a person is asked, and works to the end. */
async function live(directory: string, { sandbox }: Place): Promise<Lived> {
  const records: JournalRecord[] = [];
  const listeners = new Set<() => void>();
  const all: Lived['all'] = (kind) =>
    records.filter((it) => it.kind === kind).map((it) => it.payload as Readonly<Record<string, unknown>>);
  const until = async (kind: string): Promise<void> => {
    while (all(kind).length === 0) await new Promise<void>((resolve) => listeners.add(resolve));
  };
  const open = async () =>
    openedAgent({
      definition: agentDefinition({ control: { maxReplans: 0 } }, characterSpec()),
      dataDirectory: join(directory, 'data'),
      model: await scripted(script),
      sandbox: sandbox(),
      onRecord: (record) => {
        records.push(record);
        for (const listener of listeners) listener();
      },
    });
  const first = await open();
  const { runId } = await first.submitTask(task('note', 'Write a note, and make the files.'), 'test');
  await until('ApprovalRequested');
  await first.close();
  const second = await open();
  const { requestId = '', argumentsDigest = '' } = all('ApprovalRequested')[0] as Record<string, string>;
  const word = { type: 'DecideApproval', decision: 'Approve', by: 'ann', reason: 'fine' } as const;
  await second.runtime.accept('approve', 'test', { ...word, requestId, argumentsDigest });
  await second.runtime.closed(runId);
  await second.runtime.archived();
  await second.close();
  return { workspace: join(directory, 'data', 'workspace'), all };
}

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', (kind) => {
  verifies(
    'sandbox:room-of-the-run',
    'two programs have one budget over a restart, and their scratch goes',
    async () => {
      const root = temporaryDirectory();
      const { path } = root;
      const place = await KINDS[kind](path);
      try {
        const { workspace, all } = await live(path, place);
        const outputs = all('ToolFinished').map(({ outcome }) => (outcome as { readonly text: string }).text);
        expect(outputs[2]).toContain('were not kept: a run adds no more to the workspace');
        const added = all('ProgramAdded') as readonly {
          readonly files: number;
          readonly scratch?: readonly string[];
        }[];
        expect(added.map(({ scratch }) => scratch)).toEqual([['.cache'], ['.tmp']]);
        const sum = added.reduce((files, it) => files + it.files, 0);
        expect([sum <= 10_000, sum > 10_000 - DEEP_ENTRIES], String(sum)).toEqual([true, true]);
        expect(['.cache', '.tmp'].filter((it) => existsSync(join(workspace, it)))).toEqual([]);
        expect(all('ScratchCleared')).toMatchObject([{ directories: ['.cache', '.tmp'], files: 1502 }]);
      } finally {
        await place.close();
        await root.remove();
      }
    },
  );
});
