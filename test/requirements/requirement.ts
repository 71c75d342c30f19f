/**
 * Rules of the sources: source → `area:rule-in-words` → what holds. A source is notes and chapters, each with a row in
 * docs/sources.md.
 */
export type Requirements = Readonly<Record<string, Readonly<Record<string, string>>>>;
