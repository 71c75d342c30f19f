/** What the agent can be told of itself and its situation: figures, moments, closed words and trusted names, never a text of strangers. */
import { z } from 'zod';
import type { Copy, LateCopy, Restoring } from '../../parts/backup/second-copy.ts';
import type { Calendar } from '../../parts/jobs/calendar.ts';
import type { MailCounts } from '../../parts/mail/mail-counts.ts';
import type { Rate, RunFigures } from './figures.ts';

/** Where the agent's code runs and what the agent can reach, from its manifest and from what was found at its start. */
export const Place = z.object({
  /** `ready`: it can be isolated. `down`: nothing isolates it, so each call is refused. `off`: the manifest rules it out. */
  sandbox: z.enum(['ready', 'down', 'off']),
  runsOn: z.enum(['cluster', 'machine']),
  languages: z.array(z.string()).readonly(),
  /** Host patterns that code may reach; empty: no network. */
  hosts: z.array(z.string()).readonly(),
  isRoot: z.boolean(),
  timeoutMs: z.number(),
  processes: z.number(),
  /** Quantities, as `512Mi`. */
  memory: z.string(),
  scratch: z.string(),
  /** Domains of the tool for pages; `*`: every public host. Empty: the agent reads no pages. */
  pages: z.array(z.string()).readonly(),
});
export type Place = Readonly<z.infer<typeof Place>>;

/** One limit of what a run may use. */
export interface Level {
  readonly field: string;
  readonly used: number;
  readonly max: number;
}

export interface OwnRun {
  readonly task: string;
  /** What it works for. */
  readonly input: 'task' | 'schedule' | 'job' | 'mail';
  /** The moment that it is for, milliseconds since 1970. Absent: neither a schedule nor a job began it. */
  readonly forMs?: number;
  /** Which run of its schedule this is, from 1; absent: no schedule made it. */
  readonly scheduledRun?: number;
  readonly round: number;
  /** Of the last steered round; absent in the first. */
  readonly steered?: { readonly directive: string; readonly d: number; readonly omega: number };
  /** Limits of the run alone: those that it has. */
  readonly levels: readonly Level[];
  /** Until its deadline or its wall clock, which stands while the run waits, ends it, milliseconds. */
  readonly leftMs: number;
  readonly isClockStanding: boolean;
}

/** Something that waits for a person. */
interface Asked {
  readonly task: string;
  readonly askedAtMs: number;
}

interface Pattern {
  readonly name: string;
  /** A tool that ran, a gate, a kind of drift. */
  readonly about?: string;
  readonly count: number;
  readonly of: number;
}

interface Happened {
  readonly name: string;
  readonly title: string;
  readonly atMs: number;
}

export interface SelfView {
  readonly nowMs: number;
  /** Of the cycle that is told; absent: nobody works. */
  readonly cycleId?: string;
  /** When this process took up its work. */
  readonly startedAtMs: number;
  /** When the last cycle ended; absent before the first. */
  readonly lastCycleMs?: number;
  /** When a cycle was last told of the agent; absent: not within a day. */
  readonly toldAtMs?: number;
  readonly cyclesToday: number;
  /** Tasks that are accepted and have not begun. */
  readonly queueDepth: number;
  /** Earlier runs that the perceiver of this run is shown. */
  readonly turns: number;
  /** The thread that a run joined last, by its name or id; absent before the first. */
  readonly thread?: string;
  /** Words of the run's intent that carry its subject. */
  readonly words: readonly string[];
  /** The run that the cycle works for; absent: nobody works. */
  readonly run?: OwnRun;
  /** Oldest first. */
  readonly runs: readonly RunFigures[];
  /** Whether memory knew something, at each of the newest questions. */
  readonly recalls: Rate;
  /** Whether memory told a case to each of the newest runs. */
  readonly casesTold: Rate;
  /** Of the whole agent in an hour and a day. */
  readonly budgets: readonly Level[];
  /** Requests to people that nobody has answered yet, oldest first. */
  readonly approvals: readonly (Asked & { readonly tool: string })[];
  readonly questions: readonly Asked[];
  /** The observer's factor on the thresholds; absent: none. */
  readonly tightening?: number;
  readonly areOutputsHeld: boolean;
  readonly outputRejectionsInRow: number;
  /** Texts in a row that no canary probe answered, once they are too many; else 0. */
  readonly probesUnanswered: number;
  /** What the newest runs and verdicts have in common: a name of code, how many show it, of how many. */
  readonly patterns: readonly Pattern[];
  /** Other work cycles under way. */
  readonly delegations: readonly {
    readonly name: string;
    readonly task: string;
    readonly turn: number;
    readonly turnsMax: number;
    readonly tokens: number;
    readonly startedAtMs: number;
    readonly lastTool?: string;
  }[];
  /** Open runs, the one that changed last first. */
  readonly tasks: readonly {
    readonly name: string;
    readonly status: string;
    readonly done: number;
    readonly total: number;
    readonly updatedAtMs: number;
  }[];
  /** Absent: the agent runs no code and nobody knows where it is. */
  readonly place?: Place;
  /** Calls of code in a row, the newest ones, whose program no sandbox ran. */
  readonly codeFailedInRow: number;
  /** Of the last day, oldest first. */
  readonly events: readonly Happened[];
  readonly calendar: Calendar;
  /** Absent: no mailbox was ever read. */
  readonly mail?: MailCounts;
  /** Facts of the last seven days, those that others wrote among them, and records that could not be read. */
  readonly integrity: { readonly suspectFacts: number; readonly facts: number; readonly unreadRecords: number };
  /** Copies of the record that are late, and a restoring of the last days; empty: all is well. */
  readonly secondCopy: {
    readonly late: Readonly<Partial<Record<Copy, LateCopy>>>;
    readonly restoring?: Restoring;
  };
  readonly memory: Readonly<Record<Counted, number>> & {
    /** End of the last dream; absent: there was none. */
    readonly dreamtAtMs?: number;
  };
}

/** What is counted of memory. */
type Counted =
  | 'runs'
  | 'threads'
  | 'dormantThreads'
  | 'cases'
  | 'facts'
  | 'fadedFacts'
  | 'artifacts'
  | 'megrams'
  | 'files';

/** What did not fit behind the sensorium. */
export interface Cut {
  readonly slot: string;
  /** Left out. */
  readonly items: number;
}
