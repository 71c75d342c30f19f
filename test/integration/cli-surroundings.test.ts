/**
 * What surrounds the command line: readers that go away, full disks, closed terminals, the background. None of it ends the work or makes
 * the exit code, which is that of the Tasks.
 */
import { spawn, type StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { AtTerminal, closeTerminals } from '../support/at-terminal.ts';
import { endAll, programPath, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const working = join(root.path, 'working');
const asking = join(root.path, 'asking');

/** One Task succeeds, and no rule answers the other one, which fails. */
const workScript = String.raw`
version: 1
rules:
  - name: reads
    when: {role: perceiver, text: '(?s).*Write the report'}
    answer: {text: '<perception><task slug="report" shape="SingleStep"><intent>Write it.</intent></task></perception>'}
  - name: done
    when: {role: executor}
    answer: {text: 'The report is written.'}
`;

const askScript = String.raw`
version: 1
rules:
  - name: the year is known
    when: {role: perceiver, text: '(?s).*in the year (?P<year>\d{4})'}
    answer: {text: '<perception><task slug="report" shape="SingleStep"><intent>Report on {{text.year}}.</intent></task></perception>'}
  - name: which year
    when: {role: perceiver}
    answer: {text: '<perception><question>Which year is meant?</question></perception>'}
  - name: done
    when: {role: executor}
    answer: {text: 'The report is done.'}
`;

beforeAll(async () => {
  const tasks = [taskManifest('good', 'intent: Write the report.'), taskManifest('bad', 'intent: Sing.')];
  await writeManifests(working, [characterManifest(), agentManifest, ...tasks].join('---'), workScript);
  const report = taskManifest('report', 'intent: Write the report.');
  await writeManifests(asking, [characterManifest(), agentManifest, report].join('---'), askScript);
});
afterAll(() => {
  endAll();
  closeTerminals();
  return root.remove();
});

const environment = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', NO_COLOR: '1' };

interface Seen {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param closed  descriptors whose reader goes away: before the first byte, or after the first lines */
function play(args: readonly string[], stdio: StdioOptions, closed: readonly Closed[]): Promise<Seen> {
  const child = spawn(process.execPath, [programPath, ...args], { env: environment, stdio });
  const seen = { 1: '', 2: '' };
  for (const fd of [1, 2] as const) {
    const stream = fd === 1 ? child.stdout : child.stderr;
    const goes = closed.find((it) => it.fd === fd);
    if (goes?.when === 'AtOnce') stream?.destroy();
    stream?.setEncoding('utf8').on('data', (text: string) => {
      seen[fd] += text;
      if (goes !== undefined) stream.destroy();
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout: seen[1], stderr: seen[2] })));
}

interface Closed {
  readonly fd: 1 | 2;
  readonly when: 'AtOnce' | 'AfterALine';
}

type Fault = 'fine' | 'closed pipe' | 'pipe closed later' | 'full disk' | 'closed descriptor';
const faults: readonly Fault[] = ['fine', 'closed pipe', 'pipe closed later', 'full disk', 'closed descriptor'];

let count = 0;

async function disturbed(out: Fault, err: Fault, args: readonly string[]): Promise<Seen> {
  const stdioOf = (fault: Fault): 'pipe' | number => (fault === 'full disk' ? openSync('/dev/full', 'w') : 'pipe');
  const closed = ([1, 2] as const).flatMap((fd): readonly Closed[] => {
    const fault = fd === 1 ? out : err;
    if (fault === 'closed pipe') return [{ fd, when: 'AtOnce' }];
    return fault === 'pipe closed later' ? [{ fd, when: 'AfterALine' }] : [];
  });
  return play(args, ['ignore', stdioOf(out), stdioOf(err)], closed);
}

/** Through a shell, which alone can start a program with a closed descriptor. */
async function inShell(line: string, shell = 'bash'): Promise<Seen> {
  const child = spawn(shell, ['-c', line], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const seen = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...seen })));
}

function newData(): string {
  count += 1;
  return join(root.path, `data-${count}`);
}

const runArgs = (data: string): readonly string[] => ['run', '-f', working, '--data', data, '--no-auditor'];
const program = `${process.execPath} ${programPath}`;
const runLine = (data: string): string => `${program} ${runArgs(data).join(' ')}`;

/** Both Tasks ended, and the record is whole. */
async function expectDone(data: string): Promise<void> {
  const told = await retainer('explain', '--data', data);
  expect(told.code).toBe(0);
  expect(told.stdout).toMatch(/^good-\S+ +Succeeded/m);
  expect(told.stdout).toMatch(/^bad-\S+ +Failed/m);
}

describe('a run whose output cannot be written', () => {
  const rows = faults
    .flatMap((out) => faults.map((err) => ({ out, err })))
    .filter(({ out, err }) => out !== 'closed descriptor' && err !== 'closed descriptor');

  it.each(rows)('works to its end, and its exit code is that of its Tasks: $out, $err', async ({ out, err }) => {
    const data = newData();
    const { code, stdout, stderr } = await disturbed(out, err, runArgs(data));
    expect(code).toBe(4);
    await expectDone(data);
    // The loss is told where somebody still reads.
    if (out !== 'fine' && err === 'fine')
      expect(stderr).toMatch(/lines? of standard output could not be written: .+\(E/);
    if (err !== 'fine' && out === 'fine')
      expect(stdout).toMatch(/lines? of standard error could not be written: .+\(E/);
    if (out === 'fine' && err === 'fine') expect(stdout + stderr).not.toContain('could not be written');
  });

  it.each(['>&-', '2>&-', '>&- 2>&-', '</dev/null >/dev/null 2>&1'])('as well as with %s', async (redirection) => {
    const data = newData();
    expect((await inShell(`${runLine(data)} ${redirection}`)).code).toBe(4);
    await expectDone(data);
  });

  it.each(['| head -1', '| true', '2>&1 | head -1', '2>&1 >/dev/full | true', '| tee /dev/full'])(
    'in a shell that tells the code of each program of a pipe: %s',
    async (pipe) => {
      const data = newData();
      const { stdout } = await inShell(`${runLine(data)} ${pipe} >/dev/null; echo "code \${PIPESTATUS[0]}"`);
      expect(stdout).toContain('code 4');
      await expectDone(data);
    },
  );

  it('stops in good order when the reader of its pipe is stopped by the same Ctrl-C', async () => {
    const data = newData();
    const line = `set -m; ${program} run -f ${asking} --data ${data} --no-auditor --watch 2>&1 | (sed /asks:/q; kill -INT 0); echo "code \${PIPESTATUS[0]}"`;
    const { stdout } = await inShell(`trap '' INT; ${line}`);
    expect(stdout).toContain('code 130');
  });
});

describe('a command that only prints', () => {
  const data = join(root.path, 'printed');

  beforeAll(async () => {
    await retainer('run', '-f', working, '--data', data);
  });

  const commands = ['explain', 'explain good --full', 'explain good -o json', 'journal show', 'cost -o json', '--help'];

  it.each(commands)('ends quietly when its reader has seen enough: %s', async (words) => {
    const args =
      words === '--help'
        ? [words]
        : words.startsWith('journal')
          ? ['journal', 'show', data]
          : [...words.split(' '), '--data', data];
    for (const fault of ['closed pipe', 'pipe closed later'] as const)
      expect(await disturbed(fault, 'fine', args)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(commands.filter((it) => it !== '--help'))(
    'does not say that it is done if what it printed is lost: %s',
    async (words) => {
      const args = words.startsWith('journal') ? ['journal', 'show', data] : [...words.split(' '), '--data', data];
      const { code, stderr } = await disturbed('full disk', 'fine', args);
      expect(code).toBe(74);
      expect(stderr).toMatch(/of standard output could not be written: no space is left where it goes \(ENOSPC\)/);
      expect((await disturbed('full disk', 'full disk', args)).code).toBe(74);
      expect((await disturbed('fine', 'full disk', args)).code).toBe(0);
    },
  );

  it('does not take a part of its output for the whole', async () => {
    const file = join(root.path, 'cut.json');
    const { code, stderr } = await inShell(
      `ulimit -f 1; ${program} explain good --full -o json --data ${data} >${file}`,
    );
    expect(code).toBe(74);
    expect(stderr).toContain('(EFBIG)');
    expect((await readFile(file, 'utf8')).length).toBeGreaterThan(0);
  });
});

describe('a hang-up', () => {
  it('does not end what nohup started: it gave it a standard input that cannot be read', async () => {
    const manifests = join(root.path, 'nohup');
    const good = taskManifest('good', 'intent: Write the report.');
    await writeManifests(manifests, [characterManifest(), agentManifest, good].join('---'), workScript);
    const line = `exec ${program} run -f ${manifests} --data ${newData()} --no-auditor --watch 0>/dev/null`;
    const child = spawn('sh', ['-c', line], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let shown = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await expect.poll(() => shown).toContain('watching the manifests');
    child.kill('SIGHUP');
    await writeFile(join(manifests, 'more.yaml'), taskManifest('more', 'intent: Write the report.'));
    await expect.poll(() => shown.split('watching the manifests').length).toBe(3);
    expect(shown).not.toContain('stopping');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });
});

describe('a terminal', () => {
  const start = (where: 'front' | 'back', data: string, ...more: readonly string[]): AtTerminal =>
    new AtTerminal(where, ['run', '-f', asking, '--data', data, '--no-auditor', ...more]);

  it('that closes stops the run in good order, and the same command goes on', async () => {
    for (const more of [[], ['--watch']]) {
      const data = newData();
      const terminal = start('front', data, ...more);
      await terminal.shows('your answer:');
      terminal.order('hangup');
      expect((await terminal.ended).end).toBe('exit 130');
      const again = start('front', data);
      await again.shows('your answer:');
      again.order('type in the year 2014');
      expect(await again.ended).toMatchObject({ end: 'exit 0', shown: expect.stringContaining('The report is done.') });
    }
  });

  it('of somebody else is not read: the question waits until the command is brought to the front', async () => {
    const terminal = start('back', newData());
    await terminal.shows('in the background: type fg to answer here, or retainer answer report-');
    expect(['R', 'S']).toContain(terminal.state());
    terminal.order('type echo for the shell');
    terminal.order('front');
    await terminal.shows('your answer:');
    terminal.order('type in the year 2014');
    expect((await terminal.ended).end).toBe('exit 0');
  });

  it('that Ctrl-Z and bg take away is not read until fg', async () => {
    const terminal = start('front', newData());
    await terminal.shows('your answer:');
    terminal.signal('SIGTSTP');
    await expect.poll(() => terminal.state()).toBe('T');
    terminal.order('back');
    await expect.poll(() => terminal.isInFront()).toBe(false);
    terminal.signal('SIGCONT');
    await terminal.shows('in the background');
    terminal.order('type a line for the shell');
    expect(terminal.state()).not.toBe('T');
    terminal.order('front');
    await terminal.shows('your answer:', 2);
    terminal.order('type in the year 2014');
    expect((await terminal.ended).end).toBe('exit 0');
  });

  it('gives Ctrl-C to the command, also where it reads an answer', async () => {
    const terminal = start('front', newData());
    await terminal.shows('your answer:');
    terminal.order('type \u0003');
    expect((await terminal.ended).end).toBe('exit 130');
  });

  it('whose input ends says nothing: the question is open to an answer from elsewhere', async () => {
    const data = newData();
    const terminal = start('front', data);
    await terminal.shows('your answer:');
    terminal.order('type \u0004');
    expect((await retainer('answer', 'report', 'in the year 2014', '--data', data)).code).toBe(0);
    expect((await terminal.ended).end).toBe('exit 0');
  });

  it('that closes in the middle of work stops it in good order', async () => {
    const data = newData();
    const terminal = new AtTerminal('front', ['run', '-f', working, '--data', data, '--no-auditor']);
    await terminal.shows('admitted Task');
    terminal.order('hangup');
    expect((await terminal.ended).end).toMatch(/^exit (130|4)$/);
    expect((await retainer('journal', 'verify', data)).code).toBe(0);
    expect((await retainer(...runArgs(data))).code).toBe(4);
  });

  it('takes the answer in the background from elsewhere', async () => {
    const data = newData();
    const terminal = start('back', data);
    await terminal.shows('in the background');
    expect((await retainer('answer', 'report', 'in the year 2014', '--data', data)).code).toBe(0);
    expect((await terminal.ended).end).toBe('exit 0');
  });
});
