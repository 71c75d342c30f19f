import type { PartsPort } from './tool.ts';

/** What the Appraiser knows and writes. */
export interface AppraisingPort {
  /** Under the name of the Appraiser. */
  readonly parts: PartsPort;
  /** Resolves when the record of work changed since it was last asked, or the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
}
