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
  readonly limits: SandboxLimits;
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
}
