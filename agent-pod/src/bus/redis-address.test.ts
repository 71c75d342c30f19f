import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { redisAddress } from './redis-address.ts';

const SECRET = 'p%40ss-word';

describe('the URL of Redis', () => {
  it.each([
    ['redis://redis', { host: 'redis', port: 6379, db: 0, isTls: false }],
    ['redis://redis:7000/', { host: 'redis', port: 7000, db: 0, isTls: false }],
    ['rediss://redis.example:6380/3', { host: 'redis.example', port: 6380, db: 3, isTls: true }],
    ['redis://[::1]:6379', { host: '::1', port: 6379, db: 0, isTls: false }],
    ['redis://:p%40ss%2F%25@redis', { host: 'redis', port: 6379, password: 'p@ss/%', db: 0, isTls: false }],
    [
      'redis://agent:secret@redis',
      { host: 'redis', port: 6379, username: 'agent', password: 'secret', db: 0, isTls: false },
    ],
  ])('%s is read', (url, value) => {
    expect(redisAddress(url)).toEqual({ ok: true, value });
  });

  verifies('bus:no-secret', 'is refused with what is wrong, and never quoted', () => {
    const refused: readonly (readonly [string, string])[] = [
      ['', 'must have the form'],
      [`${SECRET}@redis:6379`, 'must have the form'],
      [`https://agent:${SECRET}@redis`, 'must have the form'],
      [`redis://agent:${SECRET}@`, 'must have the form'],
      [`redis://agent:${SECRET}@redis:99999`, 'must have the form'],
      [`redis://agent:${SECRET}@redis?enableOfflineQueue=true`, 'no query'],
      [`redis://agent:${SECRET}@redis/bus`, 'number of a database'],
      [`redis://agent:${SECRET}%zz@redis`, 'percent-encoded'],
    ];
    for (const [url, words] of refused) {
      const result = redisAddress(url);
      expect(result.ok, url).toBe(false);
      const text = result.ok ? '' : result.error;
      expect(text).toContain(words);
      expect(text).not.toMatch(/p(%40|@)ss-word/);
    }
  });
});
