import { describe, expect, it } from 'vitest';
import { CronText, DurationText, durationMs, HostPattern, HttpUrl, PathGlob, RelativePath } from './fields.ts';

describe('durationMs', () => {
  it.each([
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['90s', 90_000],
    ['1m5ms', 60_005],
    ['250ms', 250],
  ])('reads %s as %d ms', (text, ms) => {
    expect(DurationText.safeParse(text).success).toBe(true);
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['', '5', '5 m', '1d', '-5m', '1m1h', '1.5h'])('is not asked about "%s", which is no duration', (text) => {
    expect(DurationText.safeParse(text).success).toBe(false);
  });
});

describe('a path that cannot leave its directory', () => {
  it.each(['a', 'a/b.csv', '.hidden', '..a', 'a/..b/c', 'data/**', '*.svg'])('takes %s', (path) => {
    expect(PathGlob.safeParse(path).success && RelativePath.safeParse(path).success).toBe(true);
  });

  it.each(['/a', '..', '../a', 'a/../b', 'a/..', './a', '.', 'a//b', 'a/', '', 'a\0b'])('refuses "%s"', (path) => {
    expect(PathGlob.safeParse(path).success || RelativePath.safeParse(path).success).toBe(false);
  });
});

describe('what people write', () => {
  it.each([
    [HostPattern, 'example.org', true],
    [HostPattern, '*.example.org', true],
    [HostPattern, '*', false],
    [HostPattern, 'EXAMPLE.org', false],
    [HostPattern, 'exa mple.org', false],
    [HttpUrl, 'https://models.example.org:8443/v1', true],
    [HttpUrl, 'https://user:secret@example.org', false],
    [HttpUrl, 'ftp://example.org', false],
    [CronText, '*/5 8-18 * * 1-5', true],
    [CronText, '@daily', true],
    [CronText, '* * * *', false],
  ] as const)('%# is judged: %s %s', (schema, text, isGood) => {
    expect(schema.safeParse(text).success).toBe(isGood);
  });
});
