import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import type { Finding } from './finding.ts';
import { openHeadRecord, OwnRecordError, type HeadRecord } from './head-record.ts';
import { openSigningKey } from './signing-key.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'head-record-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function openRecord(keyName = 'key.pem'): Promise<HeadRecord> {
  const key = await openSigningKey(join(root, keyName));
  return openHeadRecord({ directory: join(root, 'record'), key, clock: manualClock() });
}

const head = (seq: number) => ({ store: 'alpha', seq, hash: 'a'.repeat(64), epoch: 1 });
const finding: Finding = { kind: 'TailCut', store: 'alpha', seq: 7, file: undefined, detail: 'the end is gone' };

async function segmentPath(): Promise<string> {
  const [name] = readdirSync(join(root, 'record', 'audit'));
  return join(root, 'record', 'audit', name ?? '');
}

describe('the record of heads', () => {
  it('outlives the process', async () => {
    const first = await openRecord();
    await first.keepHeads(Array.from({ length: 450 }, (_, seq) => head(seq)));
    await first.close();
    const second = await openRecord();
    expect(second.heads.get('alpha')).toEqual(Array.from({ length: 450 }, (_, seq) => head(seq)));
    await second.close();
  });

  it('holds a finding once, in this process and the next', async () => {
    const first = await openRecord();
    await first.tell([finding, { ...finding, seq: 8 }]);
    await first.tell([finding]);
    await first.close();
    const second = await openRecord();
    await second.tell([finding]);
    await second.close();
    const found = readFileSync(await segmentPath(), 'utf8').match(/"kind":"FindingMade"/g);
    expect(found).toHaveLength(2);
  });

  it('forgets the heads that a person set aside, and keeps saying so', async () => {
    const first = await openRecord();
    await first.keepHeads([head(1)]);
    await first.setAside({ store: 'alpha', reason: 'restored from a backup' });
    await first.keepHeads([head(0)]);
    await first.close();
    const second = await openRecord();
    expect(second.heads.get('alpha')).toEqual([head(0)]);
    await second.close();
    expect(readFileSync(await segmentPath(), 'utf8')).toContain('restored from a backup');
  });

  it('keeps which gap a person acknowledged, by name, and the heads of its store', async () => {
    const first = await openRecord();
    await first.keepHeads([head(30)]);
    await first.setAside({ store: 'alpha/21', reason: 'one line of an experiment', by: 'ada' });
    await first.close();
    const second = await openRecord();
    expect([...second.acknowledged]).toEqual(['alpha/21']);
    expect(second.heads.get('alpha')).toEqual([head(30)]);
    await second.close();
    expect(readFileSync(await segmentPath(), 'utf8')).toContain('"by":"ada"');
  });

  it.each([
    {
      name: 'an entry was changed',
      tamper: (text: string) => text.replace('"seq":1,"hash":"aaa', '"seq":1,"hash":"bbb'),
    },
    { name: 'an entry was removed', tamper: (text: string) => text.split('\n').toSpliced(1, 1).join('\n') },
  ])('is refused when $name', async ({ tamper }) => {
    const first = await openRecord();
    await first.keepHeads([head(1)]);
    await first.keepHeads([head(2)]);
    await first.close();
    rmSync(join(root, 'record', 'checkpoints'), { recursive: true });
    const path = await segmentPath();
    writeFileSync(path, tamper(readFileSync(path, 'utf8')));
    await expect(openRecord()).rejects.toThrow(OwnRecordError);
  });

  it('is refused when another key signed it', async () => {
    const first = await openRecord();
    await first.keepHeads([head(1)]);
    await first.close();
    await expect(openRecord('other.pem')).rejects.toThrow(/not signed/);
  });
});

describe('the signing key', () => {
  it('can be read by its owner alone', async () => {
    await openSigningKey(join(root, 'key.pem'));
    expect(statSync(join(root, 'key.pem')).mode & 0o777).toBe(0o600);
  });

  it('is refused once others can read it', async () => {
    await openSigningKey(join(root, 'key.pem'));
    chmodSync(join(root, 'key.pem'), 0o644);
    await expect(openSigningKey(join(root, 'key.pem'))).rejects.toThrow(/can be read by others/);
  });

  it('stays the same, and knows its own signatures', async () => {
    const first = await openSigningKey(join(root, 'key.pem'));
    const second = await openSigningKey(join(root, 'key.pem'));
    expect(second.isSigned({ seq: 1 }, first.sign({ seq: 1 }))).toBe(true);
    expect(second.isSigned({ seq: 2 }, first.sign({ seq: 1 }))).toBe(false);
  });
});
