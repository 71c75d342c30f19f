/** What `-f` names: files as kubectl takes them, standard input, pipes, and directories in which people work while an agent watches. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readYaml } from '@retainer/contract/manifest/yaml-source';
import { runTool } from '../../scripts/kubernetes-tools.ts';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, programPath, startRetainer } from '../support/retainer-command.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();

const script = String.raw`
version: 1
rules:
  - name: reads
    when: {role: perceiver}
    answer: {text: '<perception><task slug="report" shape="SingleStep"><intent>Write it.</intent></task></perception>'}
  - name: done
    when: {role: executor}
    answer: {text: 'The report is written.'}
`;

const objects = (...tasks: readonly string[]): string =>
  [characterManifest(), agentManifest, ...tasks.map((name) => taskManifest(name, 'intent: Write the report.'))].join(
    '---',
  );

let count = 0;
const newPath = (name: string): string => {
  count += 1;
  return join(root.path, `${name}-${count}`);
};

beforeAll(() => writeFile(join(root.path, 'script.yaml'), script));
afterAll(() => {
  endAll();
  return root.remove();
});

const environment = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', NO_COLOR: '1' };

/** In the directory of the script, with a text on standard input. */
function inShell(line: string, input = ''): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = spawn('bash', ['-c', line], { cwd: root.path, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}

const run = `${process.execPath} ${programPath} run --no-auditor`;

describe('a manifest from a program', () => {
  it('comes on standard input, as a file of any name, or from a pipe of the shell', async () => {
    await writeFile(join(root.path, 'manifest.txt'), objects('one'));
    for (const [files, input] of [
      ['-f -', objects('one')],
      ['-f manifest.txt', ''],
      ['-f <(cat manifest.txt)', ''],
      ['-f /dev/stdin', objects('one')],
    ] as const) {
      const { code, text } = await inShell(`${run} ${files} --data ${newPath('data')}`, input);
      expect([files, code]).toEqual([files, 0]);
      expect(text).toContain('The report is written.');
    }
  });

  it('is not followed, and is read once', async () => {
    const watched = await inShell(`${run} -f - --watch --data ${newPath('data')}`, objects('one'));
    expect(watched).toEqual({ code: 1, text: expect.stringContaining('--watch cannot follow -') });
    const twice = await inShell(`${run} -f - -f - --data ${newPath('data')}`, objects('one'));
    expect(twice).toEqual({ code: 1, text: expect.stringContaining('standard input can be read once only') });
  });

  it('keeps nobody waiting where nobody writes', async () => {
    const pipe = newPath('pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await inShell(`${run} -f ${pipe} --data ${newPath('data')}`)).toEqual({
      code: 1,
      text: expect.stringContaining('no Agent'),
    });
  });

  it('with generateName is the same Task each time', async () => {
    const data = newPath('data');
    const manifest = objects('one').replace('name: one', 'generateName: daily-');
    expect((await inShell(`${run} -f - --data ${data}`, manifest)).text).toMatch(/SUCCEEDED {2}daily-[0-9a-f]{10}/);
    expect((await inShell(`${run} -f - --data ${data}`, manifest)).text).toContain('finished earlier');
  });
});

describe('an agent that watches', () => {
  /** What people and their editors do to a directory. Each leaves something that cannot be read, or nothing at all. */
  const disturbances: readonly (readonly [string, (directory: string) => Promise<unknown>])[] = [
    ['a lock of an editor', (directory) => symlink('me@host.1:2', join(directory, '.#all.yaml'))],
    ['a directory', (directory) => mkdir(join(directory, 'x.yaml'))],
    ['a pipe', (directory) => Promise.resolve(execFileSync('mkfifo', [join(directory, 'p.yaml')]))],
    ['a link that leads nowhere', (directory) => symlink('/nowhere', join(directory, 'n.yaml'))],
    ['half a file', (directory) => writeFile(join(directory, 'all.yaml'), objects('one').slice(0, -30))],
    ['an empty file', (directory) => writeFile(join(directory, 'all.yaml'), '')],
    ['bytes', (directory) => writeFile(join(directory, 'all.yaml'), Buffer.from([0xff, 0xfe, 0x41, 0]))],
    ['a file that has gone', (directory) => rm(join(directory, 'all.yaml'))],
    ['a directory that has gone', (directory) => rename(directory, `${directory}.away`)],
    [
      'another directory',
      async (directory) => {
        await rename(directory, `${directory}.away`);
        await writeFile(directory, 'a file');
      },
    ],
  ];

  it('keeps its last good state, and takes the next one', async () => {
    const directory = newPath('watched');
    await writeManifests(directory, objects('one'), script);
    const watching = startRetainer(['run', '-f', directory, '--data', newPath('data'), '--watch']);
    await watching.says('watching the manifests');
    const random = new Seeded(testSeed);
    let tasks = ['one'];
    const told = ['one'];
    for (const [at, [, disturb]] of disturbances.entries()) {
      await disturb(directory);
      const isTold = at > 2;
      if (isTold) await watching.says('the agent works on with what it read before', told.length);
      if (isTold) told.push(String(at));
      await rm(directory, { recursive: true, force: true });
      await rm(`${directory}.away`, { recursive: true, force: true });
      tasks = [`task-${at}`, ...(random.below(2) === 0 ? tasks.slice(0, 1) : [])];
      const next = await writeManifests(`${directory}.next`, objects(...tasks), script);
      await rename(next, directory);
      await watching.says(`admitted Task task-${at}`);
      await watching.says('watching the manifests', at + 2);
    }
    watching.child.kill('SIGINT');
    expect((await watching.ended).code).toBe(0);
  });
});

describe('a user without a name and a home', () => {
  it.skipIf(process.getuid?.() !== 0)('runs a Task, and lacks a cluster only where one is asked for', async () => {
    const data = newPath('data');
    await mkdir(data, { mode: 0o777 });
    execFileSync('chmod', ['-R', 'a+rwX', root.path]);
    const nobody = 'setpriv --reuid=54321 --regid=54321 --clear-groups env -i PATH="$PATH"';
    const done = await inShell(`${nobody} ${run} -f - --data ${data}`, objects('one'));
    expect([done.code, done.text]).toEqual([0, expect.not.stringContaining('refuse: ')]);
    const program = `${nobody} ${process.execPath} ${programPath}`;
    expect((await inShell(`${program} explain --data ${data}`)).code).toBe(0);
    const cluster = await inShell(`${program} explain -n weather`);
    expect([cluster.code, cluster.text]).toEqual([1, expect.stringContaining('no kubeconfig at')]);
  });
});

describe('a text of YAML', () => {
  const alphabets = ['0123456789xob_.eE+-', '0179xobXOB_.eE+-~yYnNofFtruelsa', '._01eE+-'];

  it('means here what it means to kubectl', async () => {
    const random = new Seeded(testSeed);
    const texts: string[] = [];
    while (texts.length < 3000) {
      const alphabet = alphabets[random.below(alphabets.length)] ?? '';
      const text = Array.from({ length: 1 + random.below(7) }, () => alphabet[random.below(alphabet.length)]).join('');
      if (/^[A-Za-z0-9.+~_-][A-Za-z0-9.+_-]*$/.test(text) && text !== '-' && !text.startsWith('---')) texts.push(text);
    }
    const members = texts.map((text, at) => `  k${at}: ${text}\n`).join('');
    const yaml = `apiVersion: x.dev/v1\nkind: Foo\nmetadata: {name: a}\nspec:\n${members}`;
    const { stdout } = await runTool('kubectl', ['annotate', '--local', '-f', '-', 'a=b', '-o', 'json'], {
      kubeconfig: '/dev/null',
      input: yaml,
    });
    const theirs = (JSON.parse(stdout) as Spec).spec;
    const read = readYaml(yaml, 'a.yaml');
    const ours = (read.ok ? (read.value[0]?.value as Spec | undefined) : undefined)?.spec ?? {};
    const differ = texts.filter(
      (_, at) => JSON.stringify(theirs[`k${at}`] ?? 0) !== JSON.stringify(ours[`k${at}`] ?? 0),
    );
    expect(differ).toEqual([]);
  });
});

interface Spec {
  readonly spec: Readonly<Record<string, unknown>>;
}
