import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { blobFile, checkBlob } from './check-blob.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

const content = Buffer.from('what was said');
const use = { sha256: sha256Hex(content), sizeBytes: content.length };

describe('checkBlob', () => {
  const cases: readonly [string, Uint8Array | undefined, string | undefined][] = [
    ['nothing', undefined, 'BlobMissing'],
    ['the content', gzipSync(content), undefined],
    ['another content of equal length', gzipSync(Buffer.from(content.map((byte) => byte ^ 1))), 'BlobCorrupt'],
    ['a longer content', gzipSync(Buffer.concat([content, content])), 'BlobCorrupt'],
    ['a shorter content', gzipSync(content.subarray(1)), 'BlobCorrupt'],
    ['no packed file', content, 'BlobCorrupt'],
  ];
  for (const [what, bytes, kind] of cases)
    it(`says ${kind ?? 'nothing'} of ${what}`, async () => {
      const path = `${directory.path}/${blobFile(use.sha256)}`;
      mkdirSync(dirname(path), { recursive: true });
      if (bytes !== undefined) writeFileSync(path, bytes);
      expect((await checkBlob(directory.path, use))?.kind).toBe(kind);
    });
});
