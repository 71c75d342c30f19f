import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noProxies } from '@retainer/contract/std/proxies';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { connectCluster } from './connect-cluster.ts';

let directory = '';
const server = new FakeApiServer();
const file = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-kubeconfig-'));
  await server.start();
  for (const [name, address] of [
    ['here', server.url],
    ['there', 'https://there.example'],
  ] as const) {
    const named = (kind: string, value: object) => [{ name, [kind]: value }];
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: named('cluster', { server: address, 'insecure-skip-tls-verify': true }),
      users: named('user', { token: `engineer-${name}` }),
      contexts: named('context', { cluster: name, user: name }),
      'current-context': name,
    };
    await writeFile(file(name), JSON.stringify(config));
  }
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

const none = { kubeconfigs: [], service: undefined, proxies: noProxies };

async function addressOf(...args: Parameters<typeof connectCluster>): Promise<string> {
  const connected = await connectCluster(...args);
  if (!connected.ok) return connected.error.replaceAll(directory, 'DIR');
  connected.value.client.close();
  return connected.value.address;
}

describe('connectCluster', () => {
  it('reaches the server of a kubeconfig as its user, and says who asks', async () => {
    const connected = await connectCluster({ kubeconfig: file('here') }, none, '9.9.9');
    if (!connected.ok) throw new Error(connected.error);
    await connected.value.client.raw('GET', '/version');
    connected.value.client.close();
    expect(server.audit.at(-1)).toMatchObject({ user: 'engineer-here' });
  });

  it('takes the first of the files of the environment, and leaves out those that are missing', async () => {
    const environment = { ...none, kubeconfigs: [file('missing'), file('there'), file('here')] };
    expect(await addressOf({}, environment, '1')).toBe('https://there.example');
    expect(await addressOf({ context: 'here' }, environment, '1')).toBe(server.url);
    expect(await addressOf({ kubeconfig: file('here') }, environment, '1')).toBe(server.url);
  });

  it.each([
    ['no file at all', {}, /^no kubeconfig at DIR\/missing: give one with --kubeconfig FILE, or set KUBECONFIG$/],
    ['a named file that is missing', { kubeconfig: 'nowhere' }, /^nowhere cannot be used: ENOENT/],
  ])('says what to do about %s', async (_, choice, told) => {
    expect(await addressOf(choice, { ...none, kubeconfigs: [file('missing')] }, '1')).toMatch(told);
  });

  it('names the contexts’ file where a context is unknown', async () => {
    const told = await addressOf({ kubeconfig: file('here'), context: 'prod' }, none, '1');
    expect(told).toBe('DIR/here cannot be used: no context "prod" in DIR/here: use one of its contexts');
  });
});
