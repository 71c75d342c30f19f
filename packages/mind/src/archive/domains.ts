/** A guess at what field a Task is from, by its words. Source: springdrift 4 (domain hints of the deterministic entry). */

const HINTS: Readonly<Record<string, string>> = {
  finance: 'sales revenue invoice price cost budget bank tax currency account payment profit',
  weather: 'weather temperature rain precipitation wind climate forecast humidity',
  software: 'code script function bug test compile deploy server database api repository',
  law: 'contract clause law legal court compliance licence regulation',
  property: 'rent property house lease tenant building apartment',
  health: 'patient health disease medicine hospital symptom therapy',
  travel: 'flight hotel trip travel route train airport',
  research: 'paper study experiment survey literature hypothesis',
};

const domains: ReadonlyMap<string, string> = new Map(
  Object.entries(HINTS).flatMap(([domain, words]) => words.split(' ').map((word) => [word, domain] as const)),
);

/** The domain of most words, the first of equal ones; empty: unknown. A plural counts as its word. */
export function domainOf(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) {
    const domain = domains.get(word) ?? domains.get(word.replace(/s$/, ''));
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0] ?? '';
}
