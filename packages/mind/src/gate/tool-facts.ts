/**
 * The facts of a tool that the pure folders use: the pure half of its descriptor (`parts/`). The composition roots pass
 * them in.
 *
 * I1  A fact that a descriptor does not declare counts as the worst case. So does every fact of an unknown tool; the record of an
 *     older version may name one.
 *
 * Source: design 4 (tools); reliability-security 4.
 */
import type { Label, SourceKind } from './provenance/label.ts';
import type { EffectClass } from './verdict.ts';

/** `Command`: another command may do the same thing. `Place`: another place is another thing. */
export type TargetKind = 'Command' | 'Place';

/** One of the arguments that name the target. */
export interface TargetPart {
  readonly member: string;
  /** How its spellings are compared. */
  readonly as: 'Line' | 'Path' | 'Address';
  /** Used if the argument is missing. Without a default, such a call has no target. */
  readonly absent?: string;
}

export interface ToolTarget {
  readonly kind: TargetKind;
  /** In the order of the target's text. Empty: the tool has no target. */
  readonly parts: readonly TargetPart[];
}

/**
 * What an argument does. `Destination`: who or what receives something: a recipient, an address, a channel. `Target`: which thing is
 * affected, or how much: an id, a file, an amount. `Name`: what is looked for, or what a new thing is called. `Content`: text that the
 * call stores or sends, which chooses nothing.
 */
export type ArgumentRole = 'Destination' | 'Target' | 'Name' | 'Content';

export interface ToolOutputFacts {
  readonly source: SourceKind;
  readonly trust: Label['trust'];
  /** `Principal`: whoever the run is for. */
  readonly readers: 'Everyone' | 'Principal';
  /** The argument that names the origin of the output. */
  readonly name?: 'path' | 'url';
  /** The output is text of the file at `path`. A cycle trusts a file that it wrote itself. */
  readonly isFile?: true;
  /** The output names what is there, and shows nothing of what it holds. */
  readonly isListing?: true;
  /**
   * The parts of the output that no stranger can write: all parts that the outcome does not name as others' (`othersAt`), or the
   * members of these names. Absent: none.
   */
  readonly records?: 'All' | readonly string[];
}

/** How the effect of a call is described to the person who decides on it. */
export interface ToolVerb {
  readonly verb: string;
  /** The argument that the line is about. */
  readonly object?: string;
  /** The argument that holds a text of several lines, or a list of such texts. */
  readonly text?: string;
  /** Shown after the object. */
  readonly note?: string;
}

export interface ToolFacts {
  readonly name: string;
  /** At least 2 if it reaches outside. Worst: 4, so that a person approves each call. */
  readonly effectClass: EffectClass;
  /**
   * A call may send data outside. Worst: true. If it runs no code and writes nothing, it waits for its endpoint and not for the
   * workspace: such a tool reads no file there.
   */
  readonly reachesOutside: boolean;
  /** The sandbox's mounts, not the arguments, limit what a call writes. Worst: true. */
  readonly runsCode: boolean;
  /**
   * A call that succeeds may report the failure of a command inside it. Such words excuse an attempt. Worst: false.
   */
  readonly reportsFailures: boolean;
  /** Files: none, the whole file at the argument `path`, a part of that file, or any. Worst: any. */
  readonly writes: 'Nothing' | 'Path' | 'Part' | 'Anything';
  /** People see the result of a call. Worst: true. */
  readonly showsPeople: boolean;
  /**
   * A call leaves something by which the agent acts later, as a job does. After untrusted text it needs a person like a call that
   * changes something outside. Worst: true.
   */
  readonly actsLater: boolean;
  /** Worst: untrusted, for the principal alone, and no file. */
  readonly output: ToolOutputFacts;
  /** The target of a failed call. Absent: the first usual argument, as a place. */
  readonly target?: ToolTarget;
  /** Absent: the description is the tool's name and all its arguments. */
  readonly verb?: ToolVerb;
  /** By name; an argument that is not here is a destination. Absent: every argument is one, and none can be shown. */
  readonly arguments?: Readonly<Record<string, ArgumentRole>>;
}

export type DeclaredFacts = Pick<ToolFacts, 'name'> & Partial<Omit<ToolFacts, 'name'>>;

/** All existing tools, whether or not an Agent has them. */
export interface KnownTools {
  readonly all: readonly ToolFacts[];
  /** The worst case for an unknown tool. */
  factsOf(tool: string): ToolFacts;
}

const worstCase: Omit<ToolFacts, 'name'> = {
  effectClass: 4,
  reachesOutside: true,
  runsCode: true,
  reportsFailures: false,
  writes: 'Anything',
  showsPeople: true,
  actsLater: true,
  output: { source: 'Tool', trust: 'Untrusted', readers: 'Principal' },
};

/** Lowest effect class of a call that sends data outside. */
export const OUTWARD_EFFECT_CLASS = 2;

export function knowTools(declared: readonly DeclaredFacts[]): KnownTools {
  const byName = new Map(declared.map((facts) => [facts.name, completed(facts)]));
  return {
    all: [...byName.values()],
    factsOf: (name) => byName.get(name) ?? completed({ name }),
  };
}

/** The flow policies judge by the effect class, so a tool that reaches outside must not declare a lower class. */
function completed(declared: DeclaredFacts): ToolFacts {
  const facts = { ...worstCase, ...declared };
  const isHidden = facts.reachesOutside && facts.effectClass < OUTWARD_EFFECT_CLASS;
  return isHidden ? { ...facts, effectClass: OUTWARD_EFFECT_CLASS } : facts;
}
