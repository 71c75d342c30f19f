/** `retainer run` in the network of a company, as a person starts it: a proxy, an authority of its own, a wrong address. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const certificates = makeCertificates();
const KEY = 'sk-ant-test-0123456789abcdef0123456789';
const authorityFile = join(root.path, 'authority.pem');
writeFileSync(authorityFile, certificates.ca);

/** One Task, so that requests can be counted. */
const manifests = join(root.path, 'manifests.yaml');
const honest = { id: 'honest', description: 'Be honest.', level: 'IntellectualHonesty', operator: 'Required' };
const objects = [
  { kind: 'CharacterSpec', name: 'plain', spec: { persona: 'A friend.', highestEndeavour: [honest] } },
  { kind: 'Agent', name: 'ada', spec: { characterRef: { name: 'plain' } } },
  { kind: 'Task', name: 'greet', spec: { agentRef: { name: 'ada' }, intent: 'Say hello.' } },
];
writeFileSync(
  manifests,
  objects
    .map(({ kind, name, spec }) => ({ apiVersion: 'retainer.dev/v1alpha1', kind, metadata: { name }, spec }))
    .map((object) => JSON.stringify(object))
    .join('\n---\n'),
);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => {
  endAll();
  return root.remove();
});

interface Served {
  readonly port: number;
  readonly requests: () => number;
  readonly connections: () => number;
}

/** Refuses every key. */
async function served(server: Server): Promise<Served> {
  let [requests, connections] = [0, 0];
  server.on('connection', () => (connections += 1));
  server.on('request', (request, response) => {
    requests += 1;
    request.resume();
    const isThere = request.url === '/v1/messages';
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    response.writeHead(isThere ? 401 : 404, { 'content-type': isThere ? 'application/json' : 'text/html' });
    response.end(isThere ? JSON.stringify({ type: 'error', error }) : '<html>PAGE-WORDS</html>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  return { port, requests: () => requests, connections: () => connections };
}

let runs = 0;

async function run(variables: Readonly<Record<string, string>>): Promise<Ended & { readonly told: string }> {
  runs += 1;
  const data = join(root.path, `data-${runs}`);
  const nobodys = { HTTPS_PROXY: '', https_proxy: '', HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: '' };
  const args = ['run', '-f', manifests, '--data', data, '--model', 'claude'];
  const ended = await startRetainer(args, { variables: { ...nobodys, ANTHROPIC_API_KEY: KEY, ...variables } }).ended;
  const told = `${ended.stdout}\n${ended.stderr}`;
  expect(told).not.toContain(KEY);
  return { ...ended, told: told.replace(/\s+/g, ' ') };
}

describe('a run in the network of a company', () => {
  it('goes through its proxy, with its authority, and shows the proxy nothing', async () => {
    const server = await served(createTlsServer(certificates.otherHost));
    const proxy = await startConnectProxy({ port: () => server.port });
    ends.push(() => proxy.close());
    const { told, code } = await run({
      ANTHROPIC_BASE_URL: 'https://other.example',
      HTTPS_PROXY: proxy.url.replace('//', '//ada:hunter2@'),
      NODE_EXTRA_CA_CERTS: authorityFile,
    });
    expect(code).toBe(4);
    expect(told).toContain('invalid x-api-key; check ANTHROPIC_API_KEY');
    expect(new Set(proxy.asked)).toEqual(new Set(['other.example:443']));
    expect(server.requests()).toBe(1);
    expect(proxy.heard()).not.toContain(KEY);
    expect(told).not.toContain('hunter2');
  });

  it('makes one handshake with a certificate that nobody vouches for, and names the remedy', async () => {
    const server = await served(createTlsServer(certificates.signed));
    const { told, code } = await run({ ANTHROPIC_BASE_URL: `https://localhost:${server.port}` });
    expect(code).toBe(4);
    expect(told).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(told).toContain('NODE_EXTRA_CA_CERTS');
    expect([server.connections(), server.requests()]).toEqual([1, 0]);
  });

  it('asks an address that ends with /v1 once, and says so', async () => {
    const server = await served(createServer());
    const { told, code } = await run({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}/v1` });
    expect(code).toBe(4);
    expect(told).toContain('the address must not end with /v1');
    expect(told).toContain('set ANTHROPIC_BASE_URL to');
    expect(told).not.toContain('PAGE-WORDS');
    expect(server.requests()).toBe(1);
  });

  it.each([
    ['a key of two lines', { ANTHROPIC_API_KEY: `${KEY}\n${KEY}` }, ['a line end', 'ANTHROPIC_API_KEY']],
    [
      'a plain address behind a proxy',
      { ANTHROPIC_BASE_URL: 'http://model.example', HTTP_PROXY: 'http://127.0.0.1:9' },
      ['clear text', 'NO_PROXY', 'ANTHROPIC_BASE_URL'],
    ],
    ['a proxy of another kind', { HTTPS_PROXY: 'socks5://127.0.0.1:9' }, ['HTTPS_PROXY', 'not supported']],
  ])('begins nothing with %s', async (_name, variables, words) => {
    const { told, code } = await run(variables);
    expect(code).toBe(1);
    for (const word of words) expect(told).toContain(word);
  });
});
