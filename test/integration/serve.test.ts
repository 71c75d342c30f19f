/** Code that keeps ports open: real runners, an API server in this process, the agent's own HTTP in front. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, type Listener } from '@retainer/kube/listen';
import { ServeForward } from '../../agent-pod/src/http/serve-forward.ts';
import type { Serving, ServingPort } from '@retainer/agent-pod/ports/serving-port';
import { resources } from '@retainer/kube/resources';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { sandboxAgent, sandboxRequest, serveRequest } from '../support/sandbox-agent.ts';
import { SandboxOperator } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { freePort } from '../support/free-port.ts';
import { verifies } from '../verifies.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let operator: SandboxOperator;
let client: ReturnType<typeof fakeKubeClient>;
let workspace: string;
let http: Listener;
let serving: ServingPort;
const never = new AbortController().signal;

beforeEach(async () => {
  directory = temporaryDirectory();
  workspace = join(directory.path, 'workspace');
  mkdirSync(workspace);
  server = await startFakeApiServer();
  client = fakeKubeClient(server, { user: 'ada' });
  operator = new SandboxOperator({ server, directory: directory.path });
  operator.start();
  serving = port(2);
  const forward = new ServeForward(() => serving);
  const routes = { '/healthz': () => ({ status: 200, contentType: 'text/plain', body: 'ok' }) };
  http = await listen({ port: 0, routes, subtree: forward });
});
afterEach(async () => {
  await http.close();
  for (const { id } of serving.list()) await serving.stop(id);
  await operator.stop();
  client.close();
  await server.stop();
  await directory.remove();
});

function port(servedMax: number): ServingPort {
  const sandbox = sandboxAgent({ client, directory: join(directory.path, 'own'), servedMax });
  if (sandbox.serving === undefined) throw new Error('this sandbox serves');
  return sandbox.serving;
}

/** Tells what it was asked, and misbehaves by path. */
function script(listenPort: number): string {
  return `
    const http = require('http');
    const waiting = [];
    const server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const path = request.url.split('?')[0];
        if (path === '/wait') { waiting.push(response); return; }
        if (path === '/go') { for (const one of waiting.splice(0)) one.end('went'); response.end('gone'); return; }
        if (path === '/away') { response.writeHead(302, { location: request.url.split('?')[1] }); response.end(); return; }
        if (path === '/flood') { const chunk = Buffer.alloc(1 << 20); const more = () => { while (response.write(chunk)); }; response.on('drain', more); more(); return; }
        if (path === '/switch') { request.socket.end('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: x\\r\\nconnection: upgrade\\r\\n\\r\\n'); return; }
        if (path === '/status') { request.socket.end('HTTP/1.1 ' + request.url.split('?')[1] + ' X\\r\\ncontent-length: 0\\r\\n\\r\\n'); return; }
        if (path === '/exit') { response.end('bye', () => process.exit(3)); return; }
        response.writeHead(path === '/missing' ? 404 : 200, {
          'content-type': 'text/html', 'set-cookie': 'a=b', 'access-control-allow-origin': '*', 'content-security-policy': "default-src *",
          'clear-site-data': '"*"', 'www-authenticate': 'Basic', etag: '"1"', refresh: '0; url=http://elsewhere.example/',
        });
        response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
      });
    });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/no') return socket.end('HTTP/1.1 403 Forbidden\\r\\nset-cookie: a=b\\r\\ncontent-length: 0\\r\\n\\r\\n');
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nset-cookie: a=b\\r\\nupgrade: echo\\r\\nconnection: upgrade\\r\\n\\r\\nhi ');
      socket.write(head); socket.pipe(socket); socket.on('error', () => {});
    });
    server.listen(${listenPort}, '127.0.0.1');`;
}

async function begin(change: Parameters<typeof serveRequest>[3] = {}): Promise<Serving> {
  const listenPort = await freePort();
  const start = await serving.serve(serveRequest(workspace, script(listenPort), listenPort, change), never);
  if (start.type !== 'Serving') throw new Error(`it ended: ${start.result.stderr}`);
  expect(start.isAnswering).toBe(true);
  return start.serving;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function ask(
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: http.port, path, method, headers, agent: false });
    request.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject).on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
      });
    });
    request.end(body);
  });
}

/** Sends bytes and collects what comes until `until` is there or the connection ends. */
async function raw(text: string, until: string): Promise<{ readonly text: string; readonly end: () => void }> {
  const socket = connect(http.port, '127.0.0.1');
  socket.on('error', () => undefined);
  let seen = '';
  socket.setEncoding('utf8').write(text);
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    seen += chunk;
    if (seen.includes(until)) break;
  }
  return { text: seen, end: () => socket.destroy() };
}

const left = (): readonly unknown[] => server.list(resources.sandboxRuns);
const intents = (): readonly string[] => readdirSync(join(directory.path, 'own', 'serve-intents'));
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
};
const upgradeText = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: ada\r\nconnection: Upgrade\r\nupgrade: echo\r\ncookie: a=b\r\n\r\nmore`;

describe('served code', () => {
  verifies(
    'serve:reached-through-the-agent',
    'answers requests, redirects and upgrades below its address',
    async () => {
      writeFileSync(join(workspace, 'in.txt'), 'hello');
      const { id, ports, deadlineMs } = await begin();
      expect(left()).toMatchObject([{ spec: { mode: 'Serve', ports } }]);
      const base = `/serve/${id}/web`;
      const answer = await ask(`${base}/a/b?c=d`, { method: 'POST', body: 'text', headers: { 'content-type': 'a/b' } });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({
        method: 'POST',
        url: '/a/b?c=d',
        body: 'text',
        headers: { 'content-type': 'a/b' },
      });
      expect((await ask(`${base}/missing`)).status).toBe(404);
      expect(await ask(base)).toMatchObject({ status: 308, headers: { location: `${base}/` } });
      const away = async (to: string): Promise<unknown> => (await ask(`${base}/away?${to}`)).headers.location;
      expect([await away('/login'), await away('next'), await away('http://elsewhere.example/')]).toEqual([
        `${base}/login`,
        'next',
        undefined,
      ]);
      const list = JSON.parse((await ask('/serve/')).body) as unknown;
      const shown = [{ name: 'web', port: ports[0]?.port, path: `${base}/` }];
      expect(list).toEqual({ serving: [{ id, until: new Date(deadlineMs).toISOString(), ports: shown }] });
      const upgraded = await raw(upgradeText(`${base}/socket`), 'more');
      expect(upgraded.text).toMatch(/^HTTP\/1\.1 101 /);
      expect(upgraded.text).toMatch(/\r\n\r\nhi more$/);
      upgraded.end();
      expect((await ask('/healthz')).body).toBe('ok');
    },
  );

  verifies('serve:no-credentials', 'sees no credential and leaves none', async () => {
    const { id } = await begin();
    const headers = {
      ...{ cookie: 'session=1', authorization: 'Bearer x', 'proxy-authorization': 'Basic x', 'x-api-key': 'x' },
      ...{ origin: 'http://ada', referer: 'http://ada/x', 'x-forwarded-for': '10.0.0.1', host: 'ada.home:8080' },
    };
    const answer = await ask(`/serve/${id}/web/`, { headers });
    const seen = Object.keys((JSON.parse(answer.body) as { headers: object }).headers);
    expect(seen.toSorted()).toEqual(['connection', 'content-length', 'host']);
    expect(Object.keys(answer.headers).toSorted()).toEqual(
      [
        ...['cache-control', 'connection', 'content-security-policy', 'content-type', 'cross-origin-opener-policy'],
        ...['date', 'etag', 'referrer-policy', 'transfer-encoding', 'x-content-type-options', 'x-frame-options'],
      ].toSorted(),
    );
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src ada\.home:8080\/serve\//);
    expect(policy).not.toContain('allow-same-origin');
    expect((await raw(upgradeText(`/serve/${id}/web/no`), '\r\n\r\n')).text).not.toContain('cookie');
    const upgraded = await raw(upgradeText(`/serve/${id}/web/`), 'hi');
    expect(upgraded.text).not.toContain('cookie');
    upgraded.end();
  });

  verifies('serve:side-by-side', 'answers one request while another one waits', async () => {
    const { id } = await begin();
    const waiting = [ask(`/serve/${id}/web/wait`), ask(`/serve/${id}/web/wait`)];
    const many = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`/serve/${id}/web/${index}`)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask(`/serve/${id}/web/go`)).body).toBe('gone');
    expect((await Promise.all(waiting)).map(({ body }) => body)).toEqual(['went', 'went']);
  });

  verifies('serve:bounded', 'in bodies, answers, and in number', async () => {
    const { id } = await begin();
    const base = `/serve/${id}/web`;
    expect((await ask(`${base}/`, { method: 'POST', body: 'x'.repeat(1_048_577) })).status).toBe(413);
    expect((await ask(`${base}/`, { method: 'PROPFIND' })).status).toBe(405);
    // However the cut of a connection reaches a client.
    await expect(ask(`${base}/flood`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect((await ask(`${base}/switch`)).status).toBe(502);
    const statusOf = async (code: number): Promise<number> => (await ask(`${base}/status?${code}`)).status;
    expect([await statusOf(204), await statusOf(599), await statusOf(700)]).toEqual([204, 599, 502]);
    // None of them is answered but those that are too many.
    const waiting = Array.from({ length: 33 }, () => ask(`${base}/wait`).catch(() => undefined));
    expect(await Promise.race(waiting)).toMatchObject({ status: 503 });
    await serving.stop(id);
    await Promise.all(waiting);
    await begin({ idempotencyKey: 'call-2' });
    await begin({ idempotencyKey: 'call-3' });
    await expect(begin({ idempotencyKey: 'call-4' })).rejects.toThrow('not more than 2');
  });

  verifies('serve:ends-in-time', 'at its deadline, when it is stopped, and when the code ends', async () => {
    const first = await begin({ timeoutMs: 2500 });
    const upgraded = raw(upgradeText(`/serve/${first.id}/web/`), 'never');
    await until(() => Date.now() >= first.deadlineMs);
    expect((await ask(`/serve/${first.id}/web/`)).status).toBe(404);
    expect((await upgraded).text).toContain('hi ');
    await until(() => left().length === 0 && intents().length === 0);
    const second = await begin({ idempotencyKey: 'call-2' });
    const open = raw(upgradeText(`/serve/${second.id}/web/`), 'never');
    expect([await serving.stop(second.id), await serving.stop(second.id)]).toEqual([true, false]);
    expect((await open).text).toMatch(/^HTTP/);
    expect((await ask(`/serve/${second.id}/web/`)).status).toBe(404);
    await until(() => left().length === 0 && intents().length === 0);
    const third = await begin({ idempotencyKey: 'call-3' });
    expect((await ask(`/serve/${third.id}/web/exit`)).body).toBe('bye');
    await until(() => left().length === 0 && intents().length === 0);
    expect((await ask(`/serve/${third.id}/web/`)).status).toBe(404);
    expect(await serving.lookup('call-3')).toMatchObject({ type: 'Ended', result: { exitCode: 3 } });
    expect((await ask('/serve/')).body).toBe('{"serving":[]}\n');
  });

  it('is told of as it is when it ends at once, and is begun once', async () => {
    const request = serveRequest(workspace, 'console.error("no such module"); process.exit(4)', await freePort());
    const start = await serving.serve(request, never);
    expect(start).toMatchObject({ type: 'Ended', result: { exitCode: 4, stderr: 'no such module\n' } });
    expect(await serving.serve(request, never)).toEqual(start);
    await until(() => left().length === 0 && intents().length === 0);
    expect(operator.count).toBe(1);
    const again = await begin({ idempotencyKey: 'call-2' });
    const listenPort = again.ports[0]?.port ?? 0;
    const same = await serving.serve(serveRequest(workspace, '', listenPort, { idempotencyKey: 'call-2' }), never);
    expect(same).toMatchObject({ type: 'Serving', serving: again });
    expect(operator.count).toBe(2);
  });

  it('does not run when its caller gives up, or when the sandbox is refused', async () => {
    const stop = new AbortController();
    stop.abort();
    const request = serveRequest(workspace, 'setInterval(() => {}, 1000)', await freePort());
    expect(await serving.serve(request, stop.signal)).toMatchObject({ type: 'Ended', result: { end: 'Killed' } });
    server.faults.onRequest(({ user }) =>
      user === 'ada' ? { type: 'Refuse', status: 403, reason: 'Forbidden' } : undefined,
    );
    await expect(serving.serve({ ...request, idempotencyKey: 'call-2' }, never)).rejects.toThrow('refuses');
  });

  it('is nothing that an Agent may have who does not allow it', () => {
    const sandbox = sandboxAgent({ client, directory: join(directory.path, 'own') });
    expect(sandbox.serving).toBeUndefined();
    expect(sandboxRequest(workspace, '')).not.toHaveProperty('ports');
    expect(existsSync(join(directory.path, 'own', 'serve-intents'))).toBe(false);
  });
});
