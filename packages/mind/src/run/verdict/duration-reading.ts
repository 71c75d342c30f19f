/** Durations of several units as people write them: `1 hour 30 minutes`, `12 min 34 s`, `2h05m`. */
import { unitIn, type Unit } from './units.ts';

const DAYS = String.raw`(\d+)\s?(?:d|days?|Tage?n?|jours?|días?|dagen|dag|giorn[oi])`;
const HOURS = String.raw`(\d+)\s?(?:h|hrs?\.?|hours?|Std\.?|Stunden?|heures?|horas?|uur|uren|or[ae])`;
const MINUTES = String.raw`(\d+)\s?(?:m|min\.?|mins|minutes?|Minuten?|minutos?|minuut|minuten|minut[io])`;
const SECONDS = String.raw`(\d+(?:[.,]\d+)?)\s?(?:s|secs?\.?|sek\.?|seconds?|Sekunden?|secondes?|segundos?|seconden?|second[oi])`;
const AND = String.raw`,?\s?(?:(?:and|und|et|y|en|e)\s)?`;

const DURATION = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?=\d)(?:${DAYS}(?![\p{L}])${AND})?(?:${HOURS}(?!\p{L})${AND})?(?:${MINUTES}(?!\p{L}))?(?:${AND}${SECONDS}(?!\p{L}))?`,
  'giu',
);

export interface DurationReading {
  readonly text: string;
  readonly start: number;
  /** In the smallest unit that is told. */
  readonly value: number;
  readonly unit: Unit | undefined;
}

const SIZES = [86_400, 3600, 60, 1] as const;
const NAMES = ['days', 'hours', 'min', 's'] as const;

/** Of two units and more; a single one is a number with its unit. */
export function durationsIn(text: string): readonly DurationReading[] {
  return [...text.matchAll(DURATION)].flatMap(({ 0: told, index: start, ...parts }) => {
    const amounts = SIZES.map((_, at) => parts[at + 1]);
    const last = amounts.findLastIndex((it) => it !== undefined);
    if (amounts.filter((it) => it !== undefined).length < 2) return [];
    const seconds = amounts.reduce((sum, it, at) => sum + Number((it ?? '0').replace(',', '.')) * (SIZES[at] ?? 0), 0);
    const value = seconds / (SIZES[last] ?? 1);
    return [{ text: told.trimEnd(), start, value, unit: unitIn(` ${NAMES[last] ?? 's'}`) }];
  });
}
