/**
 * Work that the agent opens by itself, because of what code found: a failure that comes again and again, a tool that fails, work that
 * goes wrong or is overdue. Each is a job of its own, with its reason and the records that led to it.
 *
 * I1  Its words are ours, with ids of the record and names of tools that ran: nothing that a model or a stranger wrote opens a job.
 * I2  One for a subject at a time, and none again before it has shown itself anew; a person's word closes a subject for longer. A run
 *     counts for one follow-up only: what is thought of a run later, and the failure of its tool, give no second one.
 * I3  None while the hour's budget for the agent's own work is used up, and none for what was refused or cancelled.
 *
 * Source: springdrift 8, 9 (the forecaster's suggestions); design 7 (curiosity and own work are bounded). Differs: a suggestion there is a
 * message that the loop may drop; here it is a job that people can see and stop.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { RunFigures } from '../assemble/curator/figures.ts';
import { OWNER, type Label } from '../gate/provenance/label.ts';
import { recordIn } from '../part/record-in.ts';
import type { PartRecord } from '../part/store.ts';
import type { JobDefinition } from '../parts/jobs/job.ts';
import { isLasting, lastingJobs, type Jobs, type JobState } from '../parts/jobs/jobs.ts';
import { jobStore } from '../parts/jobs/part.ts';
import { detectPatterns, PATTERN_WINDOW } from './patterns.ts';

/** Runs that must have shown it since the last follow-up on it. */
const SHOWN_MIN = 3;
/** A day: a follow-up has an effect, or has none, no sooner. */
export const FOLLOW_UP_COOL_DOWN_MS = 86_400_000;
/** Thirty days: a person who closed it wants to hear of something else first. */
export const CLOSED_COOL_DOWN_MS = 30 * FOLLOW_UP_COOL_DOWN_MS;
/** Of the digest of a subject in the id of its job: two subjects collide once in four billion. */
const SUBJECT_DIGITS = 8;
const PREFIX = 'follow-up-';

/** What follow-ups are found in. */
export interface FollowedUp {
  readonly jobs: Jobs;
  /** Oldest first. */
  readonly runFigures: readonly RunFigures[];
  /** Runs in which a person said no to a call. */
  readonly refusedRuns: ReadonlySet<string>;
  /** Suggestions of the forecaster, and what is overdue. */
  readonly work: readonly WorkFinding[];
  readonly maxJobs: number;
}

export interface WorkFinding {
  /** Of an item or an endeavour. */
  readonly id: string;
  readonly what: 'NeedsNewPlan' | 'Overdue';
}

interface Finding {
  /** What it is about, for ever. */
  readonly subject: string;
  readonly reason: string;
  readonly words: string;
  /** Ids of runs, or of work. */
  readonly because: readonly string[];
}

/** Records of the jobs that are to be opened now; most often none. @param nowMs  milliseconds since 1970 */
export function followUps(found: FollowedUp, nowMs: number): readonly PartRecord[] {
  const room = found.maxJobs - lastingJobs(found.jobs).length;
  return findingsIn(found)
    .filter((it) => isOpenTo(it, found.jobs, nowMs))
    .slice(0, Math.max(0, room))
    .map((it) => recordOf(it, nowMs));
}

function findingsIn(found: FollowedUp): readonly Finding[] {
  return [...patternFindings(found), ...found.work.map(workFinding)];
}

/** Runs that count: not those of follow-ups themselves, and nothing that a person or a gate said no to. */
function patternFindings({ runFigures, refusedRuns, jobs }: FollowedUp): readonly Finding[] {
  const runs = runFigures.filter((it) => isCounted(it) && !refusedRuns.has(it.runId)).slice(-PATTERN_WINDOW.default);
  const newRuns = new NewRuns(runs, jobs);
  const patterns = detectPatterns({ runs, told: new Set() });
  const byTool = patterns.flatMap(({ name, tool = '', runIds }) => {
    const because = name === 'ToolFailures' ? newRuns.take(`tool ${tool}`, runIds) : [];
    return because.length === 0 ? [] : [toolFinding(`tool ${tool}`, tool, because)];
  });
  const byDomain = patterns.flatMap(({ name, runIds }) => {
    const subject = `domain ${runs.find(({ runId }) => runId === runIds[0])?.domain ?? ''}`;
    const because = name === 'RepeatedFailures' ? newRuns.take(subject, runIds) : [];
    return because.length === 0 ? [] : [failureFinding(subject, because)];
  });
  return [...byTool, ...byDomain];
}

/** The runs that no follow-up is about yet. */
class NewRuns {
  readonly #taken: Set<string>;
  readonly #endedAtMs: ReadonlyMap<string, number>;
  readonly #byId: Jobs['byId'];

  constructor(runs: readonly RunFigures[], { byId }: Jobs) {
    this.#taken = new Set(
      [...byId.values()].flatMap(({ source, because = [] }) => (source === 'FollowUp' ? because : [])),
    );
    this.#endedAtMs = new Map(runs.map((it) => [it.runId, it.endedAtMs]));
    this.#byId = byId;
  }

  /** None where they are too few. What shows a subject that is closed, or had its follow-up, shows no other one. */
  take(subject: string, runIds: readonly string[]): readonly string[] {
    const before = this.#byId.get(idOf(subject));
    const sinceMs = before?.createdAtMs ?? -Infinity;
    const fresh = runIds.filter((it) => !this.#taken.has(it) && (this.#endedAtMs.get(it) ?? 0) > sinceMs);
    const isEnough = fresh.length >= SHOWN_MIN;
    if (isEnough || before !== undefined) for (const it of runIds) this.#taken.add(it);
    return isEnough ? fresh : [];
  }
}

const NOT_COUNTED: ReadonlySet<string> = new Set(['Refused', 'Cancelled']);

function isCounted({ outcome, task }: RunFigures): boolean {
  return !NOT_COUNTED.has(outcome) && !task.startsWith(`job-${PREFIX}`);
}

const ASKED = 'Say in a few sentences what you found and what would have to change. Change nothing yourself.';

function failureFinding(subject: string, because: readonly string[]): Finding {
  return {
    subject,
    reason: `${because.length} runs about the same thing failed`,
    words: `These runs of yours were about the same thing and failed: ${because.join(', ')}. Find out in your own record why. ${ASKED}`,
    because,
  };
}

function toolFinding(subject: string, tool: string, because: readonly string[]): Finding {
  return {
    subject,
    reason: `the tool ${tool} failed in ${because.length} runs`,
    words: `Your tool ${tool} failed in these runs: ${because.join(', ')}. Find out in your own record why. ${ASKED}`,
    because,
  };
}

function workFinding({ id, what }: WorkFinding): Finding {
  const isLate = what === 'Overdue';
  return {
    subject: `work ${id} ${what}`,
    reason: isLate ? `the work ${id} is overdue` : `the forecast of the work ${id} asks for a new plan`,
    words: isLate
      ? `Your work ${id} is overdue. Look at it, and say in a few sentences what is missing and when it can be done.`
      : `The forecast of your work ${id} is bad. Look at it, find out why, and say in a few sentences how to plan it anew.`,
    because: [id],
  };
}

function idOf(subject: string): string {
  return `${PREFIX}${sha256Hex(subject).slice(0, SUBJECT_DIGITS)}`;
}

/** A follow-up on the subject is not under way, and is not too new. */
function isOpenTo({ subject }: Finding, { byId }: Jobs, nowMs: number): boolean {
  const before = byId.get(idOf(subject));
  if (before === undefined) return true;
  if (isLasting(before) || before.open !== undefined) return false;
  const { createdAtMs, cancelledAtMs = createdAtMs } = before;
  return isClosed(before)
    ? nowMs - cancelledAtMs >= CLOSED_COOL_DOWN_MS
    : nowMs - createdAtMs >= FOLLOW_UP_COOL_DOWN_MS;
}

/** By a person. */
function isClosed({ status, statusBy }: JobState): boolean {
  return status === 'Cancelled' && statusBy !== undefined;
}

/** Words of this program. */
const OWN_WORDS: Label = { source: { kind: 'Operator' }, trust: 'Trusted', readers: [OWNER] };

function recordOf({ subject, reason, words, because }: Finding, nowMs: number): PartRecord {
  const jobId = idOf(subject);
  const job: JobDefinition = {
    ...{ kind: 'Reminder', for: 'Agent', name: jobId, words, when: { type: 'Moment', atMs: nowMs } },
    ...{ catchUp: 'Once', requiredTools: [], onlyIfChanged: false, tags: ['follow-up'] },
  };
  const made = { jobId, job, source: 'FollowUp', maker: { kind: 'Agent' }, label: OWN_WORDS } as const;
  return recordIn(jobStore, 'JobCreated', { ...made, reason, because: [...because] });
}
