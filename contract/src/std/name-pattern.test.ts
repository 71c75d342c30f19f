import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { matchesName } from './name-pattern.ts';

describe('matchesName', () => {
  verifies('gate:tool-names-by-pattern', 'a star stands for any run of characters', () => {
    expect(matchesName('*', 'bash')).toBe(true);
    expect(matchesName('memory_*', 'memory_write')).toBe(true);
    expect(matchesName('memory_*', 'my_memory_write')).toBe(false);
    expect(matchesName('bash', 'bash2')).toBe(false);
  });
});
