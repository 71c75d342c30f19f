/** The types of what a cycle has read. `read-so-far.ts` derives it from the record. */
import type { Label, Readers } from './label.ts';

/** What a call tells the server by asking for this address. */
export interface Choice {
  /** Whoever owns a site sees all its hosts. */
  readonly site: string;
  /** Negative: given back, because the Task's own addresses were followed to their end. */
  readonly bits: number;
  /** The first in the pages' order that was not asked for yet. */
  readonly isNext: boolean;
}

/** What a cycle has chosen so far. Absent in `ReadSoFar`: nothing in its instructions has to be kept. */
export interface Choices {
  /** Outside addresses that the run has asked for, oldest first; those of earlier cycles without their choices. */
  readonly asked: readonly { readonly address: string; readonly choice?: Choice }[];
  /** Bits of the last 30 days, by site, with those of this cycle. */
  readonly spent: Readonly<Record<string, number>>;
  /** A person said yes to these in this run. */
  readonly freeSites: readonly string[];
  /** Digest of the call that is about to run: it is decided. */
  readonly running: readonly string[];
}

export interface ReadItem {
  /** The call or cycle that brought it. */
  readonly recordId: string;
  readonly label: Label;
  readonly text: string;
  /** Texts that count as words of others only where somebody quotes them. Absent: whatever is written after it may be theirs. */
  readonly words?: readonly string[];
  /** The call that brought the text in this cycle. */
  readonly call?: {
    readonly tool: string;
    readonly input: unknown;
    /** See `ToolOutcome`. */
    readonly othersAt?: readonly string[];
  };
}

/** What the gate needs to know about a cycle to judge where data may flow. */
export interface ReadSoFar {
  readonly items: readonly ReadItem[];
  /** Addresses that the Task names. Fixed before anything is read. */
  readonly addresses: readonly string[];
  /** The people's words in the Task, verbatim. Absent: nothing. */
  readonly asked?: string;
  /** The cycle's instructions and input, which nobody outside knows. */
  readonly instructions: readonly string[];
  /** The parts of `instructions` whose keys no reply may repeat: the instructions and the agent's memory. Absent: nothing. */
  readonly kept?: readonly string[];
  /** Which outside addresses were chosen. Absent: nothing in the instructions has to be kept. */
  readonly choices?: Choices;
  /** Whom the run is for. Absent: the owner. */
  readonly principal?: string;
  /** Who may read what earlier cycles of the run had read. Absent: whoever may read what is its principal's. */
  readonly readers?: Readers;
  /** Mail addresses whose holders are the owner, lower case. Absent: none. */
  readonly owners?: readonly string[];
  /** The cycle; its start records its instructions and its input. */
  readonly cycleId?: string;
  /** Files that the run has written. Absent: none. */
  readonly written?: readonly string[];
  /** Tools that the first plan names, if that plan was made only from people's words. Absent: none. */
  readonly planned?: readonly string[];
}
