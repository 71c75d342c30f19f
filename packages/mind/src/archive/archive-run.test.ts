import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { placesOf } from './archive-run.ts';
import { domainOf } from './domains.ts';

const file = (path: string) => ({ path, sizeBytes: 1, sha256: '' });

describe('the places of a call', () => {
  const rows: readonly (readonly [string | undefined, readonly string[], readonly string[]])[] = [
    ['data/sales.csv', [], ['data/sales.csv']],
    ['https://a.example/x?y=1', [], ['a.example']],
    ["const { readFileSync } = require('node:fs'); readFileSync('a.csv')", ['out/a.txt'], ['out/a.txt']],
    ['ls', [], []],
    [undefined, ['b.txt'], ['b.txt']],
  ];
  for (const [target, paths, places] of rows)
    verifies('memory:threads', `are paths and hosts, no scripts: ${target ?? 'none'}`, () => {
      const call = { files: paths.map(file), ...(target === undefined ? {} : { target }) };
      expect(placesOf(call)).toEqual(places);
    });

  verifies('memory:threads', 'stand beside a domain that most words name', () => {
    expect(domainOf(['sum', 'sales', 'invoices', 'weather'])).toBe('finance');
    expect(domainOf(['hello'])).toBe('');
  });
});
