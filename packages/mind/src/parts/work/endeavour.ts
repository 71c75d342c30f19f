/**
 * An endeavour: work of weeks, in phases and sessions, for people who have a stake in it.
 *
 * Source: springdrift 8. Differs: it has no cadence and tells no stakeholder, and a session has no bound of cycles, since nothing
 * would enforce these yet.
 */
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { PostMortem } from './appraisal.ts';
import { Approvals } from './approvals.ts';
import { FeatureOverrides, Forecast } from './forecast.ts';
import { CRITERIA_MAX, PHASES_MAX, SESSION_TOKENS_MAX, SESSIONS_KEPT, STAKEHOLDERS_MAX } from './limits.ts';
import { LongText, Moment, Sentence, Title } from './texts.ts';

export const ENDEAVOUR_STATUSES = ['Draft', 'Active', 'Blocked', 'OnHold', 'Complete', 'Failed', 'Abandoned'] as const;
export type EndeavourStatus = (typeof ENDEAVOUR_STATUSES)[number];

export const PHASE_STATUSES = ['NotStarted', 'InProgress', 'Complete', 'Blocked', 'Skipped'] as const;
export type PhaseStatus = (typeof PHASE_STATUSES)[number];

/** Sessions of one phase: more is an endeavour of its own. */
const PHASE_SESSIONS_MAX = 60;

export const NewPhase = z.strictObject({
  name: Title,
  description: LongText,
  /** Names of phases that must be over first. */
  dependsOn: z.array(Title).max(PHASES_MAX).exactOptional(),
  milestone: Sentence.exactOptional(),
  estimatedSessions: z.int().min(0).max(PHASE_SESSIONS_MAX),
});
export type NewPhase = Readonly<z.infer<typeof NewPhase>>;

export const Phase = NewPhase.extend({
  /** `p1`, `p2` …, in the order in which they were planned. */
  phaseId: z.string(),
  /** Ids, where a new phase has names. */
  dependsOn: z.array(z.string()),
  status: z.enum(PHASE_STATUSES),
  /** Of a blocked or skipped phase. */
  reason: Sentence.exactOptional(),
  actualSessions: z.int(),
});
export type Phase = Readonly<z.infer<typeof Phase>>;

/** Of a session that is scheduled, its job says whether it is under way, or does not come any more. */
export const SESSION_STATUSES = ['Scheduled', 'Completed', 'Skipped', 'Failed', 'Cancelled'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export const SessionLimits = z.strictObject({
  /** Input and output; the run of a session ends there. */
  maxTokens: z.int().min(1_000).max(SESSION_TOKENS_MAX),
});
export type SessionLimits = Readonly<z.infer<typeof SessionLimits>>;

export const Session = SessionLimits.extend({
  /** `s1`, `s2` …, in the order in which they were scheduled. */
  sessionId: z.string(),
  /** Of the job that begins it. */
  jobId: z.string().exactOptional(),
  atMs: Moment,
  status: z.enum(SESSION_STATUSES),
  phaseId: z.string().exactOptional(),
  focus: Sentence,
  cycles: z.int(),
  tokens: z.int(),
  outcome: Sentence.exactOptional(),
});
export type Session = Readonly<z.infer<typeof Session>>;

export const Stakeholder = z.strictObject({
  name: Title,
  /** As `TaskStatus` or `Mail`. */
  channel: Title,
  address: Title.exactOptional(),
  role: z.enum(['Owner', 'Reviewer', 'Observer']),
});
export type Stakeholder = Readonly<z.infer<typeof Stakeholder>>;

export const Blocker = z.strictObject({
  /** `b1`, `b2` …, in the order in which they were reported. */
  blockerId: z.string(),
  description: Sentence,
  detectedAtMs: Moment,
  /** How it is to be overcome. */
  strategy: Sentence,
  requiresHuman: z.boolean(),
  resolvedAtMs: Moment.exactOptional(),
  resolution: Sentence.exactOptional(),
});
export type Blocker = Readonly<z.infer<typeof Blocker>>;

export const endeavourFields = {
  title: Title,
  description: LongText,
  goal: LongText,
  successCriteria: z.array(Sentence).max(CRITERIA_MAX),
  deadlineMs: Moment.exactOptional(),
  stakeholders: z.array(Stakeholder).max(STAKEHOLDERS_MAX),
  /** Of a session that names no others. */
  sessionLimits: SessionLimits,
  approvals: Approvals,
  featureOverrides: FeatureOverrides.exactOptional(),
  /** D′ from which on a new plan is suggested, 0 to 1. */
  thresholdOverride: z.number().min(0).max(1).exactOptional(),
};

export const Endeavour = z.strictObject({
  endeavourId: z.string(),
  origin: z.enum(['Agent', 'Person']),
  status: z.enum(ENDEAVOUR_STATUSES),
  ...endeavourFields,
  phases: z.array(Phase).max(PHASES_MAX),
  sessions: z.array(Session).max(SESSIONS_KEPT),
  /** Sessions that it ever had. */
  sessionsMade: z.int(),
  blockers: z.array(Blocker),
  blockersMade: z.int(),
  replanCount: z.int(),
  /** Phases when the work began; before that, of now. */
  originalPhaseCount: z.int(),
  createdAtMs: Moment,
  updatedAtMs: Moment,
  endedAtMs: Moment.exactOptional(),
  /** Why it failed, was abandoned or is on hold. */
  reason: Sentence.exactOptional(),
  cycles: z.int(),
  tokens: z.int(),
  forecast: Forecast.exactOptional(),
  postMortem: PostMortem.exactOptional(),
  /** Of everything that its writers had read. */
  label: Label,
});
export type Endeavour = Readonly<z.infer<typeof Endeavour>>;

const ended: ReadonlySet<EndeavourStatus> = new Set(['Complete', 'Failed', 'Abandoned']);

export const isOver = ({ status }: Pick<Endeavour, 'status'>): boolean => ended.has(status);

export const openBlockers = ({ blockers }: Pick<Endeavour, 'blockers'>): readonly Blocker[] =>
  blockers.filter(({ resolvedAtMs }) => resolvedAtMs === undefined);

/** A phase that no other one waits for. */
export const isPhaseOver = ({ status }: Pick<Phase, 'status'>): boolean =>
  status === 'Complete' || status === 'Skipped';

/** The session whose job this is; also of an endeavour that has ended. */
export function sessionOfJob(endeavours: Iterable<Endeavour>, jobId: string): Session | undefined {
  for (const { sessions } of endeavours) {
    const session = sessions.find((it) => it.jobId === jobId);
    if (session !== undefined) return session;
  }
  return undefined;
}

/** The first session that is still to come. */
export function nextSession({ sessions }: Pick<Endeavour, 'sessions'>): Session | undefined {
  const scheduled = sessions.filter(({ status }) => status === 'Scheduled');
  return scheduled.toSorted((a, b) => a.atMs - b.atMs)[0];
}

export const plannedSessions = ({ phases }: Pick<Endeavour, 'phases'>): number =>
  phases.reduce((sum, { estimatedSessions }) => sum + estimatedSessions, 0);
