import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Approval } from '@retainer/mind/gate/verdict';
import { toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { toolResultLabel } from '@retainer/mind/gate/provenance/tool-result-label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import { secretFinder } from '../infer/secrets.ts';
import { Projections } from '@retainer/mind/projections/projections';
import { testTools } from '../../../test/support/known-tools.ts';

const SECRET = 'hq7Zp2LmW9xT4kVb';

function after(label: Label): ReadSoFar {
  return { items: [{ recordId: 'c1', label, text: '' }], addresses: [], instructions: [], asked: 'Keep mine and web.' };
}

const page: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };
const own: Label = { source: { kind: 'Workspace', name: 'a.md' }, trust: 'Trusted', readers: ['owner'] };
const { signal } = new AbortController();

describe('the projection of facts', () => {
  verifies('provenance:memory-keeps-label', 'has the label of the record, and none where there is none', () => {
    const projections = new Projections();
    const base = { store: 'fact', kind: 'FactWritten', seq: 0, timeMs: 1 };
    const taken = (key: string, payload: object) =>
      projections.take({ ...base, payload: { key, value: 'v', callId: 'c', scope: 'Persistent', ...payload } });
    taken('new', { label: page });
    taken('old', {});
    expect(projections.states.facts.held.get('new')?.label).toEqual(page);
    expect(projections.states.facts.held.get('old')?.label).toBeUndefined();
    expect(toolResultLabel(testTools.factsOf('memory_read'), {}).trust).toBe('Untrusted');
  });
});

describe('the chokepoint', () => {
  verifies('provenance:secrets-stay', 'runs no call whose arguments hold a secret in another form', async () => {
    const world = toolWorld({ holdsSecret: secretFinder([{ name: 'KEY', value: SECRET }]) });
    const hidden = [
      SECRET,
      Buffer.from(SECRET).toString('base64'),
      Buffer.from(SECRET).toString('hex'),
      Array.from(SECRET).toReversed().join(''),
      Array.from(SECRET).join(' '),
    ];
    for (const content of hidden) {
      const outcome = await world.call('write_file', { path: 'a.txt', content });
      expect(outcome.text).toContain('secrets/in-arguments');
      const edited = await world.call('edit_file', { path: 'a.txt', edits: [{ old: 'x', new: content }] });
      expect(edited.text).toContain('secrets/in-arguments');
    }
    expect((await world.call('write_file', { path: 'a.txt', content: 'an ordinary text' })).status).toBe('Ok');
  });

  verifies('provenance:memory-keeps-label', 'a fact gives back what its cycle had read', async () => {
    const world = toolWorld();
    const write = async (key: string, read: ReadSoFar) =>
      world.executor.execute(world.permit('memory_write', { key, value: 'v' }, { read, autonomous: true }), signal);
    await write('plain', { ...after(own), items: [], asked: 'Keep plain.' });
    await write('unnamed', { ...after(own), items: [] });
    await write('mine', after(own));
    await write('web', after(page));
    const label = async (prefix: string) => (await world.call('memory_read', { prefix })).label;
    expect(await label('plain')).toMatchObject({ trust: 'Trusted', readers: ['owner'] });
    expect(await label('unnamed')).toMatchObject({ trust: 'Untrusted', readers: ['owner'] });
    expect(await label('mine')).toMatchObject({ source: { kind: 'Memory' }, trust: 'Trusted', readers: ['owner'] });
    expect(await label('web')).toMatchObject({ source: { kind: 'Memory' }, trust: 'Untrusted' });
    expect(await label('')).toMatchObject({ trust: 'Untrusted', readers: ['owner'] });
    expect(await label('nothing')).toMatchObject({ trust: 'Trusted', readers: 'Everyone' });
  });

  verifies('provenance:other-file-asks', 'looks again whether something is there when a call runs', async () => {
    const world = toolWorld();
    const input = { path: 'a.txt', content: 'new' };
    expect(await world.executor.replaces('write_file', input)).toBe(false);
    writeFileSync(path.join(world.workspace, 'a.txt'), 'old');
    expect(await world.executor.replaces('write_file', input)).toBe(true);
    const asked = world.permit('write_file', input, { autonomous: true });
    expect((await world.executor.execute(asked, signal)).text).toContain('(rule inside/other-file)');
    expect(readFileSync(path.join(world.workspace, 'a.txt'), 'utf8')).toBe('old');
    const read = { ...after(page), asked: 'Write a.txt' };
    expect((await world.executor.execute(world.permit('write_file', input, { read }), signal)).status).toBe('Ok');
  });

  verifies('provenance:other-file-asks', 'edits a file only where it might replace it', async () => {
    const world = toolWorld();
    const input = { path: 'a.txt', edits: [{ old: 'old', new: 'new' }] };
    expect(await world.executor.replaces('edit_file', input)).toBe(false);
    writeFileSync(path.join(world.workspace, 'a.txt'), 'old');
    expect(await world.executor.replaces('edit_file', input)).toBe(true);
    const asked = world.permit('edit_file', input, { autonomous: true });
    expect((await world.executor.execute(asked, signal)).text).toContain('(rule inside/other-file)');
    expect(readFileSync(path.join(world.workspace, 'a.txt'), 'utf8')).toBe('old');
    const read = { ...after(page), asked: 'Correct a.txt' };
    expect((await world.executor.execute(world.permit('edit_file', input, { read }), signal)).status).toBe('Ok');
    expect(readFileSync(path.join(world.workspace, 'a.txt'), 'utf8')).toBe('new');
  });

  verifies('approvals:what-stands-there', 'looks again when an approved call runs', async () => {
    const input = { path: 'a.txt', content: 'new' };
    const place = (world: ToolWorld): string => path.join(world.workspace, 'a.txt');
    const approved = async (change: (file: string) => void): Promise<string> => {
      const approvals: Approval[] = [];
      const world = toolWorld({ approvals });
      writeFileSync(place(world), 'old');
      const standing = (await world.executor.standing('write_file', input))?.sha256;
      const permit = world.permit('write_file', input, { autonomous: true, approvalId: 'a' });
      const { argumentsDigest } = permit;
      approvals.push({
        requestId: 'a',
        argumentsDigest,
        decision: 'Approve',
        by: 'ann',
        reason: 'read it',
        expiresAtMs: world.clock.nowMs() + 1,
        ...(standing === undefined ? {} : { standing }),
      });
      change(place(world));
      return (await world.executor.execute(permit, signal)).text;
    };
    expect(await approved(() => undefined)).toContain('wrote 3 bytes');
    expect(await approved((file) => writeFileSync(file, 'other'))).toContain('(rule approval/changed)');
    expect(await approved((file) => rmSync(file))).toContain('(rule approval/changed)');
  });

  verifies(
    'approvals:what-stands-there',
    'is known by digest for a file, a fact and a request in advance',
    async () => {
      const world = toolWorld();
      const write = { path: 'a.txt', content: 'new' };
      expect(await world.executor.standing('write_file', write)).toBeUndefined();
      writeFileSync(path.join(world.workspace, 'a.txt'), 'old');
      const digest = sha256Hex('old');
      expect(await world.executor.standing('write_file', write)).toEqual({ sha256: digest });
      const asked = { tool: 'write_file', input: write, reason: 'first' };
      expect(await world.executor.standing('request_approval', asked)).toEqual({ sha256: digest });
      mkdirSync(path.join(world.workspace, 'b'));
      const inTheWay = await world.executor.standing('write_file', { ...write, path: 'b' });
      expect(inTheWay?.sha256).toMatch(/^[0-9a-f]{64}$/);
      const keep = (value: string, read: ReadSoFar) =>
        world.executor.execute(world.permit('memory_write', { key: 'k', value }, { read }), signal);
      await keep('v', after(own));
      expect(await world.executor.standing('memory_write', { key: 'k', value: 'w' })).toEqual({
        sha256: sha256Hex('v'),
      });
      expect(await world.executor.standing('memory_write', { key: 'k', value: 'v' })).toBeUndefined();
    },
  );

  verifies('provenance:believed-fact-asks', 'knows which fact is believed, and of another value', async () => {
    const world = toolWorld();
    const keep = (key: string, value: string, read: ReadSoFar) =>
      world.executor.execute(world.permit('memory_write', { key, value }, { read, autonomous: true }), signal);
    const replaces = (key: string, value: string) => world.executor.replaces('memory_write', { key, value });
    await keep('mine', 'v', after(own));
    await keep('web', 'v', after(page));
    expect(await replaces('mine', 'w')).toBe(true);
    expect(await replaces('mine', 'v')).toBe(false);
    expect(await replaces('web', 'w')).toBe(false);
    expect(await replaces('new', 'w')).toBe(false);
    const refused = await keep('mine', 'w', { ...after(page), asked: '' });
    expect(refused.text).toContain('(rule inside/believed-fact)');
    expect(await world.executor.replaces('no_such_tool', {})).toBe(false);
  });
});
