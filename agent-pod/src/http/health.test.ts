import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryDirectory } from '../../../test/support/agents.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { checked } from './health.ts';
import { listen } from '@retainer/kube/listen';
import { volumeProof } from './volume-proof.ts';

describe('health', () => {
  it('is 200 where all holds, else 503 with each reason', async () => {
    const well = { reason: 'A', fault: () => undefined };
    const unwell = { reason: 'B', fault: () => Promise.resolve('b is away') };
    expect(await checked([well])).toMatchObject({ status: 200, body: '{"ok":true,"reasons":[]}\n' });
    const answer = await checked([well, unwell]);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toEqual({ ok: false, reasons: [{ reason: 'B', message: 'b is away' }] });
  });

  it('is served on its path alone, and says nothing of what goes wrong inside', async () => {
    const routes = {
      '/ok': () => ({ status: 200, contentType: 'text/plain', body: 'ok' }),
      '/bad': () => Promise.reject(new Error('secret')),
    };
    const server = await listen({ port: 0, routes });
    const ask = async (path: string, method = 'GET'): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await ask('/ok?x=1')).toBe('200 ok');
    expect(await ask('/bad')).not.toContain('secret');
    expect(await ask('/toString')).toMatch(/^404/);
    expect(await ask('/ok', 'POST')).toMatch(/^405/);
    await server.close();
  });
});

describe('the proof of a volume', () => {
  it('writes and reads, and keeps the answer for a few seconds', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = manualClock();
      const proof = volumeProof(join(directory, 'cache'), clock);
      expect(await proof.fault()).toBeUndefined();
      const inTheWay = volumeProof(join(directory, 'file', 'cache'), clock);
      await writeFile(join(directory, 'file'), '');
      expect(await inTheWay.fault()).toContain('ENOTDIR');
      clock.advance(1_000);
      expect(inTheWay.fault()).toBe(inTheWay.fault());
    }));
});
