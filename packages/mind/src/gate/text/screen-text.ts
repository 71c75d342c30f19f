/**
 * Rates how alarming a text is, and names the rules and positions that cause it.
 *
 * I1  Pure and linear: the same text has the same alarm, and time and memory are bounded by `limits.ts`.
 * I2  More text never lowers the alarm of a part: signals count within a neighbourhood, not in proportion to the length. Only
 *     words of the same sentence weaken a signal: another subject, or a quotation as the topic.
 * I3  A finding names its rule and position, never the pattern.
 *
 * Source: springdrift 2 (score ≥ 6 blocks, 4 and 5 escalate), 15; reliability-security 4.
 * Differs: springdrift scores a text as a whole, up to 12, so that a long document collects points from end to end.
 */
import { decodeParts, type DecodedPart } from './decode-parts.ts';
import { readSignals, type Reading, type Signal } from './find-signals.ts';
import { hiddenSignals } from './hidden-signals.ts';
import { DECODE_DEPTH_MAX, DECODED_CHARACTERS_MAX, FINDINGS_MAX, SCREENED_CHARACTERS_MAX } from './limits.ts';
import { finished, Pace, type Sliced } from './pace.ts';
import type { Family } from './signals.ts';
import type { Span } from './spelling-builder.ts';
import type { Word } from './read-words.ts';
import { placesBetween, reversed, shapeOf, shifted } from './turn-text.ts';
import { DISGUISED_LETTERS_MIN, vocabulary } from './vocabulary.ts';

export type Alarm = 'None' | 'Escalate' | 'Block';

/** A rule and its position in UTF-16 units of the text. */
export interface Finding extends Span {
  readonly rule: string;
  readonly points: number;
  /** Its words had to be decoded. */
  readonly isDisguised?: true;
  /** Another subject has them, or they are quoted as a topic: nobody tells the reader to do it. */
  readonly isExcused?: true;
}

export interface Screening {
  readonly alarm: Alarm;
  /** Points of the most alarming neighbourhood; 0 means no signal. */
  readonly points: number;
  /** In the order of the text; only from alarming neighbourhoods. */
  readonly findings: readonly Finding[];
}

/** Incoming texts are searched for commands; outgoing texts only for means of carrying data away. */
export type Scope = 'Incoming' | 'Outgoing';

/** Source: springdrift 2. */
export const ESCALATE_POINTS = 4;
export const BLOCK_POINTS = 6;

/** Characters of a block. Signals in the same or in neighbouring blocks add up; two blocks are a long paragraph. */
const BLOCK_CHARACTERS = 600;

export function screenText(text: string, scope: Scope): Screening {
  return finished(screenSliced(text, scope));
}

/** The same, slice by slice. */
export function* screenSliced(text: string, scope: Scope): Sliced<Screening> {
  const budget = { charactersLeft: DECODED_CHARACTERS_MAX, isSpent: false };
  const signals = yield* signalsIn(text.slice(0, SCREENED_CHARACTERS_MAX), scope, [], budget);
  yield;
  return assess(signals, text);
}

/** The remaining allowance for decoding, shared by all parts of one text. */
interface Budget {
  charactersLeft: number;
  /** Whether an encoded part was left unread. */
  isSpent: boolean;
}

/** Names of the encodings that were undone, outermost first. */
type Undone = readonly string[];

function* signalsIn(text: string, scope: Scope, undone: Undone, budget: Budget): Sliced<readonly Signal[]> {
  const { signals, words } = scope === 'Incoming' ? yield* readSignals(text) : NOTHING_READ;
  const { parts, unreadAt } = yield* decodeParts(text);
  if (unreadAt !== undefined) budget.isSpent = true;
  const hidden = yield* hiddenSignals(text, scope);
  const found = [
    ...signals.map(weakened),
    ...hidden.filter(({ family }) => undone.length === 0 || family !== 'filler'),
  ];
  yield;
  for (const part of parts) found.push(...(yield* encodedSignals(part, scope, undone, budget)));
  if (unreadAt !== undefined) found.push(unreadSignal({ start: unreadAt, end: text.length }));
  if (scope === 'Outgoing') return found;
  for (const part of yield* turnedParts(text, words, undone))
    found.push(...(yield* encodedSignals(part, scope, undone, budget)).filter(isAlarming));
  return found;
}

/** Outgoing texts are not read for commands, because an agent may have to report some. */
const NOTHING_READ: Reading = { signals: [], words: [] };

function blockOf(at: number): number {
  return Math.floor(at / BLOCK_CHARACTERS);
}

/** A reported signal counts a third: two such signals cause no alarm, three do. */
const REPORTED_DIVISOR = 3;

/** From these points on, a signal hardly has another meaning. */
const CLEAR_POINTS = 5;

/** Explanations of attacks quote them, so `Reported` counts a third. No other excuse lowers a clear command below the alarm. */
function weakened(signal: Signal): Signal {
  const { points, excuse } = signal;
  if (excuse === 'None') return signal;
  const isClear = points >= CLEAR_POINTS && (excuse === 'Mentioned' || excuse === 'Told');
  return { ...signal, points: isClear ? ESCALATE_POINTS : Math.floor(points / REPORTED_DIVISOR) };
}

const UNREAD = 'too-much';
const UNREAD_RULE = `encoding/${UNREAD}`;
/** Minimum points of a hidden text. */
const HIDDEN_POINTS = 4;
/** Minimum points of encoded sentences. */
const ENCODED_PROSE_POINTS = 2;
const PROSE = /^(?:[^ ]{1,24} ){3,}/;

function* encodedSignals(part: DecodedPart, scope: Scope, undone: Undone, budget: Budget): Sliced<readonly Signal[]> {
  const wasSpent = budget.isSpent;
  budget.isSpent = false;
  const inner = yield* decodedPoints(part.text, scope, [...undone, part.encoding], budget);
  const unread = budget.isSpent ? [unreadSignal(part)] : [];
  budget.isSpent ||= wasSpent;
  const least = part.isHidden
    ? HIDDEN_POINTS
    : PROSE.test(part.text) && part.encoding !== 'percent'
      ? ENCODED_PROSE_POINTS
      : 0;
  const points = inner >= ESCALATE_POINTS ? Math.max(BLOCK_POINTS, inner) : least;
  if (points === 0) return unread;
  const family = part.isHidden ? 'hidden' : 'encoding';
  return [...unread, encodedSignal(family, part.encoding, points, part)];
}

/** Any part that a limit leaves unread is reported. */
function unreadSignal(place: Span): Signal {
  return encodedSignal('encoding', UNREAD, ESCALATE_POINTS, place);
}

function encodedSignal(family: 'hidden' | 'encoding', name: string, points: number, { start, end }: Span): Signal {
  return { rule: `${family}/${name}`, family, points, start, end, excuse: 'None' };
}

/** Ignores unread parts, which say nothing about the others; the outermost text alone reports them. */
function* decodedPoints(text: string, scope: Scope, undone: Undone, budget: Budget): Sliced<number> {
  if (undone.length > DECODE_DEPTH_MAX || text.length > budget.charactersLeft) {
    budget.isSpent = true;
    return 0;
  }
  budget.charactersLeft -= text.length;
  const signals = yield* signalsIn(text, scope, undone, budget);
  return assess(
    signals.filter(({ rule }) => rule !== UNREAD_RULE),
    text,
  ).points;
}

function isAlarming({ points }: Signal): boolean {
  return points >= ESCALATE_POINTS;
}

/** Tries the text reversed and shifted in the alphabet, if it has words that are listed only then. */
function* turnedParts(text: string, words: readonly Word[], undone: Undone): Sliced<readonly DecodedPart[]> {
  const { reversedWords } = vocabulary();
  const turned = (encoding: string, whole: string): DecodedPart => {
    return { encoding, text: whole, isHidden: false, start: 0, end: text.length };
  };
  const isReversed =
    !undone.includes('reversed') && words.filter((word) => reversedWords.has(word.letters)).length >= TURNED_WORDS_MIN;
  yield;
  const shifts = undone.some((name) => name.startsWith(SHIFTED)) ? [] : yield* likelyShifts(words);
  const parts = isReversed ? [turned('reversed', reversed(text))] : [];
  for (const places of shifts) {
    yield;
    parts.push(turned(`${SHIFTED}${places}`, shifted(text, places)));
  }
  return parts;
}

const SHIFTED = 'rot';
/** Fewer may be chance. */
const TURNED_WORDS_MIN = 2;
/** More shifts of one text are chance, and each costs a look at all of it. */
const SHIFTS_MAX = 3;

/** Places by which several words become listed ones, the most frequent first. */
function* likelyShifts(words: readonly Word[]): Sliced<readonly number[]> {
  const { wordsByShape } = vocabulary();
  const pace = new Pace();
  const counts = new Map<number, number>();
  for (const { letters } of words) {
    if (pace.isFull(letters.length)) yield;
    if (letters.length < DISGUISED_LETTERS_MIN) continue;
    const shape = shapeOf(letters);
    const meant = shape === undefined ? undefined : wordsByShape.get(shape);
    if (meant === undefined || meant.startsWith(letters.charAt(0))) continue;
    const places = placesBetween(letters, meant);
    counts.set(places, (counts.get(places) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= TURNED_WORDS_MIN)
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, SHIFTS_MAX)
    .map(([places]) => places);
}

type Best = Map<Family, Signal>;

/** Takes the strongest signal of each block and family, and adds up neighbouring blocks. */
function assess(signals: readonly Signal[], text: string): Screening {
  const blocks = new Map<number, Best>();
  for (const signal of signals) {
    const best = blocks.get(blockOf(signal.start)) ?? new Map<Family, Signal>();
    blocks.set(blockOf(signal.start), best);
    if ((best.get(signal.family)?.points ?? 0) < signal.points) best.set(signal.family, signal);
  }
  const areas = [...blocks.keys()].map((block) => areaOf(blocks.get(block), blocks.get(block + 1)));
  const points = Math.max(
    text.length > SCREENED_CHARACTERS_MAX ? ESCALATE_POINTS : 0,
    ...areas.map((area) => area.points),
  );
  return { alarm: alarmOf(points), points, findings: tell(areas, text) };
}

interface Area {
  readonly points: number;
  readonly signals: readonly Signal[];
}

function areaOf(block: Best | undefined, next: Best | undefined): Area {
  const best: Best = new Map(block);
  for (const [family, signal] of next ?? []) {
    if ((best.get(family)?.points ?? 0) < signal.points) best.set(family, signal);
  }
  const signals = [...best.values()].filter((signal, _, all) => !isOrdinary(signal, all));
  return { points: signals.reduce((sum, signal) => sum + signal.points, 0), signals };
}

/** Manuals have headings and say that something acts as something else; reports name the target of an attack. */
function isOrdinary({ rule }: Signal, signals: readonly Signal[]): boolean {
  const others = signals.filter((signal) => signal.rule !== rule);
  if (rule === 'boundary/heading') return others.every((other) => other.rule === 'role/play');
  return rule === 'address/agent' && others.every((other) => other.excuse !== 'None');
}

function alarmOf(points: number): Alarm {
  if (points >= BLOCK_POINTS) return 'Block';
  return points >= ESCALATE_POINTS ? 'Escalate' : 'None';
}

function tell(areas: readonly Area[], text: string): readonly Finding[] {
  const alarming = areas.filter((area) => area.points >= ESCALATE_POINTS).flatMap((area) => area.signals);
  const findings = [...new Set(alarming)]
    .filter((signal) => signal.points > 0)
    .map(({ rule, points, start, end, isDisguised, excuse }): Finding => {
      const disguise = isDisguised === undefined ? {} : { isDisguised };
      return { rule, points, start, end, ...disguise, ...(excuse === 'None' ? {} : { isExcused: true }) };
    });
  if (text.length > SCREENED_CHARACTERS_MAX) {
    findings.push({
      rule: 'filler/too-long',
      points: ESCALATE_POINTS,
      start: SCREENED_CHARACTERS_MAX,
      end: text.length,
    });
  }
  return findings
    .toSorted((a, b) => b.points - a.points)
    .slice(0, FINDINGS_MAX)
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}
