/** What kind of lesson a case is. Source: springdrift 4 (category rule). */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';

export type CaseCategory = RecalledCase['category'];
export type CaseStatus = RecalledCase['outcome'];

/** Words of an approach that is code. */
const CODE_WORDS: ReadonlySet<string> = new Set(
  'code script function class module test compile debug refactor python javascript typescript bash sql regex api json program'.split(
    ' ',
  ),
);

export function categoryOf(status: CaseStatus, approach: string, pitfalls: readonly string[]): CaseCategory {
  switch (status) {
    case 'Success':
      return hasCode(approach) ? 'CodePattern' : 'Strategy';
    case 'Failure':
      return pitfalls.length > 0 ? 'Pitfall' : 'Troubleshooting';
    case 'Partial':
      return 'DomainKnowledge';
  }
}

function hasCode(approach: string): boolean {
  return approach
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => CODE_WORDS.has(word));
}
