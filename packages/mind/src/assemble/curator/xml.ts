/** Elements of XML in which no value can become markup. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** As one line. @param charactersMax  of the escaped text, which ends with a mark if the text was longer */
export function escaped(text: string, charactersMax: number): string {
  const line = text.replaceAll(/[\s\u0085\p{Cc}]+/gu, ' ').trim();
  let whole = '';
  let kept = '';
  for (const unit of line) {
    whole += ENTITIES[unit] ?? unit;
    if (whole.length > charactersMax) return `${kept}…`;
    if (whole.length < charactersMax) kept = whole;
  }
  return whole;
}

/** Characters of one value: a name, not a text. */
const VALUE_CHARACTERS = 64;

/** Absent values are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** @param children  elements, each on a line of its own */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const told = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(String(value), VALUE_CHARACTERS)}"`],
  );
  const start = `<${name}${told.join('')}`;
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, `</${name}>`].join('\n');
}
