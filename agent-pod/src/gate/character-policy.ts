/** What the gate needs of a CharacterSpec. The spec of `contract/api/character-spec.ts` fits it. */

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

/** What the author of the character calls harmless. An empty list allows all. */
export interface AllowLists {
  /** Globs over the paths that a call reads or writes. */
  readonly paths?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
}

export interface CharacterPolicy {
  readonly authority?:
    | {
        readonly alone?: readonly AuthorityEntry[] | undefined;
        readonly consult?: readonly AuthorityEntry[] | undefined;
        readonly never?: readonly AuthorityEntry[] | undefined;
      }
    | undefined;
  readonly gatePolicies?:
    | {
        readonly input?: GateRules | undefined;
        readonly tool?: GateRules | undefined;
        readonly output?: GateRules | undefined;
        /** More tool rules for one specialist. */
        readonly agentOverrides?: readonly { readonly agent: string; readonly tool: GateRules }[] | undefined;
        readonly allowLists?: AllowLists | undefined;
      }
    | undefined;
}
