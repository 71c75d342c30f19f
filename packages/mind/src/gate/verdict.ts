/**
 * The words of a verdict: what is judged, in which circumstances, what a policy is, and what is answered. Every other module of the
 * gate stands on this one; it imports data alone. `verdict-steps.ts` says how a verdict is made.
 *
 * Source: springdrift 2; design 5.
 */
import type { ReadSoFar } from './provenance/read-item.ts';

/** 0 pure, 1 local and reversible, 2 external read, 3 external write, 4 irreversible. Source: artoo C. */
export type EffectClass = 0 | 1 | 2 | 3 | 4;

export const gateNames = ['Input', 'Tool', 'Output'] as const;
export type GateName = (typeof gateNames)[number];

export const verdictKinds = ['Accept', 'Modify', 'Escalate', 'Reject'] as const;
export type VerdictKind = (typeof verdictKinds)[number];

export interface Verdict {
  readonly gate: GateName;
  readonly kind: VerdictKind;
  /** Id of the rule that decided: `authority.never/source-data-is-read-only`, `effect-class/2`, `approval/granted` … */
  readonly rule: string;
  /** For people and for the model: what was decided and what to do about it. Never quotes a pattern. */
  readonly reason: string;
}

export const approvalModes = ['ByPolicy', 'EveryEffect', 'BeforeStart'] as const;
/** When a person is asked: as the policy says; also for every call of effect class 1 and above; also before the first call. */
export type ApprovalMode = (typeof approvalModes)[number];

/** What one tool call would do, read from its parsed arguments. */
export interface CallFacts {
  readonly tool: string;
  readonly effectClass: EffectClass;
  /** Relative to the workspace, normalised, `/` between the parts. */
  readonly readPaths: readonly string[];
  /** As `readPaths`; what a sandboxed script may touch is limited by its mounts instead. */
  readonly writePaths: readonly string[];
  /** Host names in lower case. */
  readonly domains: readonly string[];
  /** Key of the fact that it keeps. */
  readonly factKey?: string;
  /** The parsed arguments as canonical JSON. */
  readonly argumentsText: string;
  /** SHA-256 of `tool`, a line feed and `argumentsText`: what an approval is bound to. */
  readonly argumentsDigest: string;
}

export interface Approval {
  readonly requestId: string;
  readonly argumentsDigest: string;
  readonly decision: 'Approve' | 'Deny';
  readonly by: string;
  readonly reason: string;
  readonly expiresAtMs: number;
}

/** What a Task says in `spec.override`, as its run carries it. */
export interface Override {
  /** The refused Task. */
  readonly of: string;
  readonly rule: string;
  /** SHA-256 of what was refused: the words of the Task, a call as an approval has it, or an outgoing text. */
  readonly subjectDigest: string;
  readonly by: string;
  readonly reason: string;
  /** The digest is that of the words of the Task that carries it. */
  readonly coversTask: boolean;
}

export interface GateContext {
  /** The agent role that asks: `executor`, `coder` … */
  readonly agent: string;
  /** Nobody waits at the other end: a verdict that cannot be had is a refusal. */
  readonly autonomous: boolean;
  readonly nowMs: number;
  /** Unused approvals of this cycle. One approval serves one call. */
  readonly approvals: readonly Approval[];
  /** What a principal overrules in this run. */
  readonly override?: Override;
  /** What the cycle has read, for the tool gate. Absent where there is no cycle: nothing was read then. */
  readonly read?: ReadSoFar;
  /** The call's arguments hold a secret of the installation. */
  readonly holdsSecret?: boolean;
  /** The call would replace something that is there: a file, or a fact that is believed. */
  readonly replaces?: boolean;
}

/** One reason to refuse or to ask. It answers a verdict or nothing, and never relies on another having passed. */
export interface Policy<Subject> {
  readonly name: string;
  judge(subject: Subject, context: GateContext): Verdict | undefined;
}

/** A rule of the character that matches, and where first, in UTF-16 units of the text. */
export interface MatchedRule {
  /** As in a verdict: `input-rules/instruction-override`. */
  readonly rule: string;
  readonly verdict: 'Escalate' | 'Reject';
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

/** A finding of either kind; `points` are those of shipped rules. */
export interface CheckFinding {
  readonly rule: string;
  /** Where in a call's arguments, as a JSON pointer; absent in a text. */
  readonly at?: string;
  /** UTF-16 units of the text, or of that argument. */
  readonly start: number;
  readonly end: number;
  readonly points?: number;
}
