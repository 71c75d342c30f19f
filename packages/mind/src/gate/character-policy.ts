/** What the gate needs of a CharacterSpec. The spec of `contract/api/character-spec.ts` fits it. */
import type { Proposition } from '@retainer/contract/api/character-spec';
import type { GateFeature, GatePolicies } from '@retainer/contract/api/gate-policy';
import type { LevelSchemeName } from '@retainer/contract/api/levels';

/** One grant or limit. All given conditions must hold; of several values inside one condition, any. */
export interface AuthorityEntry {
  readonly id: string;
  /** What it says, for people and for the model. */
  readonly description: string;
  /** Tool names; `*` stands for any run of characters. */
  readonly tools?: readonly string[] | undefined;
  /** This effect class and above, 0 to 4. */
  readonly effectClass?: number | undefined;
  /** Globs over the workspace paths that a call writes. */
  readonly paths?: readonly string[] | undefined;
  /** Host names; `*.example.org` is every host below. */
  readonly domains?: readonly string[] | undefined;
  /** RE2, searched in the arguments. */
  readonly pattern?: string | undefined;
}

/** One deterministic rule over a text. */
export interface TextRule {
  readonly id: string;
  readonly pattern: string;
  readonly verdict: 'Escalate' | 'Reject';
  /** Told to people and to the model; must not give the pattern away. */
  readonly reason: string;
}

export interface GateRules {
  readonly rules?: readonly TextRule[] | undefined;
}

/** What a gate scores, and from which D′ on it asks for a change or refuses. Both thresholds are needed where there are features. */
export interface ScoredGate extends GateRules {
  readonly modify?: number | undefined;
  readonly reject?: number | undefined;
  /** Ask the probes first. */
  readonly canary?: boolean | undefined;
  readonly features?: readonly GateFeature[] | undefined;
}

/** What the author of the character calls harmless. An empty list allows all. */
export interface AllowLists {
  /** Globs over the paths that a call reads or writes. */
  readonly paths?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  /** Names of tools whose calls are not scored; `*` stands for any run of characters. Here an empty list names none. */
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
        /** More rules and features for one specialist. */
        readonly agentOverrides?: readonly { readonly agent: string; readonly tool: ScoredGate }[] | undefined;
        readonly allowLists?: AllowLists | undefined;
      }
    | undefined;
}
