/** Renders moments for models and people, in UTC and by arithmetic alone, because this package may not read a clock. */

const MILLISECONDS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1440;

/** Days of the calendar's period of 400 years. */
const DAYS_PER_ERA = 146_097;

/** Days from 1 March of the year 0 to 1 January 1970. A year that begins in March ends with the leap day. */
const DAYS_BEFORE_1970 = 719_468;

/** `2026-11-22`. @param ms  since 1970, within the years 0 to 9999 */
export function utcDate(ms: number): string {
  const days = Math.floor(ms / (MILLISECONDS_PER_MINUTE * MINUTES_PER_DAY)) + DAYS_BEFORE_1970;
  const era = Math.floor(days / DAYS_PER_ERA);
  const dayOfEra = days - era * DAYS_PER_ERA;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // From March on, every five months have 153 days.
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
}

/** `2026-11-22 08:30 UTC`; seconds are omitted. */
export function utcMinute(ms: number): string {
  return `${utcDate(ms)} ${clockMinute(ms)} UTC`;
}

/** `2026-11-22 08:30:05 UTC`. */
export function utcSecond(ms: number): string {
  return `${utcDate(ms)} ${clockSecond(ms)} UTC`;
}

/** `08:30:05`, in UTC. */
export function clockSecond(ms: number): string {
  const second = Math.floor((ms - Math.floor(ms / MILLISECONDS_PER_MINUTE) * MILLISECONDS_PER_MINUTE) / 1000);
  return `${clockMinute(ms)}:${digits(second, 2)}`;
}

/** `08:30`, in UTC. */
export function clockMinute(ms: number): string {
  const minutes = Math.floor(ms / MILLISECONDS_PER_MINUTE);
  const ofDay = minutes - Math.floor(minutes / MINUTES_PER_DAY) * MINUTES_PER_DAY;
  return `${digits(Math.floor(ofDay / 60), 2)}:${digits(ofDay % 60, 2)}`;
}

function digits(count: number, width: number): string {
  return String(count).padStart(width, '0');
}
