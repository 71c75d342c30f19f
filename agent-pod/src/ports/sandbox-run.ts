/** One run of code in a sandbox: request and result. */

export type SandboxLanguage = 'bash' | 'javascript' | 'python';

export interface SandboxLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** Bytes kept of standard output and of standard error, each. Later bytes are counted and dropped. */
  readonly outputBytes: number;
  /** Largest single file that a command may write on this machine. In a pod, one file may fill the Agent's whole scratch. */
  readonly fileBytes: number;
}

/** The workspace, as long as a call has it: calls of other runs wait. Both settle as the step does, with the workspace again. */
export interface WorkspaceTurn {
  /** Leaves the workspace to others during the step. @throws  if the call ended meanwhile */
  leave<T>(step: () => Promise<T>): Promise<T>;
  /** As `leave`, and comes back after calls that left so before it, if they end soon. */
  leaveInOrder<T>(step: () => Promise<T>): Promise<T>;
}

export interface SandboxRequest {
  /** Names this run for ever: `lookup` finds its result after a restart. */
  readonly idempotencyKey: string;
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly stdin: string;
  /** The agent's workspace on this machine. Inside, it is `/workspace` and the working directory. */
  readonly workspaceDirectory: string;
  /** Paths relative to the workspace that stay read-only inside, whatever the script does. */
  readonly readOnlyPaths: readonly string[];
  /** Files that the script may change inside, without effect on the workspace. Absent: none. */
  readonly keptPaths?: readonly string[];
  /**
   * What the script sees: files, links and directories of the workspace, relative to it. Nothing takes the place of a file that it
   * does not see. Absent: everything.
   */
  readonly shownPaths?: readonly string[];
  /** Neither the script nor anything that it sees is a stranger's. Absent: false. */
  readonly isTrusted?: boolean;
  /** The two lists anew: others may have changed the workspace while the sandbox started. Absent: nobody may. */
  readonly lookAgain?: () => Promise<Required<Pick<SandboxRequest, 'keptPaths' | 'shownPaths'>>>;
  /** Absent: the call keeps the workspace for itself. */
  readonly turn?: WorkspaceTurn;
  /** What its scripts add to the workspace is bounded together. Absent: each script alone. */
  readonly runId?: string;
  /** What earlier scripts of the run have added, by the record. Absent: what this process knows of. */
  readonly added?: Added;
  readonly limits: SandboxLimits;
}

/** Counted against what a run may add to its workspace. */
export interface Added {
  readonly files: number;
  readonly bytes: number;
}

/** What a script did to the workspace. */
export interface SandboxChanges {
  /** New and changed regular files; at most a thousand. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[];
  /** New and changed symbolic links, each with size and digest of its text; at most a thousand. Absent: none. */
  readonly links?: SandboxChanges['files'];
  /** Files and links that are no longer there; at most a thousand. */
  readonly gone: readonly string[];
  /** Changed or made by the script, without effect: it may not, or it did not see what stands there. At most twenty. */
  readonly refused: readonly string[];
  /** Changed by the script, without effect: another run changed them meanwhile. At most twenty. Absent: none. */
  readonly conflicts?: readonly string[];
  /** Changed files and links beyond those listed. */
  readonly unlisted: number;
  /** New files beyond what the run may add, and their bytes: they are gone. */
  readonly leftOutFiles: number;
  readonly leftOutBytes: number;
  /** With the directories for scratch that it made, at most a hundred. Absent: it added nothing. */
  readonly added?: Added & { readonly scratch: readonly string[] };
}

export interface SandboxResult {
  readonly end: 'Exited' | 'TimedOut' | 'Killed';
  /** 128 + signal number when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of both streams dropped because of the limit. */
  readonly droppedBytes: number;
  readonly durationMs: number;
  /** The limit that ended it, in words, if one did. */
  readonly reason?: string;
  /** Absent: nothing was taken, because it never ran, was cancelled, or an older agent kept the result. */
  readonly changes?: SandboxChanges;
}
