import { describe, expect, it } from 'vitest';
import { SandboxRun } from '@retainer/contract/api/sandbox-run';
import type { SandboxRequest } from '../../ports/sandbox-run.ts';
import { newKeyPair } from './sandbox-run-intent.ts';
import { parseEndpoint, sandboxRunName, sandboxRunObject, viewSandboxRun } from './sandbox-run-object.ts';
import { ProtectedPaths } from '../protected-paths.ts';

const owner = { namespace: 'default', name: 'ada', uid: 'uid', egress: ['example.org'], root: false };
const request: SandboxRequest = {
  ...{
    idempotencyKey: 'call',
    language: 'bash',
    script: 'secret words',
    stdin: 'more words',
    workspaceDirectory: '/w',
  },
  ...{ readOnlyPaths: [], limits: { timeoutMs: 1500, memoryBytes: 1, processes: 1, outputBytes: 1, fileBytes: 1 } },
};
const object = sandboxRunObject(owner, request, {
  name: sandboxRunName('ada', 'call'),
  publicKey: newKeyPair().publicKey,
});

describe('the SandboxRun of a request', () => {
  it('fits its kind, and holds digests in the place of contents', () => {
    expect(SandboxRun.safeParse(object)).toMatchObject({ success: true });
    expect(JSON.stringify(object)).not.toMatch(/words/);
  });

  it('asks for root where the Agent lets its code be root, and nowhere else', () => {
    const asked = (root: boolean): unknown =>
      SandboxRun.parse(
        sandboxRunObject({ ...owner, root }, request, { name: 'run', publicKey: newKeyPair().publicKey }),
      ).spec.root;
    expect([asked(false), asked(true)]).toEqual([false, true]);
  });

  it('has the same name for the same key, however long the agent’s is', () => {
    expect(sandboxRunName('a'.repeat(40), 'k')).toMatch(/^a{40}-[0-9a-f]{20}$/);
    expect(sandboxRunName('ada', 'k')).toBe(sandboxRunName('ada', 'k'));
    expect(sandboxRunName('ada', 'k')).not.toBe(sandboxRunName('ada', 'l'));
  });
});

describe('viewSandboxRun', () => {
  const condition = (type: string, reason: string): object => ({
    ...{ type, reason, status: 'True', message: 'm', lastTransitionTime: '2030-01-01T00:00:00Z' },
  });
  it.each([
    { name: 'nothing', status: undefined, view: { type: 'Waiting' } },
    {
      name: 'a condition',
      status: { conditions: [condition('Ready', 'Scheduling')] },
      view: { type: 'Waiting', why: 'Scheduling: m' },
    },
    { name: 'an endpoint alone', status: { endpoint: '10.0.0.1:7070' }, view: { type: 'Waiting' } },
    { name: 'a host name', status: { endpoint: 'evil.example:7070', podUid: 'p' }, view: { type: 'Waiting' } },
    {
      name: 'a runner',
      status: { endpoint: '10.0.0.1:7070', podUid: 'p' },
      view: { type: 'Reachable', host: '10.0.0.1', port: 7070, podUid: 'p' },
    },
    {
      name: 'a way out',
      status: { endpoint: '[fd00::1]:7070', podUid: 'p', egress: { proxy: '10.0.0.9:3128', grant: 'a.b' } },
      view: { type: 'Reachable', host: 'fd00::1', proxyUrl: 'http://grant:a.b@10.0.0.9:3128' },
    },
    {
      name: 'an end, whatever else',
      status: { endpoint: '10.0.0.1:7070', podUid: 'p', exitCode: 2, conditions: [condition('Complete', 'Exited')] },
      view: { type: 'Over', reason: 'Exited', exitCode: 2 },
    },
  ])('reads $name', ({ status, view }) => {
    expect(viewSandboxRun({ ...object, status })).toMatchObject(view);
  });

  it.each(['', 'x', '1.2.3.4', ':7070', '1.2.3.4:x', 'a.b:1', '[::1]', 'http://1.2.3.4:1', '1.2.3.4:7070/x'])(
    'finds no address in %j',
    (text) => {
      expect(parseEndpoint(text)).toBeUndefined();
    },
  );
});

describe('read-only paths', () => {
  it.each([
    { path: 'data', readOnly: ['data'], kept: true, refused: true },
    { path: 'data/x', readOnly: ['./data/'], kept: true, refused: true },
    { path: 'database', readOnly: ['data'], kept: false, refused: false },
    { path: 'a', readOnly: ['a/b'], kept: false, refused: true },
    { path: 'a/c', readOnly: ['a/b'], kept: false, refused: false },
    { path: 'anything', readOnly: ['.'], kept: true, refused: true },
  ])('$readOnly and $path', ({ path, readOnly, kept, refused }) => {
    const paths = new ProtectedPaths(readOnly);
    expect([paths.has(path), paths.wouldChange(path)]).toEqual([kept, refused]);
  });
});
