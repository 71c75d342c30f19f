import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { KeyFile } from './key-file.ts';
import { parsePublicKey } from './read-grant.ts';

function published(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}
const text = (key: ReturnType<typeof parsePublicKey>): string | undefined => {
  const x = key?.export({ format: 'jwk' }).x;
  return x === undefined ? undefined : Buffer.from(x, 'base64url').toString('base64');
};

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => directory.remove());

describe('KeyFile', () => {
  it('takes up a key that comes late, and one that changes; keeps the last one through anything worse', async () => {
    const path = join(directory.path, 'public');
    const clock = manualClock();
    const file = new KeyFile({ path, clock });
    const look = async (): Promise<string | undefined> => {
      clock.advance(5000);
      return text(await file.current());
    };
    const [first, second] = [published(), published()];
    expect(await look()).toBeUndefined();
    writeFileSync(path, `${first}\n`);
    expect(text(await file.current())).toBeUndefined();
    expect(await look()).toBe(first);
    writeFileSync(path, second);
    expect(await look()).toBe(second);
    writeFileSync(path, 'half a k');
    expect(await look()).toBe(second);
    rmSync(path);
    expect(await look()).toBe(second);
  });

  it('answers all who ask while it is read for the first time', async () => {
    const path = join(directory.path, 'public');
    const key = published();
    writeFileSync(path, key);
    const file = new KeyFile({ path, clock: manualClock() });
    const answers = await Promise.all([file.current(), file.current()]);
    expect(answers.map(text)).toEqual([key, key]);
  });
});

describe('parsePublicKey', () => {
  it.each([
    '',
    'AAAA',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    `${published()}x`,
    '{}',
  ])('takes no %j', (it) => {
    expect(parsePublicKey(it)).toBeUndefined();
  });
});
