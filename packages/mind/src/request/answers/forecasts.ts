/** The scorer's answer: the strength of each feature of a gate. The gate checks that the features are its own. Source: springdrift 2. */
import { FEATURES_MAX, MAGNITUDE_MAX_PAPER } from '@retainer/contract/api/gate-policy';
import { z } from 'zod';
import { attribute, GAP, words } from '../answer-texts.ts';

/** Characters: a sentence. */
const RATIONALE_CHARACTERS = 1024;
/** Characters of a feature's name, as in a CharacterSpec. */
export const NAME_CHARACTERS = 63;
/** The common tool gate, and that of a specialist. */
const POLICIES_MAX = 2;
export const FORECASTS_MAX = FEATURES_MAX * POLICIES_MAX;

export const Forecast = z
  .object({
    feature: attribute(NAME_CHARACTERS),
    /** On the scale of the policy; 0 means absent. */
    magnitude: z.int().min(0).max(MAGNITUDE_MAX_PAPER).meta({ shown: GAP }),
    rationale: words(RATIONALE_CHARACTERS),
  })
  .meta({ isOneLine: true });
export type Forecast = z.infer<typeof Forecast>;

export const Forecasts = z
  .object({
    forecasts: z
      .array(Forecast)
      .min(1)
      .max(FORECASTS_MAX)
      .refine((all) => new Set(all.map(({ feature }) => feature)).size === all.length, 'one forecast for each feature')
      .meta({ element: 'forecast' }),
  })
  .meta({ element: 'forecasts' });
