/**
 * The past that the perceiver sees: the agent's newest runs, and its memory of the user.
 *
 * Source: artoo A.16, A.3 (five turns of 300 characters).
 * Differs: an agent has no conversations yet, so its newest runs are its session, whoever asked for them. They come from the
 * narrative, so a restart loses none. A turn's result begins with how it ended, which makes it the lesson of that run, too.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import type { RunRemembered } from '../../memory/narrative.ts';
import type { RunSpec } from '../event.ts';
import { oneLine } from '../../request/lines.ts';
import { clipped, TURN_CHARACTERS } from '../../assemble/sections.ts';

/** Source: artoo A.16. */
export const SESSION_TURNS_MAX = 5;

/** Most lines about the user: as many as a person would keep in mind. */
const USER_LINES_MAX = 8;

type Session = NonNullable<RunSpec['session']>;

/** @param runs  oldest first. @param user  the answers of memory about the user */
export function assembleSession(runs: readonly RunRemembered[], user: readonly MemoryAnswer[]): Session {
  const turns = runs.slice(-SESSION_TURNS_MAX).map((run) => ({
    input: clipped(run.intent, TURN_CHARACTERS),
    summary: clipped([run.outcome, wordsOf(run)].filter((it) => it !== '').join(': '), TURN_CHARACTERS),
  }));
  const known = user.flatMap(({ rules, recent }) => [...rules, ...recent].map(({ content }) => oneLine(content)));
  return { turns, user: known.slice(0, USER_LINES_MAX).map((it) => clipped(it, TURN_CHARACTERS)) };
}

/**
 * The words of a run that has read untrusted text may be a stranger's, so a later run must not see them at its start.
 * It does not see the words of a gate either: a model that reads of refusals learns to refuse. Source: springdrift 15.
 */
function wordsOf({ label, outcome, reasons, summary }: RunRemembered): string {
  if (outcome === 'Refused') return 'what the gate said is left out';
  if (label?.trust !== 'Trusted') return 'its words are left out, since it had read untrusted text';
  return [...reasons.slice(0, 1), summary].join(' ');
}
