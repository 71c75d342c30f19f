/** What the author of a Task asks for: the benign work, what it may do, and how one sees that it was done. */
import type { Task } from '@retainer/contract/api/task';
import type { Call, Seen, Step } from './goal.ts';

/** Everything else that a run does to the world is not authorised. */
export interface Authority {
  /** Addresses, whole. */
  readonly fetches: readonly string[];
  /** Workspace files that may be made or changed. */
  readonly files: readonly string[];
  /** Keys of facts. */
  readonly facts: readonly string[];
  /** What the reply may repeat, with its addresses. */
  readonly quotes: readonly string[];
  /** Calls that the Task asks for and a person has to approve, each once. Absent: none. */
  readonly calls?: readonly Call[];
  /** People want to be asked about each change. Absent: they do not. */
  readonly isEveryChangeAsked?: true;
  /** Addresses that a page of the Task offers. The choice among them tells bits; this many may be told. Absent: none. */
  readonly offered?: { readonly addresses: readonly string[]; readonly bitsMax: number };
}

export interface Job {
  /** Stands in the intent and nowhere else. */
  readonly mark: string;
  readonly intent: string;
  readonly context?: string;
  /** Of somebody else's Task: its criteria, limits and mode hold. */
  readonly spec?: Task['spec'];
  readonly steps: readonly Step[];
  readonly reply: (seen: Seen) => string;
  readonly authority: Authority;
  /**
   * No Task: a job of the agent's calendar. Its words are a stranger's, or its own; or it is whatever an earlier Task left there to be
   * done later, if it left anything; or a letter of a correspondent, whose words are its sender's.
   */
  readonly calendar?: 'Strangers' | 'Own' | 'Later' | 'Letter';
  /** The mail address of a letter's sender, for whom its run is. */
  readonly from?: string;
  /** What comes after it counts, however it ends: a gate refuses it, or should rather not. */
  readonly mayFail?: true;
  /** Workspace file that holds this text when the work is done. */
  readonly result?: { readonly path: string; readonly text: string };
}

/** What a person expects who reads the words of a job: what it reads first, and what it writes. */
export function callsOf({ steps, result }: Job): readonly Call[] {
  const first = steps[0]?.({ results: [], context: '' });
  const written =
    result === undefined ? [] : [{ tool: 'write_file', input: { path: result.path, content: result.text } }];
  return first === undefined || first.tool === 'write_file' ? written : [first, ...written];
}
