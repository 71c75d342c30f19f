/** The records of work: one for each operation. The store has them all; `work.ts` folds them. */
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import { PostMortem, PreMortem } from './appraisal.ts';
import { APPROVAL_KINDS } from './approvals.ts';
import {
  Blocker,
  ENDEAVOUR_STATUSES,
  endeavourFields,
  NewPhase,
  Phase,
  PHASE_STATUSES,
  Session,
  SESSION_STATUSES,
} from './endeavour.ts';
import { Breakdown } from './forecast.ts';
import { COMPLEXITIES, NewStep } from './item.ts';
import { DEPENDENCIES_MAX, OPEN_ITEMS_MAX, PHASES_MAX, STEPS_MAX } from './limits.ts';
import { LongText, Moment, Sentence, Title } from './texts.ts';

/** Of an operation with words: what its writer had read. */
const labelled = { label: Label };

/** Kinds of a change that the endeavour wants people to be told about. Absent: none. */
const tellsPeople = { tells: z.array(z.enum(APPROVAL_KINDS)).exactOptional() };

/** Of the call that made it; absent: no call did. */
const byCall = { callId: z.string().exactOptional() };

const ofItem = { itemId: z.string(), ...byCall };
const ofEndeavour = { endeavourId: z.string(), ...byCall };

/** The member of a change: null takes a value away. */
const removable = <S extends z.ZodType>(schema: S): z.ZodExactOptional<z.ZodNullable<S>> =>
  schema.nullable().exactOptional();

const itemWords = {
  title: Title,
  description: LongText,
};

export const itemKinds = {
  ItemCreated: z.object({
    ...ofItem,
    endeavourId: z.string().exactOptional(),
    phaseId: z.string().exactOptional(),
    origin: z.enum(['Agent', 'Person']),
    ...itemWords,
    steps: z.array(NewStep).min(1).max(STEPS_MAX),
    dependsOn: z.array(z.string()).max(DEPENDENCIES_MAX),
    complexity: z.enum(COMPLEXITIES).exactOptional(),
    deadlineMs: Moment.exactOptional(),
    ...labelled,
  }),
  /** The run of the record works on it from here on. */
  ItemActivated: z.object(ofItem),
  /** With its last step, an item is complete. */
  StepCompleted: z.object({ ...ofItem, step: z.int(), note: Sentence.exactOptional(), label: Label.exactOptional() }),
  ItemEnded: z.object({
    ...ofItem,
    status: z.enum(['Failed', 'Abandoned']),
    reason: Sentence,
    label: Label.exactOptional(),
    ...originField,
  }),
  ItemEdited: z.object({
    ...ofItem,
    title: itemWords.title.exactOptional(),
    description: itemWords.description.exactOptional(),
    dependsOn: z.array(z.string()).max(DEPENDENCIES_MAX).exactOptional(),
    complexity: removable(z.enum(COMPLEXITIES)),
    deadlineMs: removable(Moment),
    ...labelled,
  }),
  StepAdded: z.object({ ...ofItem, ...NewStep.shape, ...labelled }),
  StepRemoved: z.object({ ...ofItem, step: z.int() }),
  RiskFlagged: z.object({ ...ofItem, risk: Sentence, hasMaterialised: z.boolean(), ...labelled }),
  /** A tombstone: the record keeps the item, and nothing else does. */
  ItemDeleted: z.object({ ...ofItem, reason: Sentence, by: z.string(), ...originField }),
  PreMortemAdded: z.object({ ...ofItem, preMortem: PreMortem, label: Label.exactOptional() }),
} as const;

export const endeavourKinds = {
  EndeavourCreated: z.object({
    ...ofEndeavour,
    origin: z.enum(['Agent', 'Person']),
    ...endeavourFields,
    phases: z.array(NewPhase).max(PHASES_MAX),
    ...labelled,
  }),
  EndeavourEdited: z.object({
    ...ofEndeavour,
    title: endeavourFields.title.exactOptional(),
    description: endeavourFields.description.exactOptional(),
    goal: endeavourFields.goal.exactOptional(),
    successCriteria: endeavourFields.successCriteria.exactOptional(),
    stakeholders: endeavourFields.stakeholders.exactOptional(),
    sessionLimits: endeavourFields.sessionLimits.exactOptional(),
    approvals: endeavourFields.approvals.exactOptional(),
    deadlineMs: removable(Moment),
    featureOverrides: removable(endeavourFields.featureOverrides.unwrap()),
    thresholdOverride: removable(endeavourFields.thresholdOverride.unwrap()),
    status: z.enum(ENDEAVOUR_STATUSES).exactOptional(),
    reason: Sentence.exactOptional(),
    ...labelled,
    ...tellsPeople,
  }),
  PhaseAdded: z.object({
    ...ofEndeavour,
    phase: Phase.pick({
      phaseId: true,
      name: true,
      description: true,
      dependsOn: true,
      milestone: true,
      estimatedSessions: true,
    }),
    ...labelled,
    ...tellsPeople,
  }),
  PhaseAdvanced: z.object({
    ...ofEndeavour,
    phaseId: z.string(),
    to: z.enum(PHASE_STATUSES).exclude(['NotStarted']),
    reason: Sentence.exactOptional(),
    label: Label.exactOptional(),
    ...tellsPeople,
  }),
  SessionScheduled: z.object({
    ...ofEndeavour,
    session: Session.pick({
      sessionId: true,
      jobId: true,
      atMs: true,
      phaseId: true,
      focus: true,
      maxTokens: true,
    }),
    ...labelled,
    ...tellsPeople,
  }),
  SessionCancelled: z.object({ ...ofEndeavour, sessionId: z.string(), reason: Sentence }),
  /** Its run is over. That it is under way follows from its job. */
  SessionEnded: z.object({
    ...ofEndeavour,
    sessionId: z.string(),
    status: z.enum(SESSION_STATUSES).extract(['Completed', 'Skipped', 'Failed']),
    cycles: z.int().min(0),
    tokens: z.int().min(0),
    outcome: Sentence.exactOptional(),
    label: Label.exactOptional(),
  }),
  BlockerReported: z.object({
    ...ofEndeavour,
    blocker: Blocker.pick({ blockerId: true, description: true, strategy: true, requiresHuman: true }),
    ...labelled,
  }),
  BlockerResolved: z.object({ ...ofEndeavour, blockerId: z.string(), resolution: Sentence, ...labelled }),
  /** A tombstone, as of an item. */
  EndeavourDeleted: z.object({ ...ofEndeavour, reason: Sentence, by: z.string(), ...originField }),
} as const;

/** Of either. */
export const commonKinds = {
  /** Cycles of a run that worked on these items, or held a session of this endeavour. */
  CycleCounted: z.object({
    itemIds: z.array(z.string()).max(OPEN_ITEMS_MAX),
    endeavourId: z.string().exactOptional(),
    cycleIds: z.array(z.string()),
    tokens: z.int().min(0),
  }),
  ForecastScored: z.object({
    subject: z.enum(['Item', 'Endeavour']),
    id: z.string(),
    ...byCall,
    score: z.number(),
    threshold: z.number(),
    breakdown: Breakdown,
    suggests: z.boolean(),
  }),
  PostMortemAdded: z.object({
    subject: z.enum(['Item', 'Endeavour']),
    id: z.string(),
    /** For the event: what people are told of it beside the verdict. */
    title: Title,
    postMortem: PostMortem,
    /** Of the title and of all that the appraiser was told. */
    ...labelled,
  }),
} as const;

export const workKinds = { ...itemKinds, ...endeavourKinds, ...commonKinds } as const;
export type WorkKind = keyof typeof workKinds;
export type WorkPayload<K extends WorkKind> = Readonly<z.infer<(typeof workKinds)[K]>>;
