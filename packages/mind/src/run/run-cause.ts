/**
 * Why there is a run, to whom its result goes, and in which conversation it stands.
 *
 * Source: design 4 (input, deliver); springdrift 9 (causes of a run).
 */
import { z } from 'zod';
import { MAIL_WRITER } from '../gate/holds-for.ts';
import { Label } from '../gate/provenance/label.ts';

/** Which run of its schedule a Task is. */
export const Scheduled = z.object({
  /** The moment that the Task is for, milliseconds since 1970. */
  forMs: z.number(),
  /** From 1. */
  run: z.number(),
});
export type Scheduled = z.infer<typeof Scheduled>;

export const RunCause = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('Task'),
    /** Absent: no schedule made the Task. */
    scheduled: Scheduled.exactOptional(),
  }),
  z.object({
    kind: z.literal('Job'),
    jobId: z.string(),
    /** The moment of the job that this run serves, milliseconds since 1970. */
    momentMs: z.number(),
    maker: z.enum(['Person', 'Agent']),
    /** Tools that the run must call with success: a result without them is told, however little it says. Absent: none. */
    requiredTools: z.array(z.string()).exactOptional(),
    /** Of the last delivered result, see `resultDigest`: the same result is not delivered again. Absent: every result is delivered. */
    lastResultDigest: z.string().exactOptional(),
    /** Of a job that the agent made: the addresses in its words that people named there. Nothing else in them counts as people's. */
    named: z.array(z.string()).exactOptional(),
  }),
  z.object({
    kind: z.literal('Mail'),
    letterId: z.string(),
    /** The sender, lower case. */
    from: z.string(),
    threadId: z.string(),
    /** A person let a letter begin it that was held. Absent: its sender is known. */
    isReleased: z.literal(true).exactOptional(),
  }),
]);
export type RunCause = z.infer<typeof RunCause>;

/** Ways by which a result reaches people. Notice: words that no Task waits for. Mail: an answer to a letter. */
export const CHANNELS = ['TaskStatus', 'Notice', 'Mail'] as const;
export type Channel = (typeof CHANNELS)[number];

export const ReplyTo = z.object({
  channel: z.enum(CHANNELS),
  /** Of a TaskStatus: `namespace/name` of the Task; of a Notice: the job; of a Mail: the letter. */
  target: z.string(),
});
export type ReplyTo = z.infer<typeof ReplyTo>;

/** Whose override judges the outgoing texts of a run as well; undefined: nobody's. */
export function repliesAs({ replyTo }: Pick<RunOrigin, 'replyTo'>): string | undefined {
  return replyTo.channel === 'Mail' ? MAIL_WRITER : undefined;
}

/** All Tasks of an agent are one conversation. */
export const TASKS_CONVERSATION = 'tasks';

/** Fields of a run's spec that say why there is the run, and for whom. */
export const originFields = {
  cause: RunCause,
  replyTo: ReplyTo,
  /** Whose session the run belongs to: `tasks`, `job/JOBID`, or `mail/THREADID`. A run is shown the runs of its own conversation only. */
  conversation: z.string(),
  /** Whom the run is for, and who may read its result: `mail:ADDRESS`. Absent: the owner, who gives Tasks and manifests. */
  principal: z.string().exactOptional(),
  /** Of the words that the run was asked with. Absent: they are people's own. */
  label: Label.exactOptional(),
};

export type RunOrigin = z.infer<z.ZodObject<typeof originFields>>;

export function isForTask({ cause }: Pick<RunOrigin, 'cause'>): boolean {
  return cause.kind === 'Task';
}

/** What stands in the spec of a Task's run. @param scheduled  undefined: no schedule made the Task */
export function originOfTask(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  scheduled?: Scheduled,
): RunOrigin {
  return {
    cause: { kind: 'Task', ...(scheduled === undefined ? {} : { scheduled }) },
    replyTo: { channel: 'TaskStatus', target: `${namespace}/${name}` },
    conversation: TASKS_CONVERSATION,
  };
}
