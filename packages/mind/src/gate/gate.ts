/** The gate of a character, as the cycle and the chokepoint call it. `compile-gate.ts` compiles it from a CharacterSpec. */
import type { GateStep, Inquiry } from './chain/inquiry.ts';
import type { TextReader } from './chain/text-reader.ts';
import type { FreeFiles } from './provenance/free-files.ts';
import type { Choice } from './provenance/read-item.ts';
import type { CallFacts, GateContext, Verdict } from './verdict.ts';

/** Pure: the same question has the same answer. */
export interface Gate {
  /** SHA-256 of the source CharacterSpec; stamped on every gate record. */
  readonly characterDigest: string;
  /** Judges a call by the rules and a person's approval, without a score. No score lifts this refusal or question. */
  tool(call: CallFacts, context: GateContext): Verdict;
  /** What all its rules find in texts. */
  readonly texts: Pick<TextReader, 'found' | 'readAhead'>;
  /** What the call tells its server by the choice of its address; undefined: nothing that counts. */
  choice(call: CallFacts, context: Pick<GateContext, 'read'>): Choice | undefined;
  /** Takes one step through the whole gate: returns the next question, or the decision. */
  next(inquiry: Inquiry): GateStep;
  /** Workspace paths of `authority.never` and `authority.consult`, mounted read-only: no script may change them. */
  readonly readOnlyPaths: readonly string[];
  /** The existing files that a program may change; undefined: all except `readOnlyPaths`. */
  freeFiles(circumstances: Pick<GateContext, 'read' | 'autonomous'>): FreeFiles | undefined;
}
