/** Ids in a sentence. */

/** As many as one reads. */
const IDS_MAX = 20;

/** `a, b, and 3 more`; `none`. @param ids  in the order in which they are looked for */
export function listedIds(ids: readonly string[]): string {
  if (ids.length === 0) return 'none';
  const more = ids.length > IDS_MAX ? `, and ${ids.length - IDS_MAX} more` : '';
  return `${ids.slice(0, IDS_MAX).join(', ')}${more}`;
}
