/** What the agent's program tells the operator of its second copy: on its Lease, with the renewals that it makes anyway. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { parseBackupNote, type BackupNote } from '@retainer/contract/api/backup-note';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { endPods, startPod } from '../support/agent-pod-process.ts';
import { task as taskOf } from '../support/agents.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const leaseKey = { namespace: 'default', name: 'retainer-ada' };
const RENEWALS = 10;

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  server.put(resources.leases, { metadata: { ...leaseKey }, spec: {} });
});

afterEach(async () => {
  endPods();
  await server.stop();
  await root.remove();
});

/** Nobody listens where its model should be. */
const models = {
  ...{ provider: 'Anthropic', structured: 'Xml', baseURL: 'http://127.0.0.1:9' },
  apiKeySecretRef: { name: 'key', key: 'value' },
};

const textOf = (lease: unknown): string | undefined =>
  (lease as KubeObject | undefined)?.metadata.annotations?.[ANNOTATIONS.backup];
const note = (): BackupNote | undefined => parseBackupNote(textOf(server.get(resources.leases, leaseKey)));
const leaseWrites = (): readonly unknown[] =>
  server.audit.filter(({ resource, isChange }) => resource === 'leases' && isChange).map(({ body }) => body);
const renewedAt = (lease: unknown): unknown => ((lease as KubeObject)['spec'] as { renewTime?: unknown }).renewTime;

/** A Task as the operator lets it begin. */
function give(name: string): void {
  const { apiVersion, kind, spec } = taskOf(name, 'Write a note.');
  const lastTransitionTime = '2030-01-01T00:00:00Z';
  const admitted = { type: 'Admitted', status: 'True', reason: 'Admitted', message: 'm', lastTransitionTime };
  const metadata = { namespace: 'default', name };
  server.put(resources.tasks, { apiVersion, kind, metadata, spec, status: { conditions: [admitted] } });
}

describe('the Lease of an agent', () => {
  verifies(
    'backup:on-lease',
    'says how the copy stands, at no request of its own, and rests with the agent',
    async () => {
      const agent = await startPod({
        directory: root.path,
        url: server.url,
        spec: { models, sandbox: { enabled: false }, memory: { gitCommitInterval: '1s' } },
        environment: { RETAINER_RENEW_SECONDS: '0.2' },
        secrets: { 'key/value': 'sk-test-0123456789' },
      });
      await agent.logged('the agent is at work');
      const begun = leaseWrites().length;
      expect(note()).toBeUndefined();
      await expect.poll(() => note()?.lastAt).toBeDefined();
      const first = note();
      expect(Object.keys(first ?? {})).toEqual(['lastAt']);

      // Commits find nothing new each second, and the Lease is renewed five times as often.
      const noted = leaseWrites().length;
      await expect.poll(() => leaseWrites().length).toBeGreaterThanOrEqual(noted + RENEWALS);
      expect(new Set(leaseWrites().slice(noted).map(textOf))).toEqual(new Set([JSON.stringify(first)]));

      const lock = join(root.path, 'data/git/refs/heads/main.lock');
      writeFileSync(lock, '');
      give('one');
      await expect.poll(() => note()?.trouble).toBe('CommitLate');
      const { lastAt = '', unsavedSince = '' } = note() ?? {};
      expect(lastAt).toBe(first?.lastAt);
      expect(Date.parse(unsavedSince)).toBeGreaterThan(Date.parse(lastAt));
      rmSync(lock);
      await expect.poll(() => note()?.trouble).toBeUndefined();
      expect(Date.parse(note()?.lastAt ?? '')).toBeGreaterThan(Date.parse(unsavedSince));

      const times = leaseWrites().slice(begun).map(renewedAt);
      expect(new Set(times).size).toBe(times.length);
      agent.child.kill('SIGTERM');
      expect(await agent.ended).toBe(0);
    },
  );
});
