/** What models answer a gate: probes, and forecasts of the scorer. */

/** What came of one probe. Inconclusive: no answer came; that is no detection. */
export type ProbeOutcome = 'Clean' | 'Detected' | 'Inconclusive';

export interface Probes {
  readonly hijack: ProbeOutcome;
  readonly leakage: ProbeOutcome;
}

/** What the scorer says of one feature. */
export interface Forecast {
  readonly feature: string;
  /** Whole; 0 is nothing. On the scale of the policy. */
  readonly magnitude: number;
  readonly rationale: string;
}

export type Forecasts =
  | { readonly available: true; readonly forecasts: readonly Forecast[] }
  /** No answer, or one that could not be read. */
  | {
      readonly available: false;
      readonly reason: string;
      /** An answer came, but not in the form that was asked for. */
      readonly isMalformed?: true;
    };

export interface GateAnswers {
  readonly probes?: Probes;
  /** The newest. */
  readonly forecasts?: Forecasts;
  /** Times that the scorer was asked, the newest among them. */
  readonly scorings?: number;
}
