/**
 * Levels of the volume's usage at which the agent does less. Pure.
 *
 * Source: reliability-security 1 (volume filling: 80 % warn, 90 % no new tasks, 95 % read-only).
 * Differs: a level is left only once the volume is {@link HYSTERESIS_RATIO} below it, so that a volume at the edge does not make
 * the agent change its mind with every check.
 */

export type VolumeLevel = 'Normal' | 'Warn' | 'NoNewTasks' | 'ReadOnly';

/** Fullest first: the first row reached is the level. */
export const volumeLevels: readonly { readonly level: VolumeLevel; readonly fromUsedRatio: number }[] = [
  { level: 'ReadOnly', fromUsedRatio: 0.95 },
  { level: 'NoNewTasks', fromUsedRatio: 0.9 },
  { level: 'Warn', fromUsedRatio: 0.8 },
  { level: 'Normal', fromUsedRatio: 0 },
];

/** Some 200 MB of a 10 GB volume: more than an agent writes between two checks. */
export const HYSTERESIS_RATIO = 0.02;

export interface VolumeUsage {
  readonly totalBytes: number;
  /** Without the space reserved for root. */
  readonly freeBytes: number;
}

/** 0 to 1. A volume of unknown size counts as empty. */
export function usedRatio({ totalBytes, freeBytes }: VolumeUsage): number {
  return totalBytes <= 0 ? 0 : Math.min(1, Math.max(0, 1 - freeBytes / totalBytes));
}

/** @param before  the level at the last check; `Normal` at the first */
export function volumeLevel(before: VolumeLevel, ratio: number): VolumeLevel {
  const rising = levelAt(ratio);
  const falling = levelAt(ratio + HYSTERESIS_RATIO);
  if (severity(rising) >= severity(before)) return rising;
  return severity(falling) < severity(before) ? falling : before;
}

export function canTakeTasks(level: VolumeLevel): boolean {
  return level === 'Normal' || level === 'Warn';
}

function levelAt(ratio: number): VolumeLevel {
  return volumeLevels.find(({ fromUsedRatio }) => ratio >= fromUsedRatio)?.level ?? 'Normal';
}

/** 0 for `Normal`. */
function severity(level: VolumeLevel): number {
  return volumeLevels.length - 1 - volumeLevels.findIndex((row) => row.level === level);
}
