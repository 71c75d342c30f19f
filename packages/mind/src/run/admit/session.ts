/**
 * The past that the perceiver sees: the agent's newest runs, and its memory of the user.
 *
 * Source: artoo A.16, A.3 (five turns of 300 characters).
 * Differs: an agent has no conversations yet, so its newest runs are its session, whoever asked for them. They come from the
 * narrative, so a restart loses none. A turn's result begins with how it ended, which makes it the lesson of that run, too. The
 * words of a run that has read untrusted text may be a stranger's: they stand between marks, and the run carries their label. What
 * was refused is no turn: its words would be a stranger's foot in the door, and a model that reads of refusals learns to refuse.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import type { RunRemembered } from '../../memory/narrative.ts';
import { screenText } from '../../gate/text/screen-text.ts';
import type { RunSpec } from '../event.ts';
import { oneLine } from '../../request/lines.ts';
import { clipped, TURN_CHARACTERS } from '../../assemble/sections.ts';

/** Source: artoo A.16. */
export const SESSION_TURNS_MAX = 5;

/** Most lines about the user: as many as a person would keep in mind. */
const USER_LINES_MAX = 8;

type Session = NonNullable<RunSpec['session']>;
type Turn = Session['turns'][number];

const LEFT_OUT = 'its words are left out, since it had read untrusted text';

/** @param runs  oldest first. @param user  the answers of memory about the user */
export function assembleSession(runs: readonly RunRemembered[], user: readonly MemoryAnswer[]): Session {
  const known = user
    .flatMap(({ rules, recent }) => [...rules, ...recent])
    .flatMap(({ content, isWordless }) => (isWordless === true ? [] : [oneLine(content)]));
  return {
    turns: runs
      .filter(({ outcome }) => outcome !== 'Refused')
      .slice(-SESSION_TURNS_MAX)
      .map(turnOf),
    user: known.slice(0, USER_LINES_MAX).map((it) => clipped(it, TURN_CHARACTERS)),
  };
}

/**
 * A Task that names criteria says for itself what is wanted. So it is not shown words of strangers, which would make all of its
 * work untrusted; of such turns it learns the outcome.
 */
export function sessionFor({ turns, user }: Session, hasCriteria: boolean): Session {
  return hasCriteria ? { turns: turns.map(({ input, summary }) => ({ input, summary })), user } : { turns, user };
}

function turnOf(run: RunRemembered): Turn {
  const { outcome, label } = run;
  const input = clipped(run.intent, TURN_CHARACTERS);
  const turn = (words: string): Turn => ({ input, summary: clipped(`${outcome}: ${words}`, TURN_CHARACTERS) });
  const text = wordsOf(run);
  if (label?.trust === 'Trusted') return text === '' ? { input, summary: outcome } : turn(text);
  const left = turn(LEFT_OUT);
  // The input gate would refuse the message for what an earlier reply says.
  if (label === undefined || text === '' || screenText(text, 'Incoming').alarm !== 'None') return left;
  return { ...left, untrusted: { text: clipped(text, TURN_CHARACTERS), label } };
}

/** The reason of an end begins with the outcome and stands in the summary, too: each is said once. */
function wordsOf({ outcome, reasons: [reason = ''], summary }: RunRemembered): string {
  const text = summary.includes(reason) ? summary : `${reason} ${summary}`;
  return text.startsWith(`${outcome}: `) ? text.slice(outcome.length + 2) : text;
}
