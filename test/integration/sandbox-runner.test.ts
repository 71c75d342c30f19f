/** The runner as a process of its own on loopback, spoken to by claimants and by strangers. */
import { programEnvironment } from '@retainer/contract/wire/program-start';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../contract/src/wire/runner.ts';
import type { RunnerConfig } from '../../sandbox-runner/src/config.ts';
import { ABUSE_LIMITS, ABUSE_SCRIPTS } from '../support/abuse-scripts.ts';
import { NEIGHBOURS, PLANTED_CODE } from '../support/planted-code.ts';
import { freePort } from '../support/free-port.ts';
import { archive, RunnerClaimant, runRequest, wholeRun } from '../support/runner-claimant.ts';
import { startRunnerProcess, type RunnerProcess } from '../support/runner-process.ts';
import { keyPair, send, signedClaim, signedHeaders } from '../support/signed-runner-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const key = keyPair();
const operator = keyPair();
/** Row 23 allows 5 s for what outlives its deadline; a busy machine adds the rest. */
const GRACE_MS = 20_000;

let directory: ReturnType<typeof temporaryDirectory>;
const started: RunnerProcess[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  for (const runner of started.splice(0)) await runner.end();
  await directory.remove();
});

async function start(config: Partial<RunnerConfig> = { claimantKey: key.publicKey }): Promise<RunnerProcess> {
  const runner = await startRunnerProcess(directory.path, config);
  started.push(runner);
  return runner;
}

async function cold(config: Partial<RunnerConfig> = {}): Promise<{ runner: RunnerProcess; claimant: RunnerClaimant }> {
  const runner = await start({ claimantKey: key.publicKey, ...config });
  return { runner, claimant: new RunnerClaimant(runner.port, key) };
}

describe('a run', () => {
  verifies('sandbox-runner:one-run-in-its-life', 'goes from files in to files out, and ends', async () => {
    const { runner, claimant } = await cold();
    const script = 'cat in.txt; cat; echo warn >&2; echo new > sub/new.txt; echo more >> in.txt; rm gone.txt; exit 7';
    const files = { 'in.txt': 'hello\n', 'gone.txt': 'x', 'same.txt': 'same', 'sub/deep.txt': 'd' };
    const run = await claimant.whole(script, { files, stdin: 'from stdin\n' });
    expect(run).toMatchObject({ stdout: 'hello\nfrom stdin\n', stderr: 'warn\n' });
    expect(run.ended).toMatchObject({ end: 'Exited', exitCode: 7, droppedBytes: 0 });
    expect(run.events[0]).toEqual({ type: 'Started' });
    const changes = await claimant.changes();
    expect(changes).toEqual([
      { header: { type: 'Removed', path: 'gone.txt', sizeBytes: 0 }, content: '' },
      { header: expect.objectContaining({ path: 'in.txt' }), content: 'hello\nmore\n' },
      { header: expect.objectContaining({ path: 'sub/new.txt' }), content: 'new\n' },
      { header: { type: 'End', sizeBytes: 0, skippedEntries: 0 }, content: '' },
    ]);
    expect((await claimant.send('/stop')).status).toBe(204);
    expect(await runner.ended).toBe(0);
    expect(await runner.termination()).toMatchObject({ end: 'Exited', exitCode: 7, truncated: false, released: true });
  });

  for (const takesLinks of [true, undefined])
    verifies(
      'provenance:links-labelled',
      `gives links back to who takes them (${takesLinks ?? 'an older agent'})`,
      async () => {
        const { claimant } = await cold();
        const body = archive({ file: 'x' }, { same: 'file', old: 'file', gone: 'file', 'dir/link': '../file' });
        expect((await claimant.send('/files', { body })).status).toBe(204);
        const script = 'cat same dir/link; ln -sfn new old; rm gone; ln -sf /usr/x file; ln -s "$(printf "\\001")" odd';
        expect((await claimant.run(script, takesLinks === undefined ? {} : { takesLinks })).status).toBe(202);
        expect(wholeRun(await claimant.output()).stdout).toBe('xx');
        const changes = await claimant.changes();
        if (typeof changes === 'string') throw new Error(changes);
        const told = changes.map(({ header, content }) =>
          header.type === 'End' ? `End ${header.skippedEntries}` : `${header.type} ${header.path} ${content}`.trim(),
        );
        const removed = ['Removed dir/link', 'Removed file', 'Removed gone', 'Removed old', 'Removed same'];
        expect(told.toSorted()).toEqual(
          takesLinks === undefined
            ? ['End 5', ...removed]
            : ['End 1', 'Link file /usr/x', 'Link old new', 'Removed gone'],
        );
      },
    );

  verifies(
    'provenance:links-labelled',
    'takes no link that could lead a file elsewhere, or that says what it may not',
    async () => {
      const { claimant } = await cold();
      const hostile = [
        archive({ 'a/b': 'x' }, { a: '/etc' }),
        archive({}, { a: '/etc', 'a/b': 'x' }),
        archive({ a: 'x' }, { a: '/etc' }),
        archive({}, { '../a': 'x' }),
        archive({}, { a: 'x\ny' }),
        archive({}, { a: '' }),
      ];
      for (const body of hostile) expect(await claimant.send('/files', { body })).toMatchObject({ status: 400 });
      expect((await claimant.whole('ls -A', { files: { b: '' } })).stdout).toBe('b\n');
    },
  );

  verifies('sandbox-runner:each-step-once', 'takes each step once, and the same again as done', async () => {
    const { claimant } = await cold();
    expect(await claimant.run('true')).toMatchObject({ status: 409, reason: 'RunAlready' });
    expect(await claimant.send('/output?from=0', { method: 'GET' })).toMatchObject({ status: 409 });
    expect((await claimant.files({ a: '1' })).status).toBe(204);
    expect((await claimant.files({ a: '1' })).status).toBe(204);
    expect(await claimant.files({ a: '2' })).toMatchObject({ status: 409, reason: 'FilesAlready' });
    expect(await claimant.changes()).toBe('NotEnded');
    expect((await claimant.run('echo ran >> runs; cat runs')).status).toBe(202);
    expect((await claimant.run('echo ran >> runs; cat runs')).status).toBe(202);
    expect(await claimant.run('echo other')).toMatchObject({ status: 409, reason: 'RunAlready' });
    expect(wholeRun(await claimant.output()).stdout).toBe('ran\n');
    expect((await claimant.run('echo ran >> runs; cat runs')).status).toBe(202);
    expect(wholeRun(await claimant.output()).stdout).toBe('ran\n');
  });

  it('runs a command without a script, and shows no variable of the runner', async () => {
    const { claimant } = await cold();
    await claimant.files();
    const { script, ...rest } = runRequest('', { proxyUrl: 'http://grant:word@127.0.0.1:3128' });
    expect(script).toBeDefined();
    await claimant.send('/run', { body: JSON.stringify({ ...rest, command: ['env'] }) });
    const names = wholeRun(await claimant.output())
      .stdout.split('\n')
      .map((line) => line.split('=')[0]);
    const own = [...Object.keys(programEnvironment({ tmpDirectory: '/tmp', path: '' })), 'PWD', 'SHLVL', '_'];
    const proxy = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'];
    expect(names.filter((name) => name !== '' && ![...own, ...proxy].includes(name ?? ''))).toEqual([]);
    expect(names).toContain('https_proxy');
  });

  const languages = { bash: 'Bash', javascript: 'JavaScript', python: 'Python' } as const;
  for (const { name, language, files, script, needs = 'true', prints } of [...PLANTED_CODE, ...NEIGHBOURS])
    verifies('sandbox:runs-no-planted-code', name, async () => {
      if (spawnSync('/bin/sh', ['-c', `command -v ${language === 'python' ? 'python3' : needs}`]).status !== 0) return;
      const { claimant } = await cold();
      const run = await claimant.whole(script, { language: languages[language], files });
      expect(`${run.stdout}${run.stderr}`).toBe(prints);
    });

  verifies('sandbox-runner:output-resumes', 'says again what a reader missed, from any number', async () => {
    const { claimant } = await cold();
    await claimant.files();
    await claimant.run('for i in 1 2 3; do echo $i; sleep 0.2; done');
    // A reader that goes away in the middle.
    const path = '/output?from=0';
    const headers = signedHeaders({ port: claimant.port, key, sequence: claimant.nextSequence, method: 'GET', path });
    const socket = connect(claimant.port, '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`);
    await once(socket, 'data');
    socket.destroy();
    const all = await claimant.output();
    expect(wholeRun(all).stdout).toBe('1\n2\n3\n');
    expect(await claimant.output(1)).toEqual(all.slice(1));
    expect(await claimant.output(all.length)).toEqual([]);
    expect(await claimant.send('/output?from=x', { method: 'GET' })).toMatchObject({ status: 400 });
  });

  verifies('sandbox-runner:output-is-bounded', 'keeps the head of each stream and counts the rest', async () => {
    const { claimant } = await cold();
    const script = 'head -c 100000 /dev/zero | tr "\\0" o; head -c 3000 /dev/zero | tr "\\0" e >&2';
    const run = await claimant.whole(script, { limits: { outputBytes: 2048 } });
    expect([run.stdout, run.stderr]).toEqual(['o'.repeat(2048), 'e'.repeat(2048)]);
    expect(run.ended.droppedBytes).toBe(100_000 - 2048 + 3000 - 2048);
  });

  it('leaves terminal escapes as data', async () => {
    const { claimant } = await cold();
    expect((await claimant.whole('printf "\\033[2J\\033]0;owned\\007"')).stdout).toBe('\u001b[2J\u001b]0;owned\u0007');
  });

  it('ends by itself when its claimant stays away, and when nobody comes', async () => {
    const runner = await start({ operatorKey: operator.publicKey, idleMs: 300 });
    expect(await runner.ended).toBe(0);
    expect(await runner.termination()).toEqual({ end: 'NotClaimed', truncated: false, durationMs: 0 });
  });

  it('ends what runs when the pod is stopping, and says so', async () => {
    const { runner, claimant } = await cold();
    await claimant.files();
    await claimant.run('sleep 60');
    const path = '/output?from=0';
    const { port, key: signer, nextSequence: sequence } = claimant;
    const headers = signedHeaders({ port, key: signer, sequence, method: 'GET', path });
    // Resolves with the headers: the runner knows of this reader before it is told to stop.
    const output = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    while (readdirSync(runner.tmpDirectory).length === 0) await new Promise((resolve) => setImmediate(resolve));
    runner.child.kill('SIGTERM');
    const lines = (await output.text()).split('\n').filter(Boolean);
    expect(wholeRun(lines.map((line) => JSON.parse(line) as RunEvent)).ended).toMatchObject({
      end: 'Killed',
      reason: 'the pod is stopping',
    });
    expect(await runner.ended).toBe(0);
    expect(await runner.termination()).toMatchObject({ end: 'Killed' });
    expect(await runner.termination()).not.toHaveProperty('released');
  });

  it('opens no debugger on a signal', async () => {
    const { runner, claimant } = await cold();
    runner.child.kill('SIGUSR1');
    expect((await claimant.files()).status).toBe(204);
    const debuggerPort = connect(9229, '127.0.0.1');
    await expect(once(debuggerPort, 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('strangers', () => {
  verifies('sandbox-runner:obeys-its-claimant-only', 'refuses every request that is not rightly signed', async () => {
    const { claimant, runner } = await cold();
    const other = keyPair();
    await claimant.files();
    const right = { port: runner.port, key, path: '/stop' };
    const used = claimant.nextSequence;
    await claimant.send('/nothing', { sequence: used });
    const wrong: readonly (readonly [string, Parameters<typeof send>[0]])[] = [
      ['another key', { ...right, key: other, sequence: 1000 }],
      ['another pod', { ...right, podUid: 'other-pod', sequence: 1000 }],
      ['another path', { ...right, signedPath: '/run', sequence: 1000 }],
      [
        'another query',
        { ...right, method: 'GET', path: '/output?from=1', signedPath: '/output?from=0', sequence: 1000 },
      ],
      ['a sequence that was used', { ...right, sequence: 1 }],
      ['sequence 0', { ...right, sequence: 0 }],
      ['a negative sequence', { ...right, sequence: -5 }],
      ['a fraction', { ...right, sequence: 1.5 }],
      ['no number', { ...right, sequence: 'NaN' }],
      ['more than is exact', { ...right, sequence: '9007199254740993' }],
      ['exponents', { ...right, sequence: '1e9' }],
      ['a leading zero', { ...right, sequence: '01000' }],
      ['no sequence', { ...right, sequence: 1000, headers: { 'retainer-sequence': undefined } }],
      ['no digest', { ...right, sequence: 1000, headers: { 'retainer-digest': undefined } }],
      ['no signature', { ...right, sequence: 1000, headers: { 'retainer-signature': undefined } }],
      ['an empty signature', { ...right, sequence: 1000, headers: { 'retainer-signature': '' } }],
      ['a short signature', { ...right, sequence: 1000, headers: { 'retainer-signature': 'AAAA' } }],
      ['a signature of zeros', { ...right, sequence: 1000, headers: { 'retainer-signature': `${'A'.repeat(86)}==` } }],
      ['a digest of another kind', { ...right, sequence: 1000, digest: 'md5:0' }],
      [
        'another method',
        {
          ...right,
          method: 'GET',
          path: '/files',
          headers: { ...signedHeaders({ ...right, path: '/files', sequence: 1000 }) },
          sequence: 1000,
        },
      ],
    ];
    for (const [name, request] of wrong) expect([name, (await send(request)).status]).toEqual([name, 401]);
    // The runner is as it was, and none of them used up a sequence.
    expect((await claimant.run('true')).status).toBe(202);
  });

  it.each([
    { name: 'a body on a request without one', path: '/stop', body: 'x', status: 400 },
    { name: 'a run that is no JSON', path: '/run', body: '{', status: 400 },
    { name: 'a run without anything', path: '/run', body: '{}', status: 400 },
    { name: 'a list', path: '/run', body: '[]', status: 400 },
    { name: 'null', path: '/run', body: 'null', status: 400 },
    {
      name: 'script and command',
      path: '/run',
      body: JSON.stringify({ ...runRequest('x'), command: ['x'] }),
      status: 400,
    },
    { name: 'neither', path: '/run', body: JSON.stringify({ ...runRequest('x'), script: undefined }), status: 400 },
    {
      name: 'an unknown language',
      path: '/run',
      body: JSON.stringify({ ...runRequest('x'), script: { language: 'Perl' } }),
      status: 400,
    },
    {
      name: 'another script than its digest',
      path: '/run',
      body: JSON.stringify({ ...runRequest('x'), script: { ...runRequest('x').script, text: 'y' } }),
      status: 400,
    },
    { name: 'no time at all', path: '/run', body: JSON.stringify(runRequest('x', { timeoutMs: 0 })), status: 400 },
    { name: 'no end of time', path: '/run', body: JSON.stringify(runRequest('x', { timeoutMs: 1e12 })), status: 400 },
    {
      name: 'no end of output',
      path: '/run',
      body: JSON.stringify(runRequest('x', { limits: { outputBytes: 1e12 } })),
      status: 400,
    },
    {
      name: 'a privileged port',
      path: '/run',
      body: JSON.stringify(runRequest('x', { ports: [{ name: 'a', port: 22 }] })),
      status: 400,
    },
    { name: 'a run of 17 MB', path: '/run', body: Buffer.alloc(17_000_000, 0x20), status: 413 },
    {
      name: 'another body than was signed',
      path: '/files',
      body: archive({ a: 'x' }),
      digest: `sha256:${'0'.repeat(64)}`,
      status: 400,
    },
    { name: 'an archive of nothing', path: '/files', body: '', status: 400 },
    { name: 'an archive cut off', path: '/files', body: archive({ a: 'abc' }).subarray(0, -40), status: 400 },
    { name: 'a path that leaves', path: '/files', body: archive({ '../x': 'abc' }), status: 400 },
    { name: 'an absolute path', path: '/files', body: archive({ '/etc/x': 'abc' }), status: 400 },
    {
      name: 'a path twice',
      path: '/files',
      body: Buffer.concat([archive({ a: '1' }).subarray(0, -45), archive({ a: '2' })]),
      status: 400,
    },
    {
      name: 'a claim of a cold runner',
      path: '/claim',
      body: JSON.stringify(signedClaim(operator, { podUid: 'pod-uid', runUid: 'r', publicKey: key.publicKey })),
      status: 409,
    },
    { name: 'an unknown path', path: '/exec', body: '', status: 404 },
    { name: 'a path with dots', path: '/../run', body: '', status: 404 },
    { name: 'two slashes', path: '//', body: '', status: 404 },
    { name: 'an unknown method', path: '/run', body: '', method: 'DELETE', status: 404 },
    { name: 'a served port that is not there', path: '/serve/web/', body: '', status: 404 },
  ])('are told $status for $name, and nothing has happened', async ({ path, body, status, ...rest }) => {
    const { claimant, runner } = await cold();
    if (path === '/run') await claimant.files();
    expect((await claimant.send(path, { body, ...rest })).status).toBe(status);
    if (path !== '/run') expect((await claimant.files({ ok: 'ok' })).status).toBe(204);
    expect(await readdir(runner.workDirectory)).toEqual(path === '/run' ? [] : ['ok']);
    expect((await claimant.run('echo fine')).status).toBe(202);
  });
});

describe('a warm runner', () => {
  const claimOf = (publicKey: string, podUid = 'pod-uid'): { podUid: string; runUid: string; publicKey: string } => ({
    ...{ podUid, runUid: 'run-1', publicKey },
  });

  verifies('sandbox-runner:claimed-once', 'belongs to whom the operator named first, and to nobody else', async () => {
    const runner = await start({ operatorKey: operator.publicKey });
    const claimant = new RunnerClaimant(runner.port, key);
    const other = new RunnerClaimant(runner.port, keyPair());
    const health = async (): Promise<number> =>
      (await send({ port: runner.port, key, sequence: 1, method: 'GET', path: '/healthz?unclaimed' })).status;
    expect(await claimant.files()).toMatchObject({ status: 409, reason: 'NotClaimed' });
    expect(await health()).toBe(200);
    const ours = JSON.stringify(signedClaim(operator, claimOf(key.publicKey)));
    const byNobody = JSON.stringify(signedClaim(keyPair(), claimOf(key.publicKey)));
    const ofAnotherPod = JSON.stringify(signedClaim(operator, claimOf(key.publicKey, 'other-pod')));
    expect(await claimant.send('/claim', { body: byNobody })).toMatchObject({
      status: 401,
      reason: 'SignatureInvalid',
    });
    expect(await claimant.send('/claim', { body: ofAnotherPod })).toMatchObject({ reason: 'ClaimOfAnotherPod' });
    // Somebody who overheard the claim has not the key it names.
    expect(await other.send('/claim', { body: ours })).toMatchObject({ status: 401 });
    expect(await claimant.send('/claim', { body: 'x'.repeat(5000) })).toMatchObject({ status: 413 });
    expect((await claimant.send('/claim', { body: ours })).status).toBe(204);
    expect((await claimant.send('/claim', { body: ours })).status).toBe(204);
    const second = JSON.stringify(signedClaim(operator, claimOf(other.key.publicKey)));
    expect(await other.send('/claim', { body: second })).toMatchObject({ status: 409, reason: 'ClaimedAlready' });
    expect(await health()).toBe(503);
    expect((await claimant.whole('echo mine')).stdout).toBe('mine\n');
    expect((await other.send('/stop', { sequence: 10_000 })).status).toBe(401);
  });
});

describe('files that come out', () => {
  verifies(
    'sandbox-runner:gives-files-only',
    'are regular ones below the work directory, and never through a link',
    async () => {
      const { claimant, runner } = await cold();
      writeFileSync(join(directory.path, 'secret'), 'secret of the host');
      const script = [
        'ln -s /etc/passwd link; ln -s / root; ln -s . self; mkfifo pipe; mkdir empty',
        'rm in.txt; ln -s /etc/passwd in.txt; rm -r sub; ln -s / sub',
        `ln ${join(directory.path, 'secret')} hard 2>/dev/null`,
        "mknod device c 1 3 2>/dev/null; printf x > $'\\xff\\xfe'; printf y > $'new\\nline'; printf z > ok; chmod +x ok",
        "node -e \"require('net').createServer().listen('socket', () => process.kill(process.pid, 9))\"; exit 0",
      ].join('\n');
      await claimant.whole(script, { files: { 'in.txt': 'in', 'sub/a': 'a' } });
      const changes = await claimant.changes();
      if (typeof changes === 'string') throw new Error(changes);
      const paths = changes.flatMap(({ header }) => (header.type === 'End' ? [] : [`${header.type} ${header.path}`]));
      // A hard link to another's file is the file itself; in a pod there is none to link to.
      expect(paths.filter((path) => path !== 'File hard')).toEqual(['Removed in.txt', 'Removed sub/a', 'File ok']);
      expect(changes.find(({ header }) => header.type === 'File' && header.path === 'ok')?.header).toMatchObject({
        isExecutable: true,
      });
      expect(changes.at(-1)?.header).toMatchObject({ type: 'End' });
      expect(readdirSync(runner.workDirectory).filter((name) => name.startsWith('.retainer'))).toEqual([]);
    },
  );

  it('are not more than one archive holds', async () => {
    const { claimant } = await cold({ scratchBytes: 2 ** 40 });
    await claimant.whole('seq 20001 | xargs touch');
    expect(await claimant.changes()).toBe('ArchiveTooLarge');
  });

  it.each([
    ['a flood', 'for i in $(seq 9); do head -c 1000000 /dev/zero > flood.$i; done; sleep 20', 'Killed'],
    ['a file that the kernel ended at the limit', 'rm in.txt; exec head -c 5000000 /dev/zero > big', 'Killed'],
    ['files up to the limit', 'rm in.txt; head -c 4194304 /dev/zero > big', 'Exited'],
    ['holes', 'truncate -s 3M one two three', 'Exited'],
  ])('are none after %s: the next run would begin with more than it may hold', async (_, script, end) => {
    const { claimant } = await cold({ scratchBytes: 4_194_304 });
    const run = await claimant.whole(script, { files: { 'in.txt': 'in' } });
    expect(run.ended.end).toBe(end);
    expect(await claimant.changes()).toBe('ArchiveTooLarge');
  });
});

describe('mode Serve', () => {
  const server = (port: number): string => `
    const http = require('http');
    const server = http.createServer((request, response) => {
      let body = ''; request.on('data', (chunk) => { body += chunk; });
      request.on('end', () => { response.setHeader('x-own', 'yes'); response.end(JSON.stringify({ url: request.url, method: request.method, body, headers: request.headers })); });
    });
    server.on('upgrade', (request, socket, head) => { socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: echo\\r\\nconnection: upgrade\\r\\n\\r\\n'); socket.write(head); socket.pipe(socket); });
    server.listen(${port}, '127.0.0.1', () => console.log('listening'));
  `;

  verifies(
    'sandbox-runner:serves-its-claimant-only',
    'hands signed requests and upgrades to the port that was named',
    async () => {
      const { claimant, runner } = await cold();
      await claimant.files();
      const port = await freePort();
      await claimant.run(server(port), { language: 'JavaScript', ports: [{ name: 'web', port }], timeoutMs: 30_000 });
      let answer = await claimant.send('/serve/web/a/b?c=d', { body: 'hello', headers: { cookie: 'x=y' } });
      while (answer.status === 502)
        answer = await claimant.send('/serve/web/a/b?c=d', { body: 'hello', headers: { cookie: 'x=y' } });
      const seen = JSON.parse(answer.body.toString()) as { headers: Record<string, string> };
      expect(seen).toMatchObject({ url: '/a/b?c=d', method: 'POST', body: 'hello', headers: { cookie: 'x=y' } });
      expect(Object.keys(seen.headers).filter((name) => name.startsWith('retainer-'))).toEqual([]);
      expect(answer.headers['x-own']).toBe('yes');
      expect((await claimant.send('/serve/other/', { method: 'GET' })).status).toBe(404);
      expect((await send({ port: runner.port, key: keyPair(), sequence: 9999, path: '/serve/web/' })).status).toBe(401);
      expect(await upgraded(claimant, true)).toContain('ping');
      expect(await upgraded(claimant, false)).toContain('401');
      expect((await claimant.send('/stop')).status).toBe(204);
    },
  );

  it('says that a port does not answer, not that it is unknown, once its code has ended', async () => {
    const { claimant } = await cold();
    await claimant.files();
    const port = await freePort();
    await claimant.whole('process.exit(4)', { language: 'JavaScript', ports: [{ name: 'web', port }] });
    expect((await claimant.send('/serve/web/', { method: 'GET' })).status).toBe(502);
    expect((await claimant.send('/serve/other/', { method: 'GET' })).status).toBe(404);
  });

  async function upgraded(claimant: RunnerClaimant, isSigned: boolean): Promise<string> {
    const path = '/serve/web/socket';
    const headers = signedHeaders({
      port: claimant.port,
      key: isSigned ? key : keyPair(),
      sequence: claimant.nextSequence,
      method: 'GET',
      path,
    });
    const socket = connect(claimant.port, '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: echo\r\n${lines.join('')}\r\nping`,
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('ping')) socket.destroy();
    });
    await once(socket, 'close');
    return text;
  }
});

describe('abuse', () => {
  const limits = {
    processes: ABUSE_LIMITS.processes,
    outputBytes: ABUSE_LIMITS.outputBytes,
  };

  verifies('sandbox-runner:contains-abuse', 'ends at its limit, and the runner lives on to say so', async () => {
    for (const abuse of ABUSE_SCRIPTS.filter(({ needs }) => needs === 'Nothing')) {
      directory = temporaryDirectory();
      const { claimant, runner } = await cold({ scratchBytes: ABUSE_LIMITS.scratchBytes });
      const { language, timeoutMs } = abuse;
      const { ended } = await claimant.whole(abuse.script, { language, timeoutMs, limits });
      expect({ name: abuse.name, ...ended }).toMatchObject({
        name: abuse.name,
        end: abuse.end,
        reason: expect.stringContaining(abuse.reason ?? ''),
      });
      expect(ended.durationMs).toBeLessThan(timeoutMs + GRACE_MS);
      expect((await claimant.send('/stop')).status).toBe(204);
      expect(await runner.ended).toBe(0);
      await directory.remove();
    }
  });

  it('never runs longer than the operator says, whatever the claimant asks', async () => {
    const { claimant } = await cold({ maxRunMs: 500 });
    const { ended } = await claimant.whole('sleep 60', { timeoutMs: 60_000 });
    expect(ended).toMatchObject({ end: 'TimedOut', exitCode: 137 });
  });
});
