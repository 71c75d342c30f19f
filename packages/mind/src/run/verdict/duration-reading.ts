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

const MORE_DAYS = String.raw`(\d+)\s?(?:дн\p{L}*|день|dni|dzień|dny|dní|dias?|gün|dagar|päivää|日間?|天|일)`;
const MORE_HOURS = String.raw`(\d+)\s?(?:ч(?:ас\p{L}*)?\.?|годин\p{L}*|godz(?:in\p{L}*)?\.?|hodin\p{L}*|horas?|saat|timm\p{L}*|timer|tuntia?|時間|小时|小時|시간)`;
const MORE_MINUTES = String.raw`(\d+)\s?(?:мин(?:ут\p{L}*)?\.?|хвилин\p{L}*|minut\p{L}*|dakika|dk\.?|分钟|分鐘|分|분)`;
const MORE_SECONDS = String.raw`(\d+(?:[.,]\d+)?)\s?(?:сек(?:унд\p{L}*)?\.?|с(?!\p{L})|sekund\p{L}*|segundos?|saniye|sn\.?|秒钟?|초)`;
const MORE_AND = String.raw`,?\s?(?:(?:и|та|i|oraz|a|e|ve|och|og|ja)\s)?`;

/** In languages whose words change their ends, or that separate none. */
const MORE_DURATION = new RegExp(
  String.raw`(?<![\d.,])(?=\d)(?:${MORE_DAYS}${MORE_AND})?(?:${MORE_HOURS}${MORE_AND})?(?:${MORE_MINUTES})?(?:${MORE_AND}${MORE_SECONDS})?`,
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
  const found = [DURATION, MORE_DURATION].flatMap((pattern) => [...text.matchAll(pattern)]);
  const readings = found.flatMap(({ 0: told, index: start, ...parts }) => {
    const amounts = SIZES.map((_, at) => parts[at + 1]);
    const last = amounts.findLastIndex((it) => it !== undefined);
    if (amounts.filter((it) => it !== undefined).length < 2) return [];
    const seconds = amounts.reduce((sum, it, at) => sum + Number((it ?? '0').replace(',', '.')) * (SIZES[at] ?? 0), 0);
    const value = seconds / (SIZES[last] ?? 1);
    return [{ text: told.trimEnd(), start, value, unit: unitIn(` ${NAMES[last] ?? 's'}`) }];
  });
  return readings.filter(({ start }, at) => readings.findIndex((it) => it.start === start) === at);
}
