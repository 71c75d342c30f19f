/** What a cycle has read, as data: `read-so-far.ts` makes it from the record. */
import type { Label } from './label.ts';

/** One thing that was read. */
export interface ReadItem {
  /** Call or cycle that brought it. */
  readonly recordId: string;
  readonly label: Label;
  readonly text: string;
}

/** What the gate must know of a cycle to say where data may flow. */
export interface ReadSoFar {
  readonly items: readonly ReadItem[];
  /** Addresses that the Task names. Fixed before anything is read. */
  readonly addresses: readonly string[];
  /** What people asked for in the Task, word for word. Absent: nothing. */
  readonly asked?: string;
  /** The cycle's instructions and input: nobody outside knows them. */
  readonly standing: readonly string[];
  /** Of these, whose keys no reply repeats: the instructions, and what the agent remembers. Absent: nothing. */
  readonly kept?: readonly string[];
  /** The cycle, whose start holds its instructions and its input. */
  readonly cycleId?: string;
  /** Files that the run wrote so far. Absent: none. */
  readonly written?: readonly string[];
  /** Tools that the first plan names, if it was made of what people asked for alone. Absent: none. */
  readonly planned?: readonly string[];
}
