/** One run of code in a sandbox: what is asked for, and what came of it. */

export type SandboxLanguage = 'bash' | 'javascript' | 'python';

export interface SandboxLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** Kept of each of standard output and standard error; what comes after is counted and dropped. */
  readonly outputBytes: number;
  /** Largest single file that a command may write on this machine; in a pod, one file may take all of the Agent's scratch. */
  readonly fileBytes: number;
}

export interface SandboxRequest {
  /** Names this run for ever: `lookup` finds its result after a restart. */
  readonly idempotencyKey: string;
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly stdin: string;
  /** The agent's workspace on this machine; seen as `/workspace` inside, and the working directory there. */
  readonly workspaceDirectory: string;
  /** Paths relative to the workspace that stay read-only inside, whatever the script does. */
  readonly readOnlyPaths: readonly string[];
  readonly limits: SandboxLimits;
}

export interface SandboxResult {
  readonly end: 'Exited' | 'TimedOut' | 'Killed';
  /** 128 + signal number where a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes that were dropped from both streams because of the limit. */
  readonly droppedBytes: number;
  readonly durationMs: number;
  /** Which limit ended it, in words, where one did. */
  readonly reason?: string;
}
