/**
 * The record of a verdict, by which people and the auditor follow it. It holds everything that decided, but not the subject.
 *
 * I1  The record holds the judged text only as a digest, and each rule only as a name and a position: it reveals no pattern.
 * I2  The same inquiry gives the same record; the answers' own records hold model, latency and usage.
 *
 * Source: springdrift 2 (with what is missing there).
 */
import type { ResolvedPair, Veto } from '../calculus/judge-findings.ts';
import type { DetectorReading } from '../detector/second-line.ts';
import type { Alarm } from '../text/screen-text.ts';
import type { CheckFinding, GateName, VerdictKind } from '../verdict.ts';
import type { Forecast } from '../../request/answers/forecasts.ts';
import type { Probes } from './answers.ts';

/** Why the scorer was not asked. */
export type Exemption =
  /** The rules, a person or a probe had already decided. */
  | 'Decided'
  /** A person is in the conversation and judges the text. */
  | 'Interactive'
  /** No rule found anything in the input. */
  | 'NothingFound'
  /** The character has no features at this gate. */
  | 'NoFeatures'
  /** The effect class is below `scoreFromClass`. */
  | 'EffectClass'
  /** The character's `unscoredTools` name the tool. */
  | 'UnscoredTool';

/** Why the judgement of the policies did not become the verdict. */
export type Intervention = 'None' | 'Stalled' | 'IterationsUsedUp' | 'RevisionsUsedUp' | 'RevisionTooShort';

/** Decided by the critical features alone, without the calculus. */
export const REACTIVE = 'reactive';

export interface PolicyRecord {
  /** `input`, `tool`, `output` or `agentOverrides/Coder`. */
  readonly policy: string;
  /** In force, after all tightening. */
  readonly modify: number;
  readonly reject: number;
  /** Score of its critical features alone, 0 to 1. */
  readonly reactive: number;
  /** D′, 0 to 1. */
  readonly score: number;
  readonly verdict: Extract<VerdictKind, 'Accept' | 'Modify' | 'Reject'>;
  /** Floor, veto, `fast-path` or `REACTIVE`. */
  readonly decidedBy: string;
  /** Whether the calculus weighed the commitments. */
  readonly isWeighed: boolean;
  readonly shortTrail: readonly string[];
  /** One for each pair. Records older than rules 4 hold the first 32. */
  readonly trail: readonly ResolvedPair[];
  readonly pairs: number;
  /** Axiom 6.5: the commitments were weighed, and none conflicts. Absent without pairs, and before rules 4. */
  readonly isOpen?: boolean;
  readonly vetoes: readonly Veto[];
}

export interface GateRecord {
  readonly gate: GateName;
  readonly characterDigest: string;
  /** SHA-256 of a text; for a call, the digest that an approval is bound to. */
  readonly subjectDigest: string;
  readonly agent: string;
  readonly autonomous: boolean;
  /** Highest alarm of all rules, both the character's and the shipped ones. */
  readonly alarm: Alarm;
  /** Points of the shipped rules. */
  readonly points: number;
  readonly findings: readonly CheckFinding[];
  /** What the statistical layer said; absent if the character turns it off, and of what leaves. */
  readonly detector?: DetectorReading;
  readonly probes?: Probes;
  readonly scorer: 'NotAsked' | 'Available' | 'Unavailable';
  /** Present if the scorer was not asked. */
  readonly exemption?: Exemption;
  /** Present if the scorer was unavailable. */
  readonly scorerFault?: string;
  /** Number of requests to the scorer; more than one if an answer was malformed. */
  readonly scorings?: number;
  /** Number of scored characters; present only if the text was cut. */
  readonly scoredCharacters?: number;
  /** In the order of the features. */
  readonly forecasts: readonly Forecast[];
  /** Highest of all policies; absent without forecasts. */
  readonly reactive?: number;
  /** Highest D′ of all policies; 0 if no rule found anything in the input, 1 if a probe detected something. */
  readonly score?: number;
  readonly policies: readonly PolicyRecord[];
  /** The rule of the verdict before any override, approval mode or hold. */
  readonly decidedBy: string;
  readonly intervention: Intervention;
}
