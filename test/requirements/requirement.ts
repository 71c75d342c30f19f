/** One rule of a source, and whether the code meets it. */
export interface Requirement {
  /** Notes and chapters, each with a row in docs/sources.md. */
  readonly source: string;
  readonly behavior: string;
  /** Why it is not met yet; its tests run as expected failures. */
  readonly knownFailure?: string;
}

/** Keyed by `area:rule-in-words`. */
export type Requirements = Readonly<Record<string, Requirement>>;
