import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canTakeTasks,
  HYSTERESIS_RATIO,
  usedRatio,
  volumeLevel,
  volumeLevels,
  type VolumeLevel,
} from './volume-level.ts';

const levels: readonly VolumeLevel[] = ['Normal', 'Warn', 'NoNewTasks', 'ReadOnly'];

describe('volumeLevel', () => {
  it.each([
    { ratio: 0, level: 'Normal' },
    { ratio: 0.799, level: 'Normal' },
    { ratio: 0.8, level: 'Warn' },
    { ratio: 0.899, level: 'Warn' },
    { ratio: 0.9, level: 'NoNewTasks' },
    { ratio: 0.949, level: 'NoNewTasks' },
    { ratio: 0.95, level: 'ReadOnly' },
    { ratio: 1, level: 'ReadOnly' },
  ])('is $level at $ratio of a volume that fills', ({ ratio, level }) => {
    expect(volumeLevel('Normal', ratio)).toBe(level);
  });

  it.each([
    { before: 'ReadOnly', ratio: 0.94, level: 'ReadOnly' },
    { before: 'ReadOnly', ratio: 0.929, level: 'NoNewTasks' },
    { before: 'NoNewTasks', ratio: 0.89, level: 'NoNewTasks' },
    { before: 'NoNewTasks', ratio: 0.879, level: 'Warn' },
    { before: 'Warn', ratio: 0.79, level: 'Warn' },
    { before: 'Warn', ratio: 0.779, level: 'Normal' },
    { before: 'ReadOnly', ratio: 0.1, level: 'Normal' },
  ] as const)('is $level at $ratio of a volume that was $before', ({ before, ratio, level }) => {
    expect(volumeLevel(before, ratio)).toBe(level);
  });

  it('does not change its mind within the hysteresis', () => {
    const edges = fc.constantFrom(...volumeLevels.map(({ fromUsedRatio }) => fromUsedRatio));
    const jitter = fc.double({ min: 0, max: HYSTERESIS_RATIO * 0.99, noNaN: true });
    fc.assert(
      fc.property(edges, fc.array(jitter, { minLength: 1 }), (edge, below) => {
        const reached = volumeLevel('Normal', edge);
        for (const ratio of below) expect(volumeLevel(reached, edge - ratio)).toBe(reached);
      }),
    );
  });

  it('never shows less than the table says', () => {
    fc.assert(
      fc.property(fc.constantFrom(...levels), fc.double({ min: 0, max: 1, noNaN: true }), (before, ratio) => {
        const table = levels.indexOf(volumeLevel('Normal', ratio));
        expect(levels.indexOf(volumeLevel(before, ratio))).toBeGreaterThanOrEqual(table);
      }),
    );
  });
});

describe('usedRatio', () => {
  it.each([
    { usage: { totalBytes: 100, freeBytes: 25 }, ratio: 0.75 },
    { usage: { totalBytes: 100, freeBytes: 0 }, ratio: 1 },
    { usage: { totalBytes: 100, freeBytes: 120 }, ratio: 0 },
    { usage: { totalBytes: 0, freeBytes: 0 }, ratio: 0 },
  ])('of $usage is $ratio', ({ usage, ratio }) => {
    expect(usedRatio(usage)).toBe(ratio);
  });
});

describe('canTakeTasks', () => {
  it.each([
    { level: 'Normal', can: true },
    { level: 'Warn', can: true },
    { level: 'NoNewTasks', can: false },
    { level: 'ReadOnly', can: false },
  ] as const)('is $can at $level', ({ level, can }) => {
    expect(canTakeTasks(level)).toBe(can);
  });
});
