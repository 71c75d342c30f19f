import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Agent } from '@retainer/contract/api/agent';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { BootError } from '../boot/boot-error.ts';
import { podRedis, redisOfFile } from './pod-redis.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

function specOn(name: string) {
  const spec = { characterRef: { name: 'ada' }, bus: { redis: { urlSecretRef: { name, key: 'url' } } } };
  return Agent.shape.spec.parse(spec);
}

async function mounted(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(root.path, name));
  for (const [key, text] of Object.entries(files)) await writeFile(join(root.path, name, key), text);
}

describe('the Redis of a pod', () => {
  it('is none where the Agent names none', async () => {
    const spec = Agent.shape.spec.parse({ characterRef: { name: 'ada' } });
    expect(await podRedis(spec, root.path)).toBeUndefined();
  });

  it('is read from its file, and whole URL and password are kept out of the record', async () => {
    const url = 'rediss://ada:p%40ss-word@redis.team:6380/2';
    await mounted('good', { url: `${url}\n` });
    const address = { host: 'redis.team', port: 6380, username: 'ada', password: 'p@ss-word', db: 2, isTls: true };
    expect(await podRedis(specOn('good'), root.path)).toEqual({
      address,
      secrets: [
        { name: 'redis-url', value: url },
        { name: 'redis-password', value: 'p@ss-word' },
      ],
    });
    expect(await redisOfFile(join(root.path, 'good/url'))).toEqual({ ok: true, value: address });
  });

  it.each([
    ['absent', undefined, 'SecretNotFound', 'kubectl create secret generic absent'],
    ['other-key', { password: 'x' }, 'SecretKeyNotFound', 'has no key url'],
    ['empty', { url: '\n' }, 'SecretKeyNotFound', 'is empty'],
    ['wrong', { url: 'http://ada:hidden@redis' }, 'ReconcileFailed', 'must have the form redis://'],
  ])('that is %s stops the start with the field and what to do', async (name, files, reason, told) => {
    if (files !== undefined) await mounted(name, files);
    const fault = await podRedis(specOn(name), root.path).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(BootError);
    const { message } = fault as BootError;
    expect(fault).toMatchObject({ reason });
    expect(message).toMatch(/^spec\.bus\.redis\.urlSecretRef: /);
    expect(message).toContain(told);
    expect(message).not.toContain('hidden');
    const found = await redisOfFile(join(root.path, name, 'url'));
    expect(found.ok ? '' : found.error).toContain(join(root.path, name, 'url'));
  });
});
