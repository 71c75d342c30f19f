/**
 * At most about `characters` of a text: one third from its start, two thirds from its end, where results stand.
 *
 * Source: artoo A.5 (headTail).
 */
export function headAndTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = Math.floor(characters / 3);
  const tail = characters - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - tail)}`;
}
