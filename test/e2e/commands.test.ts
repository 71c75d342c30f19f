/** Every command that a page prints or a program tells, typed into a shell against the real cluster; and people with and without rights. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { textDigest } from '@retainer/contract/wire/boot';
import { toolPath } from '../../scripts/kubernetes-tools.ts';
import { MEMORY_BALLOON } from '../support/abuse-scripts.ts';
import type { ClusterRow } from '../support/command-row.ts';
import { commandRows } from '../support/documented-commands.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { toldRows } from '../support/told-command-rows.ts';
import { faultsOf, typeInto, withWords, type Ended } from '../support/typed-command.ts';
import { verifies } from '../verifies.ts';
import { agentContainer, killAgent } from './held.ts';
import { person } from './person.ts';
import { code, PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { World } from './world.ts';

/** Above the longest time that a page lets a command wait; others take a tenth of it on a busy machine. */
const COMMAND_TIMEOUT_MS = 200_000;
/** Started side by side: each is a process of its own. */
const SIDE_BY_SIDE = 3;
/** A program that would not end is ended after it, seconds. */
const LASTS_SECONDS = 8;

const { kubeconfig } = inject('installation').cluster;
const world = new World();
const pod = `retainer-${PUPPET}-0`;
let namespace = '';
/** Of README.md: one that nobody else uses. */
let examples = '';
let directory = '';
/** Of code that runs. */
let sandboxRun = '';
let env: NodeJS.ProcessEnv = {};
let auditors = 0;
/** In place of the words in capitals, for all commands. */
let names: Readonly<Record<string, string>> = {};

function shell(command: string, variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const place = { cwd: repositoryRoot, env: { ...env, ...variables }, timeoutMs: COMMAND_TIMEOUT_MS };
  return typeInto(place, command);
}

const needingLeave = (name: string) => {
  const task = puppetTask(name, `REMEMBER garden/${name.replaceAll('-', '')} = ash`);
  return { ...task, spec: { ...task.spec, approval: { mode: 'EveryEffect' } } };
};
const asking = (name: string) => puppetTask(name, 'ASK which colour; then remember it');
/** It refuses what a principal may overrule. */
const rules = [{ id: 'swords', pattern: 'sword', verdict: 'Reject', description: 'No swords.', reason: 'No swords.' }];
const strict = { ...puppetCharacter, spec: { ...puppetCharacter.spec, gatePolicies: { input: { rules } } } };

beforeAll(async () => {
  namespace = await world.namespace('commands');
  examples = await world.namespace('examples');
  const { sandbox } = puppetAgent()['spec'] as { readonly sandbox: object };
  const pooling = { ...sandbox, pool: { size: 1 } };
  const [, ...others] = puppetObjects({ limits: { concurrentRuns: 10 }, sandbox: pooling });
  await world.apply(namespace, [strict, ...others]);
  directory = await mkdtemp(join(tmpdir(), 'retainer-commands-'));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await killAgent(world, namespace, PUPPET);
  const isBack = async () => ((await agentContainer(world, namespace, PUPPET)).restartCount > 0 ? true : undefined);
  await world.until('a new process of the agent', isBack, 60_000, namespace);
  await world.apply(namespace, [
    puppetTask('done', 'REMEMBER garden/color = teal'),
    puppetTask('refused', 'REMEMBER sword/color = grey'),
    puppetTask('writes', code('bash', 'echo hello > greeting.txt')),
    puppetTask('overeats', code('javascript', MEMORY_BALLOON)),
    ...['asks', 'asks-too', 'unwanted', 'unwanted-too'].map(asking),
    ...['needs-leave', 'needs-leave-too', 'needs-leave-later'].map(needingLeave),
  ]);
  env = await environment();
  for (const name of ['done', 'refused', 'writes', 'overeats']) await world.ended(namespace, name);
  for (const name of ['asks', 'asks-too', 'unwanted', 'unwanted-too'])
    await world.condition(namespace, ['task', name], { type: 'AwaitingAnswer', status: 'True' });
  for (const name of ['needs-leave', 'needs-leave-too', 'needs-leave-later'])
    await world.condition(namespace, ['task', name], { type: 'AwaitingApproval', status: 'True' });
  await takeCopy();
  // One that failed stays for a while, for those who look at it.
  const before = new Set((await sandboxRuns()).map(nameOf));
  // As long as its agent lets it: a SandboxRun goes when its code has ended.
  await world.apply(namespace, [puppetTask('runs', code('bash', 'sleep 58'))]);
  const runs = async () => (await sandboxRuns()).map(nameOf).find((name) => !before.has(name));
  sandboxRun = await world.until('a SandboxRun', runs, 60_000, namespace);
  names = await wordsOfAll();
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await world.close();
});

/** What a person has on the PATH. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const bin = join(directory, 'bin');
  await mkdir(bin);
  for (const program of ['retainer', 'kubectl-retainer'])
    await symlink(join(repositoryRoot, `cli/bin/${program}.js`), join(bin, program));
  const path = [bin, dirname(await toolPath('kubectl')), dirname(process.execPath), process.env['PATH'] ?? ''];
  const variables = { ...process.env, PATH: path.join(delimiter), KUBECONFIG: kubeconfig, NO_COLOR: '1' };
  await writeFile(join(directory, 'url'), 'redis://redis.example:6379/0');
  await mkdir(join(directory, 'pdf-tools'));
  const published = '---\nname: PDF Tools\ndescription: Reads PDFs.\n---\n# PDF\n\nRead the text first.\n';
  await writeFile(join(directory, 'pdf-tools/SKILL.md'), published);
  const { FORCE_COLOR: _, ...rest } = variables as NodeJS.ProcessEnv;
  env = rest;
  // As `npm run build` does.
  expect(await shell('npx tsc -b cli agent-pod')).toMatchObject({ code: 0 });
  await chmod(join(repositoryRoot, 'cli/bin/retainer.js'), 0o755);
  return rest;
}

/** Of the record, as somebody takes it who may enter the pod. */
async function takeCopy(): Promise<void> {
  const copy = join(directory, 'copy');
  await mkdir(copy);
  const taken = await shell(
    `kubectl -n ${namespace} exec ${pod} -c agent -- tar c -C /data journal | tar x -C ${copy}`,
  );
  expect(taken, taken.stderr).toMatchObject({ code: 0 });
}

interface Named {
  readonly metadata: { readonly name: string };
}
const nameOf = ({ metadata: { name } }: Named): string => name;
const sandboxRuns = () => world.kubectl.list<Named>('sandboxruns', '-n', namespace);

async function wordsOfAll(): Promise<Readonly<Record<string, string>>> {
  const [node] = await world.kubectl.list<{ readonly metadata: { readonly name: string } }>('nodes');
  const [storageClass] = await world.kubectl.list<{ readonly metadata: { readonly name: string } }>('storageclasses');
  const agent = await world.get('agent', PUPPET, namespace);
  return {
    NAMESPACE: namespace,
    EXAMPLES: examples,
    NAME: PUPPET,
    NODE: node?.metadata.name ?? '',
    STORAGECLASS: storageClass?.metadata.name ?? '',
    SANDBOXRUN: sandboxRun,
    UUID: String(agent.status?.['individual']),
    USER: await world.kubectl.run(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']),
    WHY: 'typed-by-a-test',
    ANSWER: 'COLOUR teal',
    ADDRESS: '192.0.2.10',
    PATH: 'greeting.txt',
    'pdf-tools/': join(directory, 'pdf-tools'),
    'cycle/1234': await firstRefusal(),
    FILE: join(directory, 'url'),
    DIR: join(directory, 'copy'),
    COPY: join(directory, 'copy'),
    DATA: join(directory, 'copy'),
    REGISTRY: 'registry.example',
    TAG: '1.0.0',
    NEW: '1.0.1',
  };
}

/** The record of a refusal, as `retainer explain` prints it. */
async function firstRefusal(): Promise<string> {
  const { stdout } = await shell(`retainer gate false-positive -n ${namespace} -o json`);
  const [refusal] = JSON.parse(stdout) as readonly { readonly record: string }[];
  return refusal?.record ?? '';
}

interface Pending {
  readonly id: string;
  readonly argumentsDigest: string;
}

async function wordsOf(task: string): Promise<Readonly<Record<string, string>>> {
  const { status } = await world.get('task', task, namespace);
  const { pendingApprovals, question, runId } = (status ?? {}) as {
    readonly pendingApprovals?: readonly Pending[];
    readonly question?: { readonly id: string };
    readonly runId?: string;
  };
  const [call] = pendingApprovals ?? [];
  return { TASK: task, RUN: runId ?? '', ID: call?.id ?? question?.id ?? '', DIGEST: call?.argumentsDigest ?? '' };
}

async function typed(command: string, row: ClusterRow): Promise<string> {
  // Each auditor has a directory of its own.
  auditors += 1;
  const own = { '/somewhere/else': join(directory, `auditor-${auditors}`) };
  const all = { ...names, ...own, ...(row.task === undefined ? {} : await wordsOf(row.task)) };
  const more = (row.with ?? '').replace(/^timeout ?/, '');
  const added = more === '' ? command : `${command} ${more}`;
  const filled = withWords(withWords(added, row.words ?? {}), all);
  return row.with?.startsWith('timeout') === true ? `timeout --preserve-status ${LASTS_SECONDS} ${filled}` : filled;
}

async function check(command: string, row: ClusterRow): Promise<readonly string[]> {
  const line = await typed(command, row);
  return faultsOf(line, row, await shell(line));
}

/** With the rule that refused it, if one did. */
async function endOf(name: string): Promise<object> {
  const { status } = await world.ended(namespace, name);
  return { name, outcome: status?.['outcome'], refusal: status?.['refusal'], summary: status?.['summary'] };
}

/** One after the other, as they stand in the table. */
async function inOrder(phase: NonNullable<ClusterRow['phase']>): Promise<void> {
  for (const { command, row } of rows.filter(({ row: its }) => its.phase === phase))
    expect((await check(command, row)).join('\n')).toBe('');
}

const rows = Object.entries({ ...commandRows, ...toldRows }).flatMap(([command, row]) =>
  row.how === 'Run' ? [{ command, row }] : [],
);

describe('the commands of the pages', () => {
  verifies('e2e:documented-commands', 'that only look, show what they are printed for', async () => {
    // The last ones are typed first: a SandboxRun is there for as long as its code runs.
    const ofSandboxRuns = ({ command }: (typeof rows)[number]): number =>
      /-n retainer-sandboxes|sandboxrun/.test(command) ? 1 : 0;
    const looks = rows.filter(({ row }) => row.phase === undefined);
    const left = looks.toSorted((one, other) => ofSandboxRuns(one) - ofSandboxRuns(other));
    const faults: string[] = [];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop())
        faults.push(...(await check(next.command, next.row)));
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    expect(faults.join('\n\n')).toBe('');
  });

  verifies('e2e:documented-commands', 'that decide, answer and change, do so', async () => {
    await inOrder('Decides');
    for (const name of ['asks', 'asks-too', 'needs-leave', 'needs-leave-too', 'refused-again'])
      expect(await endOf(name)).toMatchObject({ outcome: 'Accepted' });
    expect(await world.ended(namespace, 'unwanted')).toMatchObject({ status: { outcome: 'Cancelled' } });
    const told = await shell(`retainer explain unwanted -n ${namespace}`);
    expect(told.stdout).toContain('typed-by-a-test');
  });
});

describe('the commands of README.md', () => {
  verifies('e2e:documented-commands', 'bring the examples, and show what came of them', async () => {
    await inOrder('Examples');
  });
});

describe('a person at a cluster', () => {
  verifies('operator-agent:skills-by-digest', 'adds skills as published, and one whose digest is pinned', async () => {
    const text = '# Counting\n\nCount twice.\n';
    const spec = { description: 'How to count.', version: '1.0.0', configMapRef: { name: 'counting' } };
    await world.apply(namespace, [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'counting' }, data: { 'SKILL.md': text } },
      { apiVersion: 'retainer.dev/v1alpha1', kind: 'Skill', metadata: { name: 'counting' }, spec },
    ]);
    // The first one came by a command of docs/cli.md.
    for (const name of ['pdf-tools', 'counting'])
      await world.condition(namespace, ['skill', name], { type: 'Ready', status: 'True' }, 60_000);
    const { status } = await world.get('skill', 'counting', namespace);
    expect(status).toMatchObject({ digest: textDigest(text), pinnedVersion: '1.0.0' });
  });

  verifies('e2e:plugin-of-kubectl', 'has the same program in kubectl', async () => {
    const told = await shell(`kubectl retainer explain -n ${namespace}`);
    expect(told, told.stderr).toMatchObject({ code: 0 });
    expect(told.stdout).toContain(`read one with: kubectl retainer explain RUN -n ${namespace} --agent ${PUPPET}`);
  });

  verifies('e2e:record-read-only', 'reads no secret and changes nothing by the reader beside the agent', async () => {
    const inPod = (args: string) => shell(`kubectl -n ${namespace} exec ${pod} -c agent -- retainer-read ${args}`);
    expect((await inPod('journal verify /data --live')).code).toBe(0);
    const secret = await inPod('gate check /var/run/secrets/kubernetes.io/serviceaccount/token');
    expect(secret).toMatchObject({ stdout: '', stderr: expect.stringMatching(/restricted|ERR_ACCESS_DENIED/) });
    const change = await inPod('cancel done --reason x --data /data');
    expect(change.code).not.toBe(0);
  });

  verifies(
    'e2e:word-over-exec',
    'tells the agent a fact by the program beside it, and decides nothing there',
    async () => {
      const told = await shell(`retainer memory remember e2e.rate "25 %" --reason typed-by-a-test -n ${namespace}`);
      expect(told, told.stderr).toMatchObject({ code: 0 });
      const shown = async () => {
        const { stdout } = await shell(`retainer memory trace fact:e2e.rate -n ${namespace}`);
        return stdout.includes('FactWritten "25 %"') ? stdout : undefined;
      };
      expect(await world.until('the fact', shown, 30_000, namespace)).toContain('typed-by-a-test');
      const { ID } = await wordsOf('needs-leave-later');
      const there = `kubectl -n ${namespace} exec ${pod} -c agent -- retainer-tell`;
      await shell(`${there} approve ${ID} --reason x --data /data`);
      const aside = async () => {
        const { stdout } = await shell(`kubectl -n ${namespace} exec ${pod} -c agent -- ls /data/spool/rejected`);
        return stdout.includes('.json') ? stdout : undefined;
      };
      await world.until('the decision set aside', aside, 30_000, namespace);
      const { status } = await world.get('task', 'needs-leave-later', namespace);
      expect(status).toMatchObject({ pendingApprovals: [{ id: ID }] });
    },
  );

  verifies('e2e:missing-right-named', 'is told which right is missing, and the printed commands grant it', async () => {
    const user = await person(world, { namespace, name: 'newcomer', directory });
    const asNewcomer = (command: string) => shell(command, { KUBECONFIG: user });
    const looked = `retainer explain done -n ${namespace}`;
    // Each answer names the next right, until the record is told.
    for (const role of ['--clusterrole=retainer-view', `--role=${pod}-reader`]) {
      const refused = await asNewcomer(looked);
      expect(refused, refused.stderr).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(role);
      await grant(refused.stderr);
    }
    const told = await asNewcomer(looked);
    expect(told, told.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('memory_write') });
    const { ID } = await wordsOf('needs-leave-later');
    const decide = `retainer approve ${ID} -n ${namespace} --reason fine`;
    const refused = await asNewcomer(decide);
    expect(refused, refused.stderr).toMatchObject({ code: 1 });
    await grant(refused.stderr);
    const decided = await asNewcomer(decide);
    expect(decided, decided.stderr).toMatchObject({ code: 0 });
    const { spec } = await world.ended(namespace, 'needs-leave-later');
    expect(spec).toMatchObject({ approvals: [{ by: `system:serviceaccount:${namespace}:newcomer`, reason: 'fine' }] });
  });

  verifies('e2e:documented-commands', 'that suspend an agent and let it go on, do so', () => inOrder('Suspended'));

  it('is told which cluster and namespace a command means', async () => {
    const { stderr } = await shell(`retainer approve -n ${namespace}`);
    expect(stderr).toMatch(new RegExp(`^on the cluster at https?://\\S+, namespace ${namespace}$`, 'm'));
  });
});

/** Types the commands that an error prints, as somebody who may. */
async function grant(text: string): Promise<void> {
  const commands = text.split('\n').filter((line) => line.startsWith('  kubectl '));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const granted = await shell(command);
    // Another person may have the Role already.
    if (!granted.stderr.includes('AlreadyExists')) expect(granted, granted.stderr).toMatchObject({ code: 0 });
  }
}
