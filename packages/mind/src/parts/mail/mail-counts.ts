/** How the mail of an agent stands, for the agent itself and for whoever looks. Figures only: no address and no word of a letter. */
import type { KeptLetter } from './kept-mail.ts';
import type { MailState } from './mail-state.ts';

export interface MailCounts {
  /** Letters that begin a run which has not begun. */
  readonly unread: number;
  /** Letters that wait for a person. */
  readonly held: number;
  /** Letters that began a run, or are to begin one, and that no mail answers yet. */
  readonly unanswered: number;
}

/** @param begun  ids of runs that have begun. @returns undefined where no mailbox was ever read */
export function mailCounts(
  { mailboxes, letters }: Pick<MailState, 'mailboxes' | 'letters'>,
  begun: ReadonlySet<string>,
): MailCounts | undefined {
  if (mailboxes.size === 0) return undefined;
  const counts = { unread: 0, held: 0, unanswered: 0 };
  for (const letter of letters.values()) {
    if (letter.status === 'Held') counts.held += 1;
    const runId = runIdOf(letter);
    if (runId === undefined) continue;
    if (!begun.has(runId)) counts.unread += 1;
    if (!letter.isAnswered) counts.unanswered += 1;
  }
  return counts;
}

/** The run that a letter begins of its own. */
function runIdOf({ as, release }: KeptLetter): string | undefined {
  return release?.runId ?? (as?.kind === 'Run' ? as.runId : undefined);
}
