/**
 * The scorer's answer about several calls: each forecast names its call. A feature may be forecast twice here: the gate then asks
 * about that call again, and the others keep their scores.
 */
import { z } from 'zod';
import { attribute } from '../answer-texts.ts';
import { Forecast, FORECASTS_MAX, NAME_CHARACTERS } from './forecasts.ts';

/** Most calls in one request: a model that rates more mixes them up. */
export const CALLS_MAX = 8;

const CallForecast = z.object({ call: attribute(NAME_CHARACTERS), ...Forecast.shape }).meta({ isOneLine: true });
export type CallForecast = z.infer<typeof CallForecast>;

export const CallForecasts = z
  .object({
    forecasts: z
      .array(CallForecast)
      .min(1)
      .max(FORECASTS_MAX * CALLS_MAX)
      .meta({ element: 'forecast' }),
  })
  .meta({ element: 'forecasts' });
