/** One day of the agent in figures, as it may ask for it. Source: springdrift 7 (reflect), 15 (24: counts, not rates of five). */
import type { DaySummary } from '../explain/audit/day-summary.ts';
import { dayRows } from '../explain/audit/render-summary.ts';
import { telling, type Telling } from './telling.ts';

/** How large its stores are says nothing of a day's work. */
const UNTOLD = 'stores';

export function tellDay(day: DaySummary): Telling {
  const rows = dayRows(day).filter(([name]) => name !== UNTOLD);
  return telling([`${day.day} (UTC)`, ...rows.map(([name, text]) => `${name}: ${text}`)], [], '');
}
