/** The gate of a character, as the cycle and the chokepoint ask it. `compile-gate.ts` makes one from a CharacterSpec. */
import type { GateStep, Inquiry } from './chain/inquiry.ts';
import type { FreeFiles } from './provenance/free-files.ts';
import type { CallFacts, GateContext, GateName, MatchedRule, Verdict } from './verdict.ts';

/** Pure: same question, same answer. */
export interface Gate {
  /** SHA-256 of the CharacterSpec that it was made from; stamped on every gate record. */
  readonly characterDigest: string;
  /** What the rules and a person's approval say of a call: what is refused or asked whatever a score says. */
  tool(call: CallFacts, context: GateContext): Verdict;
  /** The whole gate, a step at a time: what has to be asked next, or what is decided. */
  next(inquiry: Inquiry): GateStep;
  /** The character's rules of one gate that match a text, in their order. For the tool gate those that hold for the agent. */
  rulesIn(gate: GateName, text: string, agent: string): readonly MatchedRule[];
  /** Workspace paths that no script may change: the sandbox mounts them read-only. From `authority.never[].paths`. */
  readonly readOnlyPaths: readonly string[];
  /** Of the files that were there before, those that a program may change; undefined: all but `readOnlyPaths`. */
  freeFiles(circumstances: Pick<GateContext, 'read' | 'autonomous'>): FreeFiles | undefined;
}
