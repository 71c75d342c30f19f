/**
 * Begins what admitted and released letters set off: a run, an answer to a question, a decision on a call.
 *
 * I1  Each is accepted by the inbox under an origin made of the letter, so it begins once, also after a crash.
 */
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../../ports/component.ts';
import type { MailRunsPort } from '../../ports/mail.ts';
import type { PartsPort } from '../../ports/tool.ts';
import { whileWorking } from '../jobs/while-working.ts';

export interface LetterStarterParts {
  readonly clock: Clock;
  readonly parts: PartsPort;
  readonly runs: MailRunsPort;
}

export function letterStarter({ clock, parts, runs }: LetterStarterParts): Component {
  return {
    name: 'letter-starter',
    restart: 'Permanent',
    run: (signal) =>
      whileWorking({ clock, jobs: runs, signal }, async () => {
        await beginAll(parts.known().mail, runs);
        await runs.changed(signal);
      }),
  };
}

async function beginAll({ letters }: MailState, runs: MailRunsPort): Promise<void> {
  for (const letter of letters.values()) {
    const isDue = letter.status === 'Admitted' || letter.status === 'Released';
    if (isDue && !runs.isBegun(letter)) await runs.begin(letter);
  }
}
