/**
 * What people read says each thing once: parts that are joined to one text may hold each other, and a text may begin with what was
 * said before it.
 *
 * A part is held where it stands whole between marks of punctuation, without regard to capitals and blanks: "no way" is held by
 * "stopped: no way.", and not by "there is no way out".
 */

const COLON = ': ';
const SEPARATOR = '; ';
const THE_SAME = 'the same';

const OPENS = /(?:^|[.:;!?("—–-])$/;
const CLOSES = /^(?:$|[.:;!?,)"])/;

/** Whether the text holds the part; an empty part is held by every text. */
export function says(text: string, part: string): boolean {
  return holds(plain(text), soughtIn(plain(part)));
}

/** @returns the parts that no other one holds, in their order; of equal ones, the first */
export function eachOnce(parts: readonly string[]): readonly string[] {
  const texts = parts.map(plain);
  const sought = texts.map(soughtIn);
  const isHeld = (part: number, by: number): boolean => holds(texts[by] ?? '', sought[part] ?? '');
  return parts.filter(
    (_, at) => !parts.some((_other, by) => by !== at && isHeld(at, by) && (by < at || !isHeld(by, at))),
  );
}

/** Reasons as one sentence: each once, and what several give after a colon, once for all of them: `A is shown, B is shown: no file`. */
export function joinedOnce(parts: readonly string[]): string {
  const left = eachOnce(parts);
  const tails = left.map((part, at) =>
    tailsOf(part).find((tail) => left.some((it, by) => by !== at && endsWith(it, tail))),
  );
  return left
    .flatMap((part, at) => {
      const tail = tails[at];
      if (tail === undefined) return part;
      if (tails.indexOf(tail) < at) return [];
      return `${left
        .filter((_, by) => tails[by] === tail)
        .map((it) => headOf(it, tail))
        .join(', ')}${COLON}${tail}`;
    })
    .join(SEPARATOR);
}

/** Reasons as {@link joinedOnce} makes them, with `the same` for what was said before: `A is shown: the same`. */
export function referringTo(before: readonly string[], reasons: string): string {
  const isSaid = (text: string): boolean => before.some((it) => says(it, text));
  const parts = reasons.split(SEPARATOR).map((part) => {
    if (isSaid(part)) return THE_SAME;
    const tail = tailsOf(part).find(isSaid);
    return tail === undefined ? part : `${headOf(part, tail)}${COLON}${THE_SAME}`;
  });
  return joinedOnce(parts);
}

/**
 * What a text adds to what was said before.
 *
 * @param said  the parts as they were shown; a text may begin with them, joined by `; `, or with the beginning of that, or its first
 *   paragraph may hold one of them
 * @returns the rest of the text, trimmed; the whole of it where it begins otherwise, and empty where it adds nothing
 */
export function beyond(text: string, said: readonly string[]): string {
  const whole = text.trim();
  const before = said.join('; ').trim();
  if (before === '') return whole;
  if (whole.startsWith(before)) return whole.slice(before.length).trim();
  const [head = '', ...others] = whole.split('\n\n');
  const isAboutIt = before.startsWith(head.trim()) || said.some((it) => says(head, it));
  return isAboutIt ? others.join('\n\n').trim() : whole;
}

/** What stands after each of the colons, longest first. */
function tailsOf(part: string): readonly string[] {
  return part
    .split(COLON)
    .map((_, at, all) => all.slice(at).join(COLON))
    .slice(1);
}

function endsWith(part: string, tail: string): boolean {
  return part.endsWith(COLON + tail);
}

function headOf(part: string, tail: string): string {
  return part.slice(0, part.length - COLON.length - tail.length);
}

function holds(whole: string, sought: string): boolean {
  if (sought === '') return true;
  for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + 1)) {
    const [before, after] = [whole.slice(0, at), whole.slice(at + sought.length)];
    if (OPENS.test(before.trimEnd()) && CLOSES.test(after.trimStart())) return true;
  }
  return false;
}

function soughtIn(part: string): string {
  return part.replace(/[.;:,]+$/, '');
}

/** A text as it is compared: in small letters, each run of blanks as one. */
export function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}
