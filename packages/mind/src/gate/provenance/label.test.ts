import { describe, expect, it } from 'vitest';
import { join, joinAll, READERS, type Label } from './label.ts';

const trusts = ['Trusted', 'Untrusted'] as const;
const labels: readonly Label[] = trusts.flatMap((trust) =>
  READERS.map((readers) => ({ source: { kind: 'Web', name: `${trust}-${readers}` }, trust, readers })),
);

describe('join', () => {
  it('takes the lowest trust and the narrowest readers of all pairs', () => {
    for (const a of labels)
      for (const b of labels) {
        const { trust, readers } = join(a, b);
        expect(trust).toBe([a, b].some((it) => it.trust === 'Untrusted') ? 'Untrusted' : 'Trusted');
        expect(READERS.indexOf(readers)).toBe(Math.max(READERS.indexOf(a.readers), READERS.indexOf(b.readers)));
      }
  });

  it('names the first untrusted source', () => {
    const [trusted, untrusted] = [labels[0], labels[3]];
    if (trusted === undefined || untrusted === undefined) throw new Error('the table is shorter');
    expect(join(trusted, untrusted).source).toEqual(untrusted.source);
    expect(join(untrusted, trusted).source).toEqual(untrusted.source);
    expect(joinAll([])).toBeUndefined();
    expect(joinAll(labels)).toMatchObject({ trust: 'Untrusted', readers: 'Agent' });
  });
});
