/**
 * The types of a verdict: the subject, its circumstances, the policy, the answer. Every other module of the gate builds on this
 * one, which imports only data. `verdict-steps.ts` defines how a verdict is made.
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
  /** For people and for the model: the decision, and what to do about it. Never quotes a pattern. */
  readonly reason: string;
}

export const approvalModes = ['ByPolicy', 'EveryEffect', 'BeforeStart'] as const;
/** When a person is asked: as the policy says; also for every call of effect class 1 or higher; also before the first call. */
export type ApprovalMode = (typeof approvalModes)[number];

/** The effect of one tool call, as read from its parsed arguments. */
export interface CallFacts {
  readonly tool: string;
  readonly effectClass: EffectClass;
  /** Relative to the workspace, normalised, `/` between the parts. */
  readonly readPaths: readonly string[];
  /** As `readPaths`. For a sandboxed script, the mounts limit what it writes. */
  readonly writePaths: readonly string[];
  /** Host names in lower case. */
  readonly domains: readonly string[];
  readonly factKey?: string;
  /** The parsed arguments as canonical JSON. */
  readonly argumentsText: string;
  /** SHA-256 of `tool`, a line feed and `argumentsText`; binds an approval to the call. */
  readonly argumentsDigest: string;
}

export interface Approval {
  readonly requestId: string;
  readonly argumentsDigest: string;
  readonly decision: 'Approve' | 'Deny';
  readonly by: string;
  readonly reason: string;
  readonly expiresAtMs: number;
  /** Digest of what stood where the call writes, as the person was shown it; absent when nothing did. */
  readonly standing?: string;
}

/** The content of a Task's `spec.override`, as its run carries it. */
export interface Override {
  /** The refused Task. */
  readonly of: string;
  readonly rule: string;
  /** SHA-256 of the refused subject: the Task's words, a call (as in an approval), or an outgoing text. */
  readonly subjectDigest: string;
  readonly by: string;
  readonly reason: string;
  /** `subjectDigest` is the digest of the words of the Task that carries the override. */
  readonly coversTask: boolean;
}

/** What people refused before, as far as it bears on a call. */
export interface DeniedBefore {
  /** In work that the agent begins by itself: somebody refused exactly this call, and what they said. */
  readonly call?: string;
  /** A person refused a call of this run. */
  readonly inRun?: true;
}

export interface GateContext {
  /** The role that asks: `executor`, `coder` … */
  readonly agent: string;
  /** The specialist by whose override outgoing texts are judged as well, as characters name it: `Comms`. Absent: none. */
  readonly repliesAs?: string;
  /** No person is in the conversation: a missing verdict is a refusal. */
  readonly autonomous: boolean;
  readonly nowMs: number;
  /** Unused approvals of this cycle. One approval permits one call. */
  readonly approvals: readonly Approval[];
  readonly override?: Override;
  /** What the cycle has read. Absent outside a cycle: then nothing was read, and nobody knows where a text is from. */
  readonly read?: ReadSoFar;
  /** The call's arguments contain a secret of the installation. */
  readonly holdsSecret?: boolean;
  /** The call would replace an existing file, or a trusted fact. */
  readonly replaces?: boolean;
  /** SHA-256 of what stands where the call writes; absent when nothing does. An approval is bound to it. */
  readonly standing?: string;
  readonly deniedBefore?: DeniedBefore;
  /** Why its tool wants a person's permission for it, as recorded state has it: one sentence. */
  readonly toolAsks?: string;
}

/** One reason to refuse or to ask. It returns a verdict or nothing, and never assumes that another policy has passed. */
export interface Policy<Subject> {
  readonly name: string;
  judge(subject: Subject, context: GateContext): Verdict | undefined;
}

/** A rule of the character that matches, and its first match in UTF-16 units of the text. */
export interface MatchedRule {
  /** As in a verdict: `input-rules/instruction-override`. */
  readonly rule: string;
  readonly verdict: 'Escalate' | 'Reject';
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

/** A finding of the character's rules or of the shipped rules; only shipped rules have `points`. */
export interface CheckFinding {
  readonly rule: string;
  /** The argument of the call, as a JSON pointer; absent for a text. */
  readonly at?: string;
  /** UTF-16 units of the text, or of the argument. */
  readonly start: number;
  readonly end: number;
  readonly points?: number;
}
