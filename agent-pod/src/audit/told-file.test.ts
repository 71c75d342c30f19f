import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { TerminationMessage } from '@retainer/contract/wire/termination-message';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Finding } from './finding.ts';
import { readTold, tell, TELL_EVERY_MS, toTell, type Told } from './told-file.ts';

const replaced: Finding = {
  kind: 'SegmentReplaced',
  store: 'cycle',
  seq: 4,
  file: 'cycle/1.jsonl',
  line: 5,
  detail: 'inode 7, then 8',
};
const notice: Finding = { kind: 'TailRecovered', store: 'run', detail: 'd' };
const now = { life: 'pod-2', atMs: 10_000_000 };
const before = (what: string, life = 'pod-2', atMs = now.atMs - TELL_EVERY_MS): Told => ({ what, life, atMs });

const rows: readonly (readonly [
  name: string,
  open: readonly Finding[],
  told: Told | undefined,
  what: string | undefined,
])[] = [
  ['nothing is open and nothing was told', [], undefined, undefined],
  ['only a notice is open', [notice], undefined, undefined],
  ['the first alarm is open', [replaced, notice], undefined, 'SegmentReplaced cycle'],
  ['the alarm was told', [replaced], before('SegmentReplaced cycle'), undefined],
  [
    'the same kind of alarm is open twice',
    [replaced, { ...replaced, seq: 9 }],
    before('SegmentReplaced cycle'),
    undefined,
  ],
  [
    'the alarm was told by an earlier pod',
    [replaced],
    before('SegmentReplaced cycle', 'pod-1', now.atMs),
    'SegmentReplaced cycle',
  ],
  [
    'another alarm came',
    [replaced, { ...replaced, kind: 'ChainBroken' }],
    before('SegmentReplaced cycle'),
    'ChainBroken cycle, SegmentReplaced cycle',
  ],
  [
    'another alarm came a moment later',
    [{ ...replaced, kind: 'ChainBroken' }],
    before('SegmentReplaced cycle', 'pod-2', now.atMs - 1),
    undefined,
  ],
  ['the alarm is closed', [], before('SegmentReplaced cycle', 'pod-1'), ''],
  ['that it is closed was told by an earlier pod', [], before('', 'pod-1'), undefined],
];

describe('what the auditor tells by its end', () => {
  for (const [name, open, told, what] of rows)
    verifies('audit:tells-by-its-end', `is ${what === undefined ? 'nothing' : `"${what}"`} where ${name}`, () => {
      expect(toTell(open, told, now)).toEqual(what === undefined ? undefined : { ...now, what });
    });

  verifies('audit:tells-by-its-end', 'names store, sequence, file and line, fits, and is remembered', async () => {
    const root = temporaryDirectory();
    onTestFinished(root.remove);
    const files = { told: join(root.path, 'told.json'), message: join(root.path, 'message') };
    const told = before('x');
    await tell(
      Array.from({ length: 20 }, () => replaced),
      told,
      files,
    );
    const message = TerminationMessage.parse(JSON.parse(readFileSync(files.message, 'utf8')));
    expect(message.reason).toBe('RecordChanged');
    expect(message.message).toContain('SegmentReplaced in store cycle, sequence 4 (cycle/1.jsonl:5)');
    expect(message.message).toContain('17 more');
    expect(await readTold(files.told)).toEqual(told);
    await tell([notice], told, files);
    expect(JSON.parse(readFileSync(files.message, 'utf8'))).toMatchObject({ reason: 'RecordIntact' });
  });
});
