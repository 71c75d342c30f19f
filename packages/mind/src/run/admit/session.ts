/**
 * The past that the perceiver sees: the agent's newest runs, and its memory of the user.
 *
 * Source: artoo A.16, A.3 (five turns of 300 characters).
 * Differs: an agent has no conversations yet, so its newest runs are its session, whoever asked for them. They come from the
 * narrative, so a restart loses none. A turn's result begins with how it ended, which makes it the lesson of that run, too. The
 * words of a run that has read untrusted text may be a stranger's: of it a turn tells only what code wrote and which tools ran, and
 * who works reads them by the tool `memory_recall`, unless a person has endorsed the run. What was refused is no turn: its words would
 * be a stranger's foot in the door, and a model that reads of refusals learns to refuse.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { mayRead, OWNER } from '../../gate/provenance/label.ts';
import { wordsOfRun, type RememberedRun } from '../../parts/narrative/narrative.ts';
import type { RunSpec } from '../event.ts';
import { oneLine, safeName } from '../../request/lines.ts';
import { clipped, TURN_CHARACTERS } from '../../assemble/sections.ts';

/** Source: artoo A.16. */
export const SESSION_TURNS_MAX = 5;

/** Most lines about the user: as many as a person would keep in mind. */
const USER_LINES_MAX = 8;

type Session = NonNullable<RunSpec['session']>;
type Turn = Session['turns'][number];

const LEFT_OUT = 'its words are left out, since it had read untrusted text';

const WORDS_OF_OTHERS = 'words that the agent had read from others: they are left out';

/** Names of tools in a turn. */
const TOOLS_MAX = 6;

/**
 * @param runs       of one conversation, oldest first
 * @param user       the answers of memory about the user
 * @param principal  whom the run is for: a turn that it may not read is none
 */
export function assembleSession(
  runs: readonly RememberedRun[],
  user: readonly MemoryAnswer[],
  principal = OWNER,
): Session {
  const known = user
    .flatMap(({ rules, recent }) => [...rules, ...recent])
    .flatMap(({ content, isWordless }) => (isWordless === true ? [] : [oneLine(content)]));
  return {
    turns: runs
      .filter((run) => run.outcome !== 'Refused' && isReadable(run, principal))
      .slice(-SESSION_TURNS_MAX)
      .map(turnOf),
    user: known.slice(0, USER_LINES_MAX).map((it) => clipped(it, TURN_CHARACTERS)),
  };
}

function isReadable(run: RememberedRun, principal: string): boolean {
  if (principal === OWNER) return true;
  return [run.label, wordsOfRun(run)?.label].every((label) => label === undefined || mayRead(label.readers, principal));
}

function turnOf(run: RememberedRun): Turn {
  const { outcome, telemetry } = run;
  const isOthers = run.askedBy === 'Others' && run.label.trust === 'Untrusted';
  const input = isOthers ? WORDS_OF_OTHERS : clipped(run.intent, TURN_CHARACTERS);
  const turn = (words: string): Turn => ({ input, summary: clipped(`${outcome}: ${words}`, TURN_CHARACTERS) });
  const said = wordsOfRun(run);
  if (said === undefined) return { input, summary: outcome };
  const text = withoutOutcome(said.text, outcome);
  if (said.label.trust === 'Trusted') return text === '' ? { input, summary: outcome } : turn(text);
  // A tool that never ran may be a model's invention, and where nothing was counted nobody knows.
  const ran = (telemetry?.calls ?? []).filter((it) => it.ran > 0);
  const used = ran.slice(0, TOOLS_MAX).map(({ tool }) => safeName(tool));
  return turn(`${LEFT_OUT}${used.length === 0 ? '' : `; it used ${used.join(' ')}`}`);
}

/** The reason of an end begins with the outcome. */
function withoutOutcome(text: string, outcome: string): string {
  return text.startsWith(`${outcome}: `) ? text.slice(outcome.length + 2) : text;
}
