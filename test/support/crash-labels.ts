/** What every test says that kills a run after each of its records and takes it up again. */
import { expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { World } from './crash-world.ts';

export function crashLabel(prefix: readonly JournalRecord[]): string {
  return `after ${prefix.length} records (${prefix.at(-1)?.kind ?? 'none'})`;
}

/** The run `r` is delivered once. */
export function expectOneDelivery({ deliveries }: World, label: string): void {
  expect(
    deliveries.map((it) => it.deliveryId),
    label,
  ).toEqual(['r-d1']);
}

export function expectNoEffectTwice({ effects }: World, label: string): void {
  expect(
    [...effects.values()].every((times) => times === 1),
    label,
  ).toBe(true);
}
