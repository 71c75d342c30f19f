/** The parts of a CharacterSpec that the gate reads. `contract/api/character-spec.ts` satisfies these types. */
import type { Proposition } from '@retainer/contract/api/character-spec';
import type { GateFeature, GatePolicies } from '@retainer/contract/api/gate-policy';
import type { LevelSchemeName } from '@retainer/contract/api/levels';

/** One grant or limit. All given conditions must hold; within a condition, one matching value is enough. */
export interface AuthorityEntry {
  readonly id: string;
  /** The meaning of the entry, for people and for the model. */
  readonly description: string;
  /** Tool names; `*` matches any run of characters. */
  readonly tools?: readonly string[] | undefined;
  /** Lowest effect class that matches, 0 to 4. */
  readonly effectClass?: number | undefined;
  /** Globs over the workspace paths that a call writes. */
  readonly paths?: readonly string[] | undefined;
  /** Host names; `*.example.org` matches every host below it. */
  readonly domains?: readonly string[] | undefined;
  /** RE2, searched for in the arguments. */
  readonly pattern?: string | undefined;
}

export interface TextRule {
  readonly id: string;
  readonly pattern: string;
  readonly verdict: 'Escalate' | 'Reject';
  /** Shown to people and to the model; must not reveal the pattern. */
  readonly reason: string;
}

export interface GateRules {
  readonly rules?: readonly TextRule[] | undefined;
}

/** What a gate scores, and the values of D′ from which it asks for a change or refuses. Features require both thresholds. */
export interface ScoredGate extends GateRules {
  readonly modify?: number | undefined;
  readonly reject?: number | undefined;
  /** Run the probes first. */
  readonly canary?: boolean | undefined;
  readonly features?: readonly GateFeature[] | undefined;
}

/** What the character's author calls harmless. An empty list allows everything. */
export interface AllowLists {
  /** Globs over the paths that a call reads or writes. */
  readonly paths?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  /** Names of tools whose calls are not scored; `*` matches any run of characters. Here an empty list names no tool. */
  readonly unscoredTools?: readonly string[] | undefined;
}

export interface CharacterPolicy {
  readonly levelScheme?: LevelSchemeName | undefined;
  readonly highestEndeavour?: readonly Proposition[] | undefined;
  readonly authority?:
    | {
        readonly alone?: readonly AuthorityEntry[] | undefined;
        readonly consult?: readonly AuthorityEntry[] | undefined;
        readonly never?: readonly AuthorityEntry[] | undefined;
      }
    | undefined;
  readonly gatePolicies?:
    | {
        readonly scale?: GatePolicies['scale'] | undefined;
        /** Lowest effect class that is scored. */
        readonly scoreFromClass?: number | undefined;
        readonly input?: ScoredGate | undefined;
        readonly tool?: ScoredGate | undefined;
        readonly output?: ScoredGate | undefined;
        /** Additional rules and features for one specialist. */
        readonly agentOverrides?: readonly { readonly agent: string; readonly tool: ScoredGate }[] | undefined;
        readonly allowLists?: AllowLists | undefined;
        /** The statistical layer reads incoming texts after the shipped rules. */
        readonly detector?: boolean | undefined;
      }
    | undefined;
}
