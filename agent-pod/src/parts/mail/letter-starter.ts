/**
 * Begins what admitted and released letters set off: a run, an answer to a question, a decision on a call.
 *
 * I1  Each is accepted by the inbox under an origin made of the letter, so it begins once, also after a crash.
 * I2  No more runs are at work than there is room for: the other letters wait in the record, in their order. Answers and decisions never
 *     wait, since a run may wait for them.
 */
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../../ports/component.ts';
import type { MailRunsPort } from '../../ports/mail.ts';
import type { PartsPort } from '../../ports/tool.ts';
import { whileWorking } from '../jobs/while-working.ts';

/** While letters wait for room: no record of mail tells of each run that makes some. */
const ROOM_LOOK_MS = 1_000;

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
        const isWaiting = await beginAll(parts.known().mail, runs);
        if (isWaiting) await clock.sleep(ROOM_LOOK_MS, signal);
        else await runs.changed(signal);
      }),
  };
}

/** @returns whether a letter waits for room */
async function beginAll({ letters }: MailState, runs: MailRunsPort): Promise<boolean> {
  let [room, isWaiting] = [runs.room(), false];
  for (const letter of letters.values()) {
    const isRun = letter.status === 'Released' || (letter.status === 'Admitted' && letter.as?.kind === 'Run');
    if ((letter.status !== 'Admitted' && !isRun) || runs.isBegun(letter)) continue;
    if (isRun && room <= 0) isWaiting = true;
    else {
      await runs.begin(letter);
      if (isRun) room -= 1;
    }
  }
  return isWaiting;
}
