/** A case as recall sees it, and what it is compared with. */
import { wordsOf } from '../../meaning/words.ts';

/** A problem in bags of words; what is not known is empty. */
export interface Problem {
  readonly intent: string;
  readonly domain: string;
  readonly keywords: readonly string[];
  readonly entities: readonly string[];
  /** What the user said. */
  readonly text: string;
}

export interface RecallCase extends Problem {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
  /** How often it was shown, and how often a plan that followed it succeeded. */
  readonly shown: number;
  readonly succeeded: number;
}

/** The values of a problem in lower case, each once. */
export function valuesOf({ intent, domain, keywords, entities }: Problem): readonly string[] {
  return [...new Set([...keywords, ...entities, domain, intent].map((it) => it.toLowerCase()))].filter(
    (it) => it !== '',
  );
}

/** The text whose vector stands for a problem: its values, which were chosen to say what it is about; else what the user said. */
export function textOf(problem: Problem): string {
  const values = valuesOf(problem);
  return values.length > 0 ? values.join(' ').replaceAll('_', ' ') : problem.text;
}

/** What the index of the paper compares: whole values, or the words of the text where there are none. Source: springdrift 5. */
export function wholeValues(problem: Problem): ReadonlySet<string> {
  const values = valuesOf(problem);
  return new Set(values.length > 0 ? values : wordsOf(problem.text));
}

/** The part of a case's use that was a success; one half for a case that was never shown. Source: springdrift 5. */
export function utilityOf({ shown, succeeded }: Pick<RecallCase, 'shown' | 'succeeded'>): number {
  return (succeeded + 1) / (shown + 2);
}

/** The use of a case that was never shown. */
export const NEVER_SHOWN = { shown: 0, succeeded: 0 } as const;

/** A problem in lower case. */
export interface Fields {
  readonly intent: string;
  readonly domain: string;
  readonly keywords: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
}

export function fieldsOf({ intent, domain, keywords, entities }: Problem): Fields {
  const lower = (values: readonly string[]): ReadonlySet<string> => new Set(values.map((it) => it.toLowerCase()));
  return {
    intent: intent.toLowerCase(),
    domain: domain.toLowerCase(),
    keywords: lower(keywords),
    entities: lower(entities),
  };
}

/** What each field of a problem counts. Source: springdrift 5 (field score). */
export const FIELD_WEIGHTS = { intent: 0.3, domain: 0.3, keywords: 0.25, entities: 0.15 } as const;

/** How much the fields of two problems agree, 0 to 1. Source: springdrift 5. */
export function fieldScore(a: Fields, b: Fields): number {
  return (
    FIELD_WEIGHTS.intent * agree(a.intent, b.intent) +
    FIELD_WEIGHTS.domain * agree(a.domain, b.domain) +
    FIELD_WEIGHTS.keywords * jaccard(a.keywords, b.keywords) +
    FIELD_WEIGHTS.entities * jaccard(a.entities, b.entities)
  );
}

/** 1 if both name the same. */
export function agree(a: string, b: string): number {
  return a !== '' && a === b ? 1 : 0;
}

/** What two sets share of all, 0 to 1; 0 if one side is empty. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const value of a) if (b.has(value)) both += 1;
  return both / (a.size + b.size - both);
}
