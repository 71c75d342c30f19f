/** The answers of models to a gate: probe outcomes, and forecasts of the scorer. */
import type { Forecast } from '../../request/answers/forecasts.ts';

/** The outcome of one probe. Inconclusive: no answer arrived; that is not a detection. */
export type ProbeOutcome = 'Clean' | 'Detected' | 'Inconclusive';

export interface Probes {
  readonly hijack: ProbeOutcome;
  readonly leakage: ProbeOutcome;
}

export type Forecasts =
  | { readonly available: true; readonly forecasts: readonly Forecast[] }
  /** No answer, or an unreadable one. */
  | {
      readonly available: false;
      readonly reason: string;
      /** An answer arrived, but not in the requested form. */
      readonly isMalformed?: true;
    };

export interface GateAnswers {
  readonly probes?: Probes;
  /** The newest. */
  readonly forecasts?: Forecasts;
  /** Number of requests to the scorer, including the newest. */
  readonly scorings?: number;
}
