export interface BackoffPolicy {
  readonly initialMs: number;
  readonly factor: number;
  readonly ceilingMs: number;
  /** 0 to 1: how much of the delay is random. */
  readonly jitterRatio: number;
}

/** Delay before retry `attempt`, from 0. @param random  0 to 1, drawn by the caller, so that this stays pure */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: number): number {
  const full = Math.min(policy.ceilingMs, policy.initialMs * policy.factor ** attempt);
  return Math.round(full * (1 - policy.jitterRatio * random));
}
