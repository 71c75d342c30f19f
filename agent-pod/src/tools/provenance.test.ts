import { describe, expect } from 'vitest';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Label } from '../gate/provenance/label.ts';
import type { ReadSoFar } from '../gate/provenance/read-so-far.ts';
import { toolResultLabel } from '../gate/provenance/tool-labels.ts';
import { secretFinder } from '../infer/secrets.ts';
import type { JournalRecord } from '../journal/journal.ts';
import { Projections } from '../loop/projections.ts';

const SECRET = 'hq7Zp2LmW9xT4kVb';

function after(label: Label): ReadSoFar {
  return { items: [{ recordId: 'c1', label, text: '' }], addresses: [], standing: [] };
}

const page: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };
const own: Label = { source: { kind: 'Workspace', name: 'a.md' }, trust: 'Trusted', readers: 'Principal' };
const { signal } = new AbortController();

describe('the projection of facts', () => {
  verifies('provenance:memory-keeps-label', 'has the label of the record, and none where there is none', () => {
    const projections = new Projections();
    const base = { store: 'fact', kind: 'FactWritten', seq: 0, timeMs: 1 };
    const taken = (key: string, payload: object) =>
      projections.take({ ...base, payload: { key, value: 'v', callId: 'c', ...payload } } as unknown as JournalRecord);
    taken('new', { label: page });
    taken('old', {});
    expect(projections.facts.get('new')?.label).toEqual(page);
    expect(projections.facts.get('old')?.label).toBeUndefined();
    expect(toolResultLabel('memory_read', {}).trust).toBe('Untrusted');
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
    }
    expect((await world.call('write_file', { path: 'a.txt', content: 'an ordinary text' })).status).toBe('Ok');
  });

  verifies('provenance:memory-keeps-label', 'a fact gives back what its cycle had read', async () => {
    const world = toolWorld();
    const write = async (key: string, read?: ReadSoFar) =>
      world.executor.execute(
        world.permit('memory_write', { key, value: 'v' }, read === undefined ? {} : { read }),
        signal,
      );
    await write('plain');
    await write('mine', after(own));
    await write('web', after(page));
    const label = async (prefix: string) => (await world.call('memory_read', { prefix })).label;
    expect(await label('plain')).toMatchObject({ trust: 'Trusted', readers: 'Principal' });
    expect(await label('mine')).toMatchObject({ source: { kind: 'Memory' }, trust: 'Trusted', readers: 'Principal' });
    expect(await label('web')).toMatchObject({ source: { kind: 'Memory' }, trust: 'Untrusted' });
    expect(await label('')).toMatchObject({ trust: 'Untrusted', readers: 'Principal' });
    expect(await label('nothing')).toMatchObject({ trust: 'Trusted', readers: 'Everyone' });
  });
});
