import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANNOTATIONS, FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import { KubeApplier } from '@retainer/operator/apply/kube-applier';
import type { DesiredChild, StatusPatch } from '@retainer/operator/apply/applier';
import type { KubeObject } from '@retainer/kube/kube-object';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';
import { fakeKubeClient } from '../../support/fake-api-server/fake-kube-client.ts';
import { startFakeApiServer } from '../../support/fake-api-server/fake-api-server.ts';
import { task as taskObject } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

type Server = Awaited<ReturnType<typeof startFakeApiServer>>;

const signal = new AbortController().signal;
let server: Server;
let applier: KubeApplier;
let root: KubeObject;

beforeEach(async () => {
  server = await startFakeApiServer();
  applier = new KubeApplier({
    client: fakeKubeClient(server, { user: 'operator' }),
    clock: systemClock,
    record: () => undefined,
  });
  root = server.put(resources.characterSpecs, {
    apiVersion: 'retainer.dev/v1alpha1',
    kind: 'CharacterSpec',
    metadata: { name: 'calm', namespace: 'a' },
    spec: {
      persona: 'A test.',
      highestEndeavour: [{ id: 'honest', description: 'Be honest.', level: 'EthicalMoral', operator: 'Required' }],
    },
  });
});

afterEach(() => server.stop());

function serviceOf(port: number, labels: Readonly<Record<string, string>> = {}): DesiredChild {
  return {
    resource: resources.services,
    object: {
      metadata: { name: 'one', namespace: 'a', labels },
      spec: { ports: [{ name: 'http', port }], selector: { app: 'one' } },
    },
  };
}

const writes = () => server.audit.filter(({ user, isChange }) => user === 'operator' && isChange);
const live = () => server.get(resources.services, { namespace: 'a', name: 'one' });

describe('applyChild', () => {
  it('makes a missing child under its owner', async () => {
    const result = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(result.type).toBe('Written');
    expect(live()?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'CharacterSpec', uid: root.metadata.uid });
    expect(live()?.metadata.annotations?.[ANNOTATIONS.appliedHash]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('writes nothing when it is so already, whether the cache knows it or not', async () => {
    await applier.applyChild(root, serviceOf(80), undefined, signal);
    const before = writes().length;
    expect((await applier.applyChild(root, serviceOf(80), live(), signal)).type).toBe('Unchanged');
    expect((await applier.applyChild(root, serviceOf(80), undefined, signal)).type).toBe('Unchanged');
    expect(writes().length).toBe(before);
  });

  it('takes back a field that somebody else changed', async () => {
    await applier.applyChild(root, serviceOf(80), undefined, signal);
    const { spec, ...rest } = live() as KubeObject & { readonly spec: object };
    server.put(resources.services, { ...rest, spec: { ...spec, selector: { app: 'stolen' } } });
    expect((await applier.applyChild(root, serviceOf(80), live(), signal)).type).toBe('Written');
    expect(live()?.['spec']).toMatchObject({ selector: { app: 'one' } });
  });

  it.each([
    ['nobody’s', undefined],
    ['another root’s', 'another-uid'],
  ])('leaves alone an object of its name that is %s', async (_, uid) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: uid ?? '', controller: true };
    const stranger = serviceOf(99).object;
    const ownerReferences = uid === undefined ? [] : [owner];
    server.put(resources.services, { ...stranger, metadata: { ...stranger.metadata, ownerReferences } });
    const result = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(result).toMatchObject({ type: 'NameTaken' });
    expect(writes()).toEqual([]);
  });

  verifies('operator-agent:name-reuse', 'takes over nothing that somebody made after it had looked', async () => {
    const stranger = serviceOf(80).object;
    const { spec } = stranger as KubeObject & { readonly spec: object };
    server.faults.onRequest(({ verb }) => {
      if (verb === 'apply' && live() === undefined)
        server.put(resources.services, { ...stranger, spec: { ...spec, externalIPs: ['192.0.2.1'] } });
      return undefined;
    });
    const first = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(first.type).toBe('Failed');
    expect(live()?.metadata.ownerReferences).toBeUndefined();
    expect((await applier.applyChild(root, serviceOf(80), undefined, signal)).type).toBe('NameTaken');
  });

  it('asks nobody to delete what is of an earlier root of its name: it goes by itself', async () => {
    const { apiVersion = '', kind = '', metadata } = root;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: 'earlier', controller: true }];
    const earlier = serviceOf(99).object;
    server.put(resources.services, { ...earlier, metadata: { ...earlier.metadata, ownerReferences } });
    const result = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(result).toMatchObject({
      type: 'NameTaken',
      message: expect.stringContaining('the operator creates it again after its deletion'),
    });
    expect(writes()).toEqual([]);
  });

  it('knows a child in another namespace by the labels of its root', async () => {
    const labels = { [LABELS.agent]: 'calm', [LABELS.agentNamespace]: 'a' };
    const child = { ...serviceOf(80, labels), isOutsideNamespace: true };
    expect((await applier.applyChild(root, child, undefined, signal)).type).toBe('Written');
    expect(live()?.metadata.ownerReferences).toBeUndefined();
    const other = { ...serviceOf(80, { ...labels, [LABELS.agent]: 'other' }), isOutsideNamespace: true };
    expect((await applier.applyChild(root, other, live(), signal)).type).toBe('NameTaken');
  });

  it('makes nothing for a root that only the cache remembers', async () => {
    server.remove(resources.characterSpecs, { namespace: 'a', name: 'calm' });
    const result = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(result.type === 'Failed' && result.error.message).toContain('no longer exists');
    expect(writes()).toEqual([]);
  });

  it('says what failed, on which object', async () => {
    server.faults.onRequest(({ verb }) =>
      verb === 'apply' ? { type: 'Refuse', status: 500, reason: 'InternalError' } : undefined,
    );
    const result = await applier.applyChild(root, serviceOf(80), undefined, signal);
    expect(result.type === 'Failed' && result.error.message).toContain('failed to apply Service a/one');
  });
});

describe('remove', () => {
  it('deletes what was judged, and not what has changed since', async () => {
    await applier.applyChild(root, serviceOf(80), undefined, signal);
    const judged = live();
    if (judged === undefined) throw new Error('the service was not made');
    server.put(resources.services, { ...judged, spec: { ports: [{ name: 'http', port: 81 }] } });
    expect(await applier.remove(resources.services, judged, signal)).toBe(false);
    const current = live();
    if (current === undefined) throw new Error('the service is gone');
    expect(await applier.remove(resources.services, current, signal)).toBe(true);
    expect(live()).toBeUndefined();
  });
});

describe('applyStatus', () => {
  const status = (reason: string, digest?: string): StatusPatch => ({
    fieldManager: FIELD_MANAGERS.operatorStatus,
    conditions: [{ type: 'Ready', status: 'True', reason, message: 'All is well.' }],
    fields: { digest },
  });
  const character = () => server.get(resources.characterSpecs, { namespace: 'a', name: 'calm' }) as KubeObject;
  const stored = () => character()['status'] as { conditions: { lastTransitionTime: string; reason: string }[] };
  const digest = `sha256:${'0'.repeat(64)}`;

  it('writes once, and again only for a difference', async () => {
    expect(await applier.applyStatus(resources.characterSpecs, character(), status('CharacterReady'), signal)).toBe(
      true,
    );
    expect(await applier.applyStatus(resources.characterSpecs, character(), status('CharacterReady'), signal)).toBe(
      false,
    );
    expect(await applier.applyStatus(resources.characterSpecs, character(), status('PatternInvalid'), signal)).toBe(
      true,
    );
  });

  it('does not write again while the cache has not heard of the write', async () => {
    expect(await applier.applyStatus(resources.characterSpecs, root, status('CharacterReady'), signal)).toBe(true);
    expect(await applier.applyStatus(resources.characterSpecs, root, status('CharacterReady'), signal)).toBe(false);
    expect(await applier.applyStatus(resources.characterSpecs, root, status('PatternInvalid'), signal)).toBe(true);
  });

  it('keeps the time of a condition whose status stays', async () => {
    await applier.applyStatus(resources.characterSpecs, character(), status('CharacterReady'), signal);
    const old = '2020-01-01T00:00:00Z';
    const conditions = stored().conditions.map((condition) => ({ ...condition, lastTransitionTime: old }));
    server.putStatus(resources.characterSpecs, { ...character(), status: { conditions } });
    await applier.applyStatus(resources.characterSpecs, character(), status('PatternInvalid'), signal);
    expect(stored().conditions[0]).toMatchObject({ reason: 'PatternInvalid', lastTransitionTime: old });
  });

  it('removes a field that must not be there any more', async () => {
    await applier.applyStatus(resources.characterSpecs, character(), status('CharacterReady', digest), signal);
    expect(character()['status']).toMatchObject({ digest });
    await applier.applyStatus(resources.characterSpecs, character(), status('CharacterReady'), signal);
    expect(character()['status']).not.toHaveProperty('digest');
  });

  it('writes nothing onto another object that has its name by now', async () => {
    const before = character();
    server.remove(resources.characterSpecs, { namespace: 'a', name: 'calm' });
    const { uid: _uid, resourceVersion: _version, ...metadata } = before.metadata;
    server.put(resources.characterSpecs, { ...before, metadata });
    expect(await applier.applyStatus(resources.characterSpecs, before, status('CharacterReady'), signal)).toBe(false);
  });

  it('writes nothing for an object that is gone', async () => {
    const before = character();
    server.remove(resources.characterSpecs, { namespace: 'a', name: 'calm' });
    expect(await applier.applyStatus(resources.characterSpecs, before, status('CharacterReady'), signal)).toBe(false);
  });

  verifies(
    'operator:kstatus',
    'makes a condition False that an agent owns a part of, so that it cannot go',
    async () => {
      const key = { namespace: 'a', name: 'calm' };
      const task = () => server.get(resources.tasks, key) as KubeObject;
      server.put(resources.tasks, { ...taskObject(), metadata: key });
      const told = (status: 'True' | 'False', reason: string): StatusPatch => ({
        fieldManager: FIELD_MANAGERS.operatorStatus,
        conditions: [{ type: 'Ready', status, reason, message: 'So it is.' }],
        fields: {},
      });
      const early = task();
      await applier.applyStatus(resources.tasks, early, told('False', 'Running'), signal);
      const since = { lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Refused', message: 'It ended.' };
      const conditions = [
        { type: 'Ready', status: 'False', ...since },
        { type: 'Reconciling', status: 'False', ...since },
        { type: 'Stalled', status: 'True', ...since },
      ];
      const end = { ...early, metadata: key, status: { conditions } };
      server.applyAs(FIELD_MANAGERS.agentTaskStatus, resources.tasks, end, 'status');
      // The cache has not heard of the end.
      await applier.applyStatus(resources.tasks, early, told('False', 'ApprovalRequested'), signal);
      await applier.applyStatus(resources.tasks, task(), told('False', 'Refused'), signal);
      const stored = (task()['status'] as { conditions: { type: string; status: string; reason: string }[] })
        .conditions;
      expect(stored.map(({ type, status, reason }) => [type, status, reason])).toEqual([
        ['Ready', 'False', 'Refused'],
        ['Reconciling', 'False', 'Refused'],
        ['Stalled', 'True', 'Refused'],
      ]);
    },
  );
});
