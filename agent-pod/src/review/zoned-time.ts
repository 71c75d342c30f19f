/** Moments as people of a time zone read them. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  formats.set(timeZone, made);
  return made;
}

/** `2026-11-30 08:00`, without the zone. @param ms  since 1970, within the years 1 to 9999 */
export function zonedMinute(ms: number, timeZone: string): string {
  const parts = formatOf(timeZone).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((it) => it.type === type)?.value ?? '';
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}`;
}
