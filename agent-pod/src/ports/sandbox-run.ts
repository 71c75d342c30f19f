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
  /** What its scripts add to the workspace is bounded together. Absent: each script alone. */
  readonly runId?: string;
  readonly limits: SandboxLimits;
}

/** What a script did to the workspace. */
export interface SandboxChanges {
  /** New and changed regular files; at most a thousand. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[];
  /** Files and links that are no longer there; at most a thousand. */
  readonly gone: readonly string[];
  /** Changed or made by the script, without effect: it may not, or it did not see what stands there. At most twenty. */
  readonly refused: readonly string[];
  /** Changed files beyond those listed. */
  readonly unlisted: number;
  /** New files beyond what the run may add, and their bytes: they are gone. */
  readonly leftOutFiles: number;
  readonly leftOutBytes: number;
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
  /** Absent where nothing was taken: it never ran, it was cancelled, or an older agent kept the result. */
  readonly changes?: SandboxChanges;
}
