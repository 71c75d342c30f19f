/**
 * What the agent is to begin by itself, and the records of it.
 *
 * Source: springdrift 9 (kinds, for whom, fields), 15 (9: definition and run are separate things). Differs: moments are of the wall
 * clock, of a cron text in a time zone or one moment; the fields of springdrift that count are folded from the record.
 */
import { CatchUp } from '@retainer/contract/api/fields';
import { z } from 'zod';
import { budgetFields } from '../../gate/budget/budget.ts';
import { Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import { Reason } from '../../part/part.ts';

export const JOB_KINDS = ['Recurring', 'Reminder', 'Todo', 'Appointment'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** The Task that each run of a schedule is made from, as JSON: an absent field is absent. */
export const ScheduleTask = z.custom<z.core.util.JSONType>((value) => typeof value === 'object' && value !== null);

/** Characters of the work in words: as many as a manifest may give. */
export const JOB_WORDS_MAX = 8192;
/** Tags of one job, and tools that one run of it must call. */
export const JOB_LIST_MAX = 16;
/** Characters of a tag. */
export const JOB_TAG_CHARACTERS = 63;

/** Moments are milliseconds since 1970. `Open`: it has none, and may be due. */
export const JobTiming = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('Cron'),
    cron: z.string(),
    timeZone: z.string(),
    /** Absent: it has no end. */
    untilMs: z.number().exactOptional(),
    /** Absent: as often as its moments come. */
    runsMax: z.number().exactOptional(),
  }),
  z.object({ type: z.literal('Moment'), atMs: z.number() }),
  z.object({ type: z.literal('Open'), dueAtMs: z.number().exactOptional() }),
]);
export type JobTiming = Readonly<z.infer<typeof JobTiming>>;

export const JobDefinition = z.object({
  kind: z.enum(JOB_KINDS),
  /** Agent: it works on the words. Person: the words are delivered as they are, and no model is asked. */
  for: z.enum(['Agent', 'Person']),
  /** Lower case with hyphens, as people name it. */
  name: z.string(),
  words: z.string(),
  when: JobTiming,
  /** Of an appointment. */
  durationMs: z.number().exactOptional(),
  catchUp: CatchUp.unwrap(),
  /** Tools that a run must call with success; a run that calls not all of them fails. `*` at the end stands for any rest. */
  requiredTools: z.array(z.string()).readonly(),
  /** A result that says the same as the last one is not delivered. */
  onlyIfChanged: z.boolean(),
  tags: z.array(z.string()).readonly(),
});
export type JobDefinition = Readonly<z.infer<typeof JobDefinition>>;

/** `FollowUp`: code found a reason for it. `Task`: the schedule of a Task, without a cluster. */
const JOB_SOURCES = ['Manifest', 'Task', 'Tool', 'FollowUp'] as const;

export const JobMaker = z.object({
  /** Person: the agent cannot change it. */
  kind: z.enum(['Person', 'Agent']),
  /** The run that made it; absent: none did. */
  runId: z.string().exactOptional(),
});
export type JobMaker = Readonly<z.infer<typeof JobMaker>>;

/** `Restored`: the record was restored, and may lack that they were served. */
export const JOB_SKIPS = ['Missed', 'StillRunning', 'Restored'] as const;
/** `InUse`: somebody works with the agent. `Budget`: one of the hour or the day has too little left. `NoCycles`: the Agent allows none. */
export const JOB_DEFERRALS = ['InUse', 'Budget', 'NoCycles'] as const;

const of = { jobId: z.string() };
/** Addresses in the words of a job of the agent that people named where it was made; nothing else in them counts as people's. */
const namedField = { named: z.array(z.string()).exactOptional() };
/** Absent: the agent itself did it. */
const byPerson = { by: z.string().exactOptional(), ...originField };

/** What is said of a job as it is made. */
export const madeFields = {
  ...of,
  job: JobDefinition,
  source: z.enum(JOB_SOURCES),
  maker: JobMaker,
  /** Whom the run was for that made it, and its own runs are for: `mail:ADDRESS`. Absent: the owner. */
  principal: z.string().exactOptional(),
  /** Of everything that its maker had read: whose words the job may hold. */
  label: Label,
  /** Of a follow-up: why it is there, in our words, and the runs or records that led to it. */
  reason: z.string().exactOptional(),
  because: z.array(z.string()).exactOptional(),
  task: ScheduleTask.exactOptional(),
  /** Of the call that made it. */
  callId: z.string().exactOptional(),
  ...namedField,
};

export const jobKinds = {
  JobCreated: z.object(madeFields),
  /** The job as it is from now on. */
  JobChanged: z.object({ ...of, job: JobDefinition, label: Label, task: ScheduleTask.exactOptional(), ...namedField }),
  JobPaused: z.object({ ...of, reason: Reason, ...byPerson }),
  /** Moments of the pause are over. */
  JobResumed: z.object({ ...of, reason: Reason, ...byPerson }),
  JobCancelled: z.object({ ...of, reason: Reason, ...byPerson }),
  /** A person wants one run of it now, beside its moments. */
  JobWanted: z.object({ ...of, momentMs: z.number(), reason: Reason, ...byPerson }),
  /** The intent, before its effect: a run under way, or a notice without one. */
  JobFired: z.object({
    ...of,
    momentMs: z.number(),
    /** Absent: words to a person. */
    runId: z.string().exactOptional(),
    /** It is none of its moments: a person wanted it. */
    isWanted: z.literal(true).exactOptional(),
  }),
  /** What came of one firing. It ends no schedule. */
  JobEnded: z.object({
    ...of,
    momentMs: z.number(),
    runId: z.string().exactOptional(),
    /** Of the run; `Delivered`: a notice; `Failed` also where a run did not call what it had to. */
    outcome: z.string(),
    /** Code's own words for a failure. */
    why: z.string().exactOptional(),
    resultDigest: z.string().exactOptional(),
    /** It said what the last one said, so it was not delivered. */
    isUnchanged: z.literal(true).exactOptional(),
  }),
  /** Moments that no run serves any more. */
  JobSkipped: z.object({
    ...of,
    why: z.enum(JOB_SKIPS),
    count: z.number(),
    firstMs: z.number(),
    lastMs: z.number(),
    /** Absent: there is none. */
    nextAtMs: z.number().exactOptional(),
  }),
  /** A moment that waits. */
  JobDeferred: z.object({
    ...of,
    momentMs: z.number(),
    why: z.enum(JOB_DEFERRALS),
    /** Of `Budget`: which one. */
    field: z.enum(budgetFields).exactOptional(),
    /** When it is looked at again; absent: only the manifest can change it. */
    untilMs: z.number().exactOptional(),
  }),
  /** It is over, and no list has to show it any more. The record keeps it. */
  JobPurged: z.object({ ...of }),
  /** It has no moment left, or was done. */
  JobOver: z.object({ ...of, status: z.enum(['Done', 'Failed']), reason: z.string(), ...byPerson }),
} as const;
type Kinds = typeof jobKinds;
export type JobCreated = z.infer<Kinds['JobCreated']>;
export type JobRecordOf<K extends keyof Kinds> = z.infer<Kinds[K]>;

/** Whether a job asks a model. */
export function isForAgent({ for: whom, kind }: Pick<JobDefinition, 'for' | 'kind'>): boolean {
  return whom === 'Agent' && kind !== 'Todo';
}
