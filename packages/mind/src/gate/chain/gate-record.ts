/**
 * What is kept of a verdict, so that people and the auditor can follow it: everything that decided, nothing that was judged.
 *
 * I1  The text that was judged is there as a digest only, and a rule by its name and place: no pattern is told.
 * I2  The same inquiry gives the same record; model, latency and usage stand with the answers.
 *
 * Source: springdrift 2 (with what is missing there).
 */
import type { ResolvedPair, Veto } from '../calculus/judge-findings.ts';
import type { Alarm } from '../text/screen-text.ts';
import type { CheckFinding, GateName, VerdictKind } from '../verdict.ts';
import type { Forecast, Probes } from './answers.ts';

/** Why no score was asked for. */
export type Exemption =
  /** The rules, a person or a probe had decided. */
  | 'Decided'
  /** A person is in the conversation, and hers or his is the judgement of a text. */
  | 'Interactive'
  /** No rule found anything in what came in. */
  | 'NothingFound'
  /** The character has nothing scored at this gate. */
  | 'NoFeatures'
  /** The effect class is below `scoreFromClass`. */
  | 'EffectClass'
  /** The character's `unscoredTools` name the tool. */
  | 'UnscoredTool';

/** What overrode the judgement. */
export type Intervention = 'None' | 'Stalled' | 'IterationsUsedUp' | 'RevisionsUsedUp' | 'RevisionTooShort';

/** Decided by the critical features alone: the calculus was not asked. */
export const REACTIVE = 'reactive';

/** One policy's judgement of the forecasts. */
export interface PolicyRecord {
  /** `input`, `tool`, `output` or `agentOverrides/Coder`. */
  readonly policy: string;
  /** In force, after every tightening. */
  readonly modify: number;
  readonly reject: number;
  /** Score of its critical features alone, 0 to 1. */
  readonly reactive: number;
  /** D′, 0 to 1. */
  readonly score: number;
  readonly verdict: Extract<VerdictKind, 'Accept' | 'Modify' | 'Reject'>;
  /** Floor, veto, `fast-path` or `REACTIVE`. */
  readonly decidedBy: string;
  /** The calculus weighed the commitments. */
  readonly isWeighed: boolean;
  readonly shortTrail: readonly string[];
  /** The first pairs; the judgement of the same forecasts has them all. */
  readonly trail: readonly ResolvedPair[];
  /** Pairs in all. */
  readonly pairs: number;
  readonly vetoes: readonly Veto[];
}

export interface GateRecord {
  readonly gate: GateName;
  /** Of the CharacterSpec. */
  readonly characterDigest: string;
  /** SHA-256: of a text, or as an approval has it of a call. */
  readonly subjectDigest: string;
  readonly agent: string;
  readonly autonomous: boolean;
  /** Of all rules together, the character's and the shipped ones. */
  readonly alarm: Alarm;
  /** Of the shipped rules. */
  readonly points: number;
  readonly findings: readonly CheckFinding[];
  readonly probes?: Probes;
  readonly scorer: 'NotAsked' | 'Available' | 'Unavailable';
  /** Where it was not asked. */
  readonly exemption?: Exemption;
  /** Where it was unavailable. */
  readonly scorerFault?: string;
  /** Times that it was asked: more than one where an answer was malformed. */
  readonly scorings?: number;
  /** Characters that were scored, where the text has more. */
  readonly scoredCharacters?: number;
  /** In the order of the features. */
  readonly forecasts: readonly Forecast[];
  /** Highest of all policies; absent without forecasts. */
  readonly reactive?: number;
  /** Highest D′ of all policies; 0 where nothing was found to score, 1 where a probe detected something. */
  readonly score?: number;
  readonly policies: readonly PolicyRecord[];
  /** As the verdict's rule. */
  readonly decidedBy: string;
  readonly intervention: Intervention;
}
