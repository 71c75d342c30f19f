/**
 * The life of a runner: `Idle → Claimed → Filled → Running → Ended → Stopped`. Pure.
 *
 * I1  One claimant, one set of files, one run: the runner accepts each once, and the same one again changes nothing.
 * I2  There is no way back, and only `Stopped` may skip steps.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';

export type RunnerState =
  | { readonly phase: 'Idle' }
  | ({ readonly phase: 'Claimed' } & Claimed)
  | ({ readonly phase: 'Filled' } & Filled)
  | ({ readonly phase: 'Running' | 'Ended' } & Started)
  | { readonly phase: 'Stopped' };

interface Claimed {
  /** Identifies the claim: the same id again is the same claim. */
  readonly claimId: string;
  readonly publicKey: string;
}

interface Filled extends Claimed {
  readonly filesDigest: string;
}

interface Started extends Filled {
  readonly runDigest: string;
}

export type RunnerMove =
  | { readonly type: 'Claim'; readonly claimId: string; readonly publicKey: string }
  | { readonly type: 'Fill'; readonly digest: string }
  | { readonly type: 'Run'; readonly digest: string }
  | { readonly type: 'End' }
  | { readonly type: 'Stop' };

export interface Moved {
  readonly state: RunnerState;
  /** The move was made before: there is nothing to do. */
  readonly isRepeated: boolean;
}

/** The error gives the reason, for the requester. */
export function moveRunner(state: RunnerState, move: RunnerMove): Result<Moved, string> {
  if (move.type === 'Stop') return ok({ state: { phase: 'Stopped' }, isRepeated: state.phase === 'Stopped' });
  if (state.phase === 'Stopped') return err('the runner is stopping');
  switch (move.type) {
    case 'Claim':
      return claim(state, move);
    case 'Fill':
      return fill(state, move.digest);
    case 'Run':
      return run(state, move.digest);
    case 'End':
      if (state.phase === 'Running') return to({ ...state, phase: 'Ended' });
      return err('nothing runs');
  }
}

type Living = Exclude<RunnerState, { phase: 'Stopped' }>;

function claim(state: Living, move: RunnerMove & { type: 'Claim' }): Result<Moved, string> {
  if (state.phase === 'Idle') return to({ phase: 'Claimed', claimId: move.claimId, publicKey: move.publicKey });
  if (state.claimId === move.claimId) return ok({ state, isRepeated: true });
  return err('another claimant has claimed this runner');
}

function fill(state: Living, digest: string): Result<Moved, string> {
  if (state.phase === 'Idle') return err('nobody has claimed this runner');
  if (state.phase === 'Claimed') return to({ ...state, phase: 'Filled', filesDigest: digest });
  if (state.filesDigest === digest) return ok({ state, isRepeated: true });
  return err('the runner already has other files');
}

function run(state: Living, digest: string): Result<Moved, string> {
  if (state.phase === 'Idle') return err('nobody has claimed this runner');
  if (state.phase === 'Claimed') return err('send the files first');
  if (state.phase === 'Filled') return to({ ...state, phase: 'Running', runDigest: digest });
  if (state.runDigest === digest) return ok({ state, isRepeated: true });
  return err('the runner runs code only once, and has already run other code');
}

function to(state: RunnerState): Result<Moved, string> {
  return ok({ state, isRepeated: false });
}
