/**
 * Row 17: the real operator and the real agent together, while their API server goes away again and again. The operator makes the
 * agent's pod, the agent runs as that pod says, and the test is kubelet and model. Times are a tenth of those of an installation;
 * `npm run nightly -- api-server-away` has them whole.
 *
 * What is away here is the API server alone; a bus between agents is away in tests of its own.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Task } from '@retainer/contract/api/task';
import type { JournalRecord } from '@retainer/journal/journal';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { AgentKubelet } from '../support/agent-kubelet.ts';
import { endPods } from '../support/agent-pod-process.ts';
import { startFakeApiServer, type AuditEntry, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { freePort } from '../support/free-port.ts';
import { startHeldModel, type HeldModel, type ModelQuestion } from '../support/held-model.ts';
import type { PlayedBlock } from '../support/messages-server.ts';
import { startOperator } from '../support/operator-process.ts';
import { SECRETS } from '../support/operator-world/operator-world.ts';
import { agent, character, NAMESPACE, skill, task } from '../support/operator-world/world-objects.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { isNightly } from '../support/test-size.ts';
import { tokenKubeconfig } from '../support/token-kubeconfig.ts';
import { verifies } from '../verifies.ts';

const SCALE = isNightly ? 1 : 0.1;
const OUTAGE_MS = 60_000 * SCALE;
const ROUNDS = 5;
/** From the API server's return until all is told and a new Task is done. Watches come back as slowly in a scaled test. */
const RECOVERY_MS = 10_000;
/** What a busy machine adds to it in a check. */
const SLACK_MS = isNightly ? 0 : 20_000;
/** Until programs run and caches are complete, on a busy machine. */
const STARTED_MS = 60_000;
const LOOK_MS = 20;

/** 15, 10 and 2 s; a Lease has whole seconds. */
const operatorTimes = {
  RETAINER_LEASE_SECONDS: String(Math.ceil(15 * SCALE)),
  RETAINER_RENEW_SECONDS: String(10 * SCALE),
  RETAINER_RETRY_SECONDS: String(2 * SCALE),
};
const agentTimes = {
  RETAINER_LEASE_SECONDS: String(90 * SCALE),
  RETAINER_RENEW_SECONDS: String(30 * SCALE),
  RETAINER_RETRY_SECONDS: String(5 * SCALE),
};

const podKey = { namespace: NAMESPACE, name: 'retainer-ada-0' };
const agentUser = `system:serviceaccount:${NAMESPACE}:retainer-ada`;

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let url: string;
let model: HeldModel;
let operator: ChildProcess;
let operators: number;
let kubelet: AgentKubelet;
let stop: AbortController;
let playing: Promise<void>;
const gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  ({ url } = server);
  model = await startHeldModel(answerOf);
  gates.clear();
  operators = 0;
  stop = new AbortController();
  server.put(resources.characterSpecs, character());
  server.put(resources.skills, skill());
  const apiKeySecretRef = { name: 'key', key: 'value' };
  server.put(SECRETS, {
    metadata: { namespace: NAMESPACE, name: apiKeySecretRef.name },
    data: { [apiKeySecretRef.key]: Buffer.from('sk-test-0123456789').toString('base64') },
  });
  const models = { provider: 'Anthropic', structured: 'Xml', baseURL: model.url, apiKeySecretRef };
  server.put(resources.agents, agent({ models, sandbox: { enabled: false }, limits: { concurrentRuns: 2 } }));
  await runOperator();
  const directory = root.path;
  kubelet = new AgentKubelet({ server, url, directory, pod: podKey, user: agentUser, environment: agentTimes });
  playing = kubelet.run(stop.signal);
  await until(() => isTrue(server.get(resources.agents, { namespace: NAMESPACE, name: 'ada' }), 'Ready'), STARTED_MS);
});

afterEach(async () => {
  stop.abort();
  await playing;
  operator.kill('SIGKILL');
  endPods();
  await model.close();
  await server.stop();
  await root.remove();
});

/** Starts it again in its pod when it ends, as its kubelet would: it ends with its Lease. */
async function runOperator(): Promise<void> {
  operators += 1;
  const user = `operator-${operators}`;
  const kubeconfig = join(root.path, user);
  await writeFile(kubeconfig, tokenKubeconfig(url, user));
  const ports = { healthPort: await freePort(), metricsPort: await freePort() };
  const environment = { ...operatorTimes, RETAINER_POD_UID: 'uid-of-operator-0' };
  operator = startOperator({ kubeconfig, podName: 'operator-0', ...ports, environment });
  operator.once('exit', () => {
    if (!stop.signal.aborted) void runOperator();
  });
}

/** Two files, one after the other, then the end. Before the second file and before the end it stalls until the gate is opened. */
async function answerOf({ results, task: text }: ModelQuestion): Promise<readonly PlayedBlock[]> {
  const name = /note (\S+)\./.exec(text)?.[1] ?? '';
  if (results > 0) await gateOf(`${name} ${results}`).opened;
  if (results === 2) return [{ type: 'text', text: 'Both notes are written.' }];
  const input = { path: `out/${name}-${results}.md`, content: 'hello' };
  return [{ type: 'tool_use', id: `call-${name}-${results}`, name: 'write_file', input }];
}

function gateOf(name: string): { readonly opened: Promise<void>; readonly open: () => void } {
  const known = gates.get(name);
  if (known !== undefined) return known;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const gate = { opened, open: () => open() };
  gates.set(name, gate);
  return gate;
}

function give(name: string): void {
  server.put(resources.tasks, task(name, { intent: `Write note ${name}.` }));
}

function statusOf(name: string): NonNullable<Task['status']> {
  return server.get(resources.tasks, { namespace: NAMESPACE, name })?.['status'] ?? {};
}

function isTrue(object: KubeObject | undefined, type: string): boolean {
  const { conditions = [] } = (object?.['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  await expect.poll(isSo, { timeout: withinMs, interval: LOOK_MS }).toBe(true);
}

async function recordsOf(store: string): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of (await openRecords(join(root.path, 'data'))).read(store)) records.push(record);
  return records;
}

const isOurs = ({ user }: AuditEntry): boolean => user === agentUser || user.startsWith('operator-');

/** Full lists that one process took more than once of the same resource, among these requests. */
function repeatedLists(requests: readonly AuditEntry[]): readonly string[] {
  const lists = requests
    .filter(({ verb }) => verb === 'list')
    .map(({ user, resource, namespace, query }) => `${user} ${resource} ${namespace} ${query}`);
  return lists.filter((list, index) => lists.indexOf(list) !== index);
}

/** One Task ends while the API server is away, one works through it, one waits for its turn, and one is given at the return. */
async function outage(round: number): Promise<void> {
  const [early, late, queued, fresh] = [`early-${round}`, `late-${round}`, `queued-${round}`, `fresh-${round}`];
  for (const name of [queued, fresh]) for (const gate of [1, 2]) gateOf(`${name} ${gate}`).open();
  give(early);
  give(late);
  await until(() => [early, late].every((name) => statusOf(name).runId !== undefined), STARTED_MS);
  give(queued);
  await until(
    () => isTrue(server.get(resources.tasks, { namespace: NAMESPACE, name: queued }), 'Admitted'),
    STARTED_MS,
  );
  const seen = server.audit.length;
  await server.stop();
  await sleep(OUTAGE_MS / 4);
  gateOf(`${early} 1`).open();
  await sleep(OUTAGE_MS / 4);
  gateOf(`${early} 2`).open();
  gateOf(`${late} 1`).open();
  await sleep(OUTAGE_MS / 2);
  // The first came to its end while nobody could be told, the second is before its last answer.
  expect(asked(early) + asked(late)).toBe(6);
  gateOf(`${late} 2`).open();
  await server.start(Number(new URL(url).port));
  const backMs = performance.now();
  give(fresh);
  const told = (name: string): boolean => statusOf(name).outcome !== undefined;
  await until(() => [early, late, queued].every(told), RECOVERY_MS + SLACK_MS);
  const toldMs = performance.now() - backMs;
  await until(() => told(fresh), RECOVERY_MS + SLACK_MS - toldMs);
  const freshMs = performance.now() - backMs;
  process.stderr.write(
    `away for ${OUTAGE_MS} ms: all told ${Math.round(toldMs)} ms after the return, a new Task ${Math.round(freshMs)} ms\n`,
  );
  // Two outages without it between them would be one that is longer than the agent's Lease.
  await until(() => server.audit.slice(seen).some(isAgentsRenewal), RECOVERY_MS + SLACK_MS);
  expect(repeatedLists(server.audit.slice(seen).filter(isOurs))).toEqual([]);
}

function isAgentsRenewal({ user, resource, isChange }: AuditEntry): boolean {
  return user === agentUser && resource === 'leases' && isChange;
}

function asked(name: string): number {
  return model.questions.filter(({ task: text }) => text.includes(` ${name}.`)).length;
}

function counted(records: readonly JournalRecord[], kind: string): number {
  return records.filter((record) => record.kind === kind).length;
}

describe('an operator and an agent whose API server goes away', () => {
  verifies('operator:api-away', 'lose nothing, do nothing twice, and are back within 10 s', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) await outage(round);
    const given = server.list(resources.tasks);
    expect(given).toHaveLength(ROUNDS * 4);
    expect(given.filter(({ metadata }) => statusOf(metadata.name).outcome !== 'Succeeded')).toEqual([]);
    const [runs, cycles] = [await recordsOf('run'), await recordsOf('cycle')];
    const ended = cycles.filter(({ kind }) => kind === 'CycleEnded');
    expect(ended.filter(({ payload }) => (payload as { outcome: string }).outcome !== 'Replied')).toEqual([]);
    expect({
      admitted: counted(runs, 'RunAdmitted'),
      concluded: counted(runs, 'RunConcluded'),
      delivered: counted(runs, 'Delivered'),
      tools: counted(cycles, 'ToolFinished'),
      // A question in the air when the agent's own Lease runs out is asked again once it is held: an answer has no effect.
      modelCalls: model.questions.length - counted(cycles, 'EffectLost'),
    }).toEqual({
      admitted: given.length,
      concluded: given.length,
      delivered: given.length,
      tools: given.length * 2,
      modelCalls: given.length * 3,
    });
    expect(server.audit.filter((entry) => isOurs(entry) && entry.verb.startsWith('delete') && entry.isChange)).toEqual(
      [],
    );
    expect(kubelet.starts).toBe(1);
    expect((await recordsOf('system')).filter(({ kind }) => kind === 'Opened')).toHaveLength(1);
  });
});
