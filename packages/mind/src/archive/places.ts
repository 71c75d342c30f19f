/** Files and addresses that a text names. */
import { claimsIn } from '../run/verdict/claims.ts';

/** Each once, as it stands. */
export function placesIn(text: string): readonly string[] {
  const named = claimsIn(text).filter(({ kind }) => kind === 'Url' || kind === 'Path');
  return [...new Set(named.map((it) => it.text))];
}

/** Whether a call shows the place that is told of: itself, or more of it, or its name alone. */
export function isShownPlace(told: string, shown: string): boolean {
  const [a, b] = [plain(told), plain(shown)];
  if (a === '' || b === '') return false;
  return a === b || b.endsWith(`/${a}`) || b.startsWith(`${a}/`) || b.startsWith(`${a}?`) || a.endsWith(`/${b}`);
}

function plain(place: string): string {
  return place
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^\.?\//, '')
    .replace(/\/$/, '');
}
