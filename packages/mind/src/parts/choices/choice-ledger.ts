/**
 * The bits that each site was told by choices within 30 days, folded from the agent's record. Nothing else is stored, so neither a
 * kill nor a new run changes it.
 */
import { z } from 'zod';
import { CHOICE_WINDOW_DAYS } from '../../gate/provenance/choice-budget.ts';

const DAY_MS = 86_400_000;

/** Milliseconds of the record that contain everything that counts. A day counts until its last bit is old enough. */
export const CHOICE_LOOKBACK_MS = (CHOICE_WINDOW_DAYS + 1) * DAY_MS;

const ChoiceSpent = z.object({ callId: z.string(), site: z.string(), bits: z.number() });
export type ChoiceSpent = Readonly<z.infer<typeof ChoiceSpent>>;

export const choiceKinds = { ChoiceSpent } as const;

export class ChoiceLedger {
  /** By day since 1970 (UTC), then by site. */
  readonly #days = new Map<number, Map<string, number>>();

  take({ site, bits }: Pick<ChoiceSpent, 'site' | 'bits'>, atMs: number): void {
    const day = Math.floor(atMs / DAY_MS);
    const sites = this.#days.get(day) ?? new Map<string, number>();
    this.#days.set(day, sites.set(site, (sites.get(site) ?? 0) + bits));
  }

  /** @returns by site; sites without any are left out */
  spent(nowMs: number): Readonly<Record<string, number>> {
    const first = Math.floor((nowMs - CHOICE_LOOKBACK_MS) / DAY_MS);
    const spent: Record<string, number> = {};
    for (const [day, sites] of this.#days) {
      if (day <= first) this.#days.delete(day);
      else for (const [site, bits] of sites) spent[site] = (spent[site] ?? 0) + bits;
    }
    return spent;
  }
}
