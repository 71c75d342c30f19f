/**
 * What the thinking folders know of a tool: the pure half of its descriptor (`tools/catalog/`), handed in by the composition roots.
 *
 * I1  What a descriptor does not declare counts as the worst case, and so does every fact of a tool that nobody knows: the record
 *     of an older version may name one.
 *
 * Source: design 4 (tools); reliability-security 4.
 */
import type { Label, SourceKind } from './provenance/label.ts';
import type { EffectClass } from './verdict.ts';

/** `Command`: another one may do the same thing. `Place`: another one is another thing. */
export type TargetKind = 'Command' | 'Place';

/** One argument of those that name the target. */
export interface TargetPart {
  readonly member: string;
  /** As what two spellings of it are one. */
  readonly as: 'Line' | 'Path' | 'Address';
  /** Stands for it where it is not given; without it the call has no target then. */
  readonly absent?: string;
}

export interface ToolTarget {
  readonly kind: TargetKind;
  /** In the order in which they are told; none: it is directed at nothing. */
  readonly parts: readonly TargetPart[];
}

/** The label of what a tool says. */
export interface ToolOutputFacts {
  readonly source: SourceKind;
  readonly trust: Label['trust'];
  readonly readers: Label['readers'];
  /** The argument that names where it comes from. */
  readonly name?: 'path' | 'url';
  /** It is the text of the file at `path`: a cycle believes what it wrote itself. */
  readonly isFile?: true;
}

/** How the effect of a call is told to the person who decides on it. */
export interface ToolVerb {
  readonly verb: string;
  /** The argument that the line is about. */
  readonly object?: string;
  /** The argument that is a text of many lines. */
  readonly text?: string;
  /** Said after the object. */
  readonly note?: string;
}

export interface ToolFacts {
  readonly name: string;
  /** At least 2 where it reaches outside. Worst: 4, so that a person approves each call. */
  readonly effectClass: EffectClass;
  /** A call may tell the outside something. Worst: true. */
  readonly reachesOutside: boolean;
  /** The mounts of the sandbox limit what a call writes, not its arguments. Worst: true. */
  readonly runsCode: boolean;
  /** Files: none, the whole file at the argument `path`, or any. Worst: any. */
  readonly writes: 'Nothing' | 'Path' | 'Anything';
  /** People see what comes of a call. Worst: true. */
  readonly showsPeople: boolean;
  /** Worst: untrusted, for the principal alone, and no file. */
  readonly output: ToolOutputFacts;
  /** What a failed call was directed at. Absent: what the usual arguments name, as a place. */
  readonly target?: ToolTarget;
  /** Absent: a call is told by the tool's name and all its arguments. */
  readonly verb?: ToolVerb;
}

/** What a descriptor says. */
export type DeclaredFacts = Pick<ToolFacts, 'name'> & Partial<Omit<ToolFacts, 'name'>>;

/** Every tool that there is, whether an Agent has it or not. */
export interface KnownTools {
  readonly all: readonly ToolFacts[];
  /** The worst case for a tool that is not among them. */
  factsOf(tool: string): ToolFacts;
}

const worstCase: Omit<ToolFacts, 'name'> = {
  effectClass: 4,
  reachesOutside: true,
  runsCode: true,
  writes: 'Anything',
  showsPeople: true,
  output: { source: 'Tool', trust: 'Untrusted', readers: 'Principal' },
};

/** From here on a call tells the outside something. */
export const OUTWARD_EFFECT_CLASS = 2;

export function knowTools(declared: readonly DeclaredFacts[]): KnownTools {
  const byName = new Map(declared.map((facts) => [facts.name, completed(facts)]));
  return {
    all: [...byName.values()],
    factsOf: (name) => byName.get(name) ?? completed({ name }),
  };
}

/** The flow of data is judged by the effect class: no tool that reaches outside has one that hides it. */
function completed(declared: DeclaredFacts): ToolFacts {
  const facts = { ...worstCase, ...declared };
  const isHidden = facts.reachesOutside && facts.effectClass < OUTWARD_EFFECT_CLASS;
  return isHidden ? { ...facts, effectClass: OUTWARD_EFFECT_CLASS } : facts;
}
