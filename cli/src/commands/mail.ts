/** `retainer mail`: letters to an agent, its mails, and a person's word about a letter that waits. */
import {
  letterStory,
  mailIn,
  type LetterStory,
  type RecordedLetter,
  type RecordedMail,
} from '@retainer/agent-pod/review/mail-records';
import { heldRows, letterRows, mailRows, mailTable, marked, textLines } from '@retainer/agent-pod/review/mail-rows';
import { alignedRows, renderPlural } from '@retainer/mind/explain/figures';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import { askRecord, type AskedRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { findLetterId, findMailId } from '../find-letter.ts';
import { leaveWord } from '../leave-word.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { typedCommand } from '../typed-command.ts';

export interface MailFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export interface MailListFlags extends MailFlags {
  readonly limit: number;
}

export interface MailReleaseFlags extends MailFlags {
  readonly reason: string;
}

export function listCommand(flags: MailListFlags): Promise<number> {
  const command = { words: ['mail', 'list', `--limit=${flags.limit}`] };
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    const mail = await mailIn(reader);
    output.data(mail);
    const count = mail.letters.length + mail.mails.length;
    if (count > 0) for (const row of alignedRows(mailTable(mail, flags.limit), '  ')) output.line(row);
    output.line(countsText(mail, flags.limit), 'Quiet');
    if (count > 0) output.line(`look at one with: ${typedCommand('mail show ID', directory)}`, 'Quiet');
    return exitCodes.done;
  });
}

function countsText({ letters, mails }: RecordedMail, limit: number): string {
  const held = letters.filter(isHeld).length;
  const all = letters.length + mails.length;
  return [
    `${renderPlural(letters.length, 'letter')}, ${renderPlural(mails.length, 'mail')}`,
    ...(held === 0 ? [] : [`${held} held`]),
    ...(all > limit ? [`the newest ${limit} are shown; more with --limit`] : []),
  ].join('; ');
}

const isHeld = ({ status }: RecordedLetter): boolean => status === 'Held';

export function showCommand(id: string, flags: MailFlags): Promise<number> {
  return askRecord(flags, { words: ['mail', 'show'], arguments: [id] }, async ({ output, directory, reader }) => {
    const recorded = await mailIn(reader);
    const found = findMailId(recorded, id);
    if (!found.ok) return refuse(output, found.error);
    const mail = recorded.mails.find((it) => it.mail.mailId === found.value);
    if (mail !== undefined) return tellMail(output, mail);
    const story = await letterStory(reader, found.value);
    if (story === undefined) return refuse(output, `no letter or mail ${found.value} in the record`);
    output.data(story);
    tellLetter(output, story, directory);
    return exitCodes.done;
  });
}

function tellLetter(output: Output, story: LetterStory, directory: string): void {
  output.line(story.letterId);
  for (const row of alignedRows(letterRows(story), '  ')) output.line(`  ${row}`);
  output.line('');
  for (const line of textLines(story.texts)) output.line(line);
  output.line('');
  if (isHeld(story))
    output.line(
      `let it begin a run: ${typedCommand(`mail release ${story.letterId} --reason TEXT`, directory)}`,
      'Quiet',
    );
  if (story.runId !== undefined) output.line(`its run: ${typedCommand(`explain ${story.runId}`, directory)}`, 'Quiet');
}

function tellMail(output: Output, mail: KeptOutgoing): number {
  output.data(mail);
  output.line(mail.mail.mailId);
  for (const row of alignedRows(mailRows(mail), '  ')) output.line(`  ${row}`);
  output.line('');
  for (const line of marked(mail.mail.text)) output.line(line);
  return exitCodes.done;
}

export function heldCommand(flags: MailFlags): Promise<number> {
  return askRecord(flags, { words: ['mail', 'held'] }, async ({ output, directory, reader }) => {
    const held = (await mailIn(reader)).letters.filter(isHeld);
    output.data(held);
    for (const letter of held) {
      output.line(letter.letterId);
      for (const row of alignedRows(heldRows(letter), '  ')) output.line(`  ${row}`);
    }
    output.line(held.length === 0 ? 'no letter waits' : `${renderPlural(held.length, 'letter')} held`, 'Quiet');
    if (held.length === 0) return exitCodes.done;
    output.line(`read one with: ${typedCommand('mail show ID', directory)}`, 'Quiet');
    output.line(`let one begin a run with: ${typedCommand('mail release ID --reason TEXT', directory)}`, 'Quiet');
    return exitCodes.done;
  });
}

/** Leaves a person's word for the agent, if the record lets it mean something. */
export function releaseCommand(id: string, flags: MailReleaseFlags): Promise<number> {
  const { reason } = flags;
  const command = { words: ['mail', 'release', `--reason=${reason}`], arguments: [id], tells: true } as const;
  return askRecord(flags, command, (asked) => release(id, reason, asked));
}

async function release(id: string, reason: string, { output, directory, reader }: AskedRecord): Promise<number> {
  if (reason.trim() === '') return refuse(output, '--reason must say why: it is recorded');
  const found = findLetterId(await mailIn(reader), id);
  if (!found.ok) return refuse(output, found.error);
  const letterId = found.value;
  const letter = await letterStory(reader, letterId);
  if (letter === undefined) return refuse(output, `no letter ${letterId} in the record`);
  const why = refusalOf(letter);
  if (why !== undefined) return refuse(output, `${letterId} ${why}`);
  output.data(await leaveWord(directory, { type: 'ReleaseMail', letterId, reason }));
  output.line(
    `${letterId} will begin a run; its words stay those of a stranger; the agent reads this when it runs`,
    'Good',
  );
  return exitCodes.done;
}

/** Ends the sentence why not. Undefined: it may be released. */
function refusalOf({ status, rule, release: by, runId }: LetterStory): string | undefined {
  const run = runId === undefined ? '' : ` (run ${runId})`;
  switch (status) {
    case 'Held':
      return undefined;
    case 'Released':
      return `was released${by?.by === undefined ? '' : ` by ${by.by}`}${run}`;
    case 'Admitted':
      return `was not held: its sender is known${run}`;
    case 'Dropped':
      return `was dropped by ${String(rule)}: nobody answers such letters, so it cannot be released`;
  }
}
