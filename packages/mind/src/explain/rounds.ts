/**
 * The rounds of a run, one row each: the distance to the goal, its change, and the directive that followed.
 *
 * Source: artoo A.9.
 */
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { RunEvent, RunEventOf } from '../run/event.ts';
import { firstLine, renderPlural, renderSigned, renderTwoDigits } from './figures.ts';
import type { StoryLine } from '../part/story.ts';

type Explanation = RunEventOf<'RoundSteered'>['explanation'];

export interface StoryRound extends Explanation {
  /** 0 when the run ended before its first plan. */
  readonly round: number;
  readonly subtasks: number;
  readonly matched: number;
  /** Attempts after one that fell short, over all subtasks. */
  readonly corrections: number;
  /** The changes from the previous round, one sentence each. */
  readonly changed: readonly string[];
  readonly rationale: string;
}

/** @param events  of one run, oldest first */
export function roundsOf(events: readonly RunEvent[]): readonly StoryRound[] {
  const messages = events.flatMap((event) => (event.kind === 'MessageSent' ? event.messages : []));
  return events
    .filter((event) => event.kind === 'RoundSteered')
    .map(({ round, explanation, rationale }) => {
      const work = workOf(messages, round);
      return {
        ...explanation,
        round,
        subtasks: work.intents.length,
        matched: work.matched,
        corrections: work.corrections,
        changed: changedIn(messages, round),
        rationale,
      };
    });
}

interface Work {
  readonly intents: readonly string[];
  readonly matched: number;
  readonly corrections: number;
}

function workOf(messages: readonly BusMessage[], round: number): Work {
  const own = messages.filter((it) => it.round === round);
  return {
    intents: own.flatMap((it) => (it.type === 'SubTask' ? [it.payload.intent] : [])),
    matched: own.filter((it) => it.type === 'SubTaskOutcome' && it.payload.status === 'Matched').length,
    corrections: own.filter((it) => it.type === 'CorrectionSignal' && it.payload.selfConsistency !== 'Blind').length,
  };
}

function changedIn(messages: readonly BusMessage[], round: number): readonly string[] {
  const { intents } = workOf(messages, round);
  const before = workOf(messages, round - 1).intents;
  if (before.length === 0) return [];
  const added = intents.filter((it) => !before.includes(it));
  const gone = before.filter((it) => !intents.includes(it));
  const same = added.length === 0 && gone.length === 0 ? ['the same plan again'] : [];
  return [...same, ...added.map((it) => `new: ${it}`), ...gone.map((it) => `no more: ${it}`)];
}

const ITEM_CHARACTERS = 100;

/** Most characters of the sentence on one part. */
const PART_CHARACTERS = 400;

function blockedTexts({ tools, targets, pairs = [] }: Explanation['blocked']): readonly string[] {
  return [...tools.map((it) => `tool ${it}`), ...targets, ...pairs.map((it) => `${it.tool} on ${it.target}`)];
}

const HEADING = ' round    D     P     Ω     L     ∇L     cell  directive';

/** A table; the blocked and the changed items are below each row. Empty for a run without steering. */
export function renderRounds(rounds: readonly StoryRound[]): readonly StoryLine[] {
  if (rounds.length === 0) return [];
  return [{ tone: 'Plain', text: HEADING }, ...rounds.flatMap(roundLines)];
}

function roundLines(row: StoryRound): readonly StoryLine[] {
  const { round, loss, gradL, cell, directive, override, byTable, subtasks, matched, corrections } = row;
  const figures = [loss.d, loss.p, loss.omega, loss.l].map(renderTwoDigits).join('  ');
  const overridden = override === undefined ? '' : ` (${override}; the table says ${byTable})`;
  const blocked = blockedTexts(row.blocked);
  const parts = (row.parts ?? []).map((it) => `${it.directive}: ${it.why}`);
  const corrected = corrections === 0 ? '' : `, ${renderPlural(corrections, 'correction')}`;
  const work = subtasks === 0 ? [] : [`${matched} of ${renderPlural(subtasks, 'subtask')} done${corrected}`];
  const isGood = directive === 'Accept' || directive === 'Success';
  return [
    {
      tone: isGood ? 'Good' : 'Warning',
      text: `${String(round).padStart(6)}  ${figures}  ${renderSigned(gradL)}  ${String(cell ?? '-').padStart(4)}  ${directive}${overridden}`,
    },
    ...[
      ...work,
      ...parts.map((it) => firstLine(it, PART_CHARACTERS)),
      ...blocked.map((it) => `blocked in the next round: ${firstLine(it, ITEM_CHARACTERS)}`),
      ...row.changed.map((it) => firstLine(it, ITEM_CHARACTERS)),
    ].map((text) => ({ tone: 'Quiet' as const, text: `        ${text}` })),
  ];
}
