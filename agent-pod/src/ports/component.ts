/** Permanent: always restarted. Transient: restarted after a failure only. Temporary: never restarted. */
export type RestartPolicy = 'Permanent' | 'Transient' | 'Temporary';

export interface Component {
  readonly name: string;
  readonly restart: RestartPolicy;
  /** Runs until done or aborted; a rejection is a failure. */
  run(signal: AbortSignal): Promise<void>;
}
