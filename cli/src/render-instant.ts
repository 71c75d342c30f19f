/** A moment as people read it, to the second. */
export function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').slice(0, 19).concat(' UTC');
}
