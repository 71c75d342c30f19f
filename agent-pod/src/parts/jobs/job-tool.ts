/**
 * What the tools have in common by which an agent keeps its jobs.
 *
 * I1  The agent changes no job of people, whoever asked for the run.
 * I2  Each call that makes a job is known by its id: after a crash it is found and not made again.
 * I3  A job carries the label of everything that its maker had read, and each change adds what was read before it.
 *
 * Source: springdrift 7 (tools of the scheduler), 9.
 */
import { addressesIn } from '@retainer/mind/gate/provenance/addresses';
import { join, mayRead, OWNER } from '@retainer/mind/gate/provenance/label';
import type { ArgumentRole, DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import { faultText } from '@retainer/mind/parts/jobs/job-fault';
import { newJobId } from '@retainer/mind/parts/jobs/job-names';
import type { JobDefinition } from '@retainer/mind/parts/jobs/job';
import { isLasting, lastingJobs, type Jobs, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { readJob, type GivenJob, type JobsAround } from '@retainer/mind/parts/jobs/read-job';
import { recordIn } from '@retainer/mind/part/record-in';
import { DNS_LABEL_LENGTH_MAX } from '@retainer/contract/api/fields';
import { z } from 'zod';
import { ownFacts, touchesNothing } from '../../tools/plain-tool.ts';
import type { JobSettings, OfferedTool, ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { timingWords } from './job-words.ts';

/** Of an Agent that says nothing of jobs. */
export const DEFAULT_SETTINGS: JobSettings = { timeZone: 'UTC', maxJobs: 100, isEnabled: true, allowsTool: () => true };

/** What a call of a writing tool works with. */
export interface JobCall {
  readonly context: ToolContext;
  readonly settings: JobSettings;
}

interface WritingTool<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What a person who approves the call reads first, and the argument that it is about, if one is. */
  readonly verb: string;
  readonly object?: keyof Input & string;
  /** Of its arguments. */
  readonly roles: Readonly<Record<string, ArgumentRole>>;
  act(input: Input, call: JobCall): Promise<ToolOutput>;
  /** What the record shows of a call that a crash cut off. */
  found(input: Input, call: JobCall): ToolOutput | undefined;
}

function writingFacts<Input>({ name, verb, object, roles }: WritingTool<Input>): DeclaredFacts {
  return {
    ...ownFacts,
    name,
    effectClass: 1,
    actsLater: true,
    target: { kind: 'Place', parts: object === undefined ? [] : [{ member: object, as: 'Line' }] },
    verb: { verb, ...(object === undefined ? {} : { object }) },
    arguments: roles,
  };
}

export function writingTool<Input>(tool: WritingTool<Input>): ToolDescriptor<Input> {
  const { description, input } = tool;
  return {
    facts: writingFacts(tool),
    offer: ({ jobs: settings = DEFAULT_SETTINGS }): OfferedTool<Input> => ({
      description,
      input,
      touches: touchesNothing,
      run: (given, context) => tool.act(given, { context, settings }),
      lookup: (given, context) => Promise.resolve(tool.found(given, { context, settings })),
    }),
  };
}

/** @param except  the job that is changed */
export function aroundJobs({ context, settings }: JobCall, except?: string): JobsAround {
  const { timeZone, maxJobs, isEnabled, allowsTool } = settings;
  const lasting = lastingJobs(context.parts.known().jobs).filter(({ jobId }) => jobId !== except);
  const tools = context.toolNames.filter(allowsTool);
  return { nowMs: context.nowMs(), timeZone, lasting, maxJobs, tools, isEnabled };
}

export async function makeJob(given: GivenJob, call: JobCall): Promise<ToolOutput> {
  const made = madeBy(call);
  if (made !== undefined) return made;
  const { context } = call;
  const { callId, runId, cycleId, carried: label, parts, nowMs } = context;
  const read = readJob(given, aroundJobs(call));
  if (!read.ok) return failed(faultText(read.error));
  const job = read.value;
  const jobId = newJobId(parts.known().jobs, { kind: job.kind, callId });
  const maker = { kind: 'Agent', runId } as const;
  await parts.write([
    recordIn(
      jobStore,
      'JobCreated',
      { jobId, job, source: 'Tool', maker, ...principalOf(context), label, callId, ...namedIn(job, context.named) },
      { runId, cycleId },
    ),
  ]);
  return done(madeText(jobId, job, nowMs()));
}

/** Whom the runs of a job are for that this call makes. */
export function principalOf({ principal }: Pick<ToolContext, 'principal'>): { readonly principal?: string } {
  return principal === OWNER ? {} : { principal };
}

/** The jobs that this work may know of: of a correspondent its own, and those that it may read. */
export function jobsSeen({ principal, parts }: Pick<ToolContext, 'principal' | 'parts'>): Pick<Jobs, 'byId'> {
  const { byId } = parts.known().jobs;
  if (principal === OWNER) return { byId };
  const isSeen = (job: JobState): boolean => job.principal === principal || mayRead(job.label.readers, principal);
  return { byId: new Map([...byId].filter(([, job]) => isSeen(job))) };
}

const madeText = (jobId: string, job: JobDefinition, nowMs: number): string =>
  `made the job ${jobId}: ${timingWords(job, nowMs)}`;

/** @param named  addresses that people named */
export function namedIn({ words }: JobDefinition, named: readonly string[]): { readonly named?: string[] } {
  const own = addressesIn(words).filter((it) => named.includes(it));
  return own.length === 0 ? {} : { named: [...new Set(own)] };
}

/** The answer to a call that has made its job. */
export function madeBy({ context: { callId, parts, nowMs } }: JobCall): ToolOutput | undefined {
  const made = [...parts.known().jobs.byId.values()].findLast((it) => it.callId === callId);
  return made === undefined ? undefined : done(madeText(made.jobId, made.job, nowMs()));
}

/** The label of a job that a call has changed. */
export function changedLabel({ label }: JobState, { context }: JobCall): JobState['label'] {
  return join(label, context.carried);
}

/** By its id or, as models often say it, by its name: then the newest that is not over, else the newest. */
export function jobNamed({ byId }: Pick<Jobs, 'byId'>, typed: string): JobState | undefined {
  const named = [...byId.values()].filter(({ job }) => job.name === typed);
  return byId.get(typed) ?? named.findLast(isLasting) ?? named.at(-1);
}

/** A job that the agent may change; else why not. */
export function ownJob(typed: string, { context }: JobCall): { readonly job: JobState } | { readonly why: string } {
  const job = jobNamed(jobsSeen(context), typed);
  if (job === undefined) return { why: unknownJob(typed) };
  const { jobId } = job;
  if (isOfPeople(job))
    return {
      why: `${jobId} is a job that people gave, so only they can change it. Say in your answer what you would change.`,
    };
  return isLasting(job) ? { job } : { why: `${jobId} is over (${job.status}), so there is nothing to change.` };
}

export function isOfPeople({ maker, source }: JobState): boolean {
  return maker.kind === 'Person' || source === 'Manifest' || source === 'Task';
}

export const unknownJob = (jobId: string): string =>
  `There is no job ${JSON.stringify(jobId)}. list_schedule shows the jobs with their ids.`;

export const failed = (text: string): ToolOutput => ({ isError: true, text });
export const done = (text: string): ToolOutput => ({ isError: false, text });

/** The id of a job, as `list_schedule` shows it. */
export const JobId = z.string().min(1).max(DNS_LABEL_LENGTH_MAX).describe('Id of the job, as list_schedule shows it.');
