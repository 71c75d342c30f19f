/** Finds the letter or the mail that a person typed, by its id or the beginning of one. Pure. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { RecordedMail } from '@retainer/agent-pod/review/mail-records';
import { listedIds } from './listed-ids.ts';

/** @returns an id of a letter (`m-…`) or of a mail (`o-…`) */
export function findMailId({ letters, mails }: RecordedMail, typed: string): Result<string, string> {
  const ids = [...letters.map(({ letterId }) => letterId), ...mails.map(({ mail }) => mail.mailId)];
  return findId(ids, typed, 'letter or mail');
}

/** @returns an id of a letter */
export function findLetterId({ letters }: Pick<RecordedMail, 'letters'>, typed: string): Result<string, string> {
  return findId(
    letters.map(({ letterId }) => letterId),
    typed,
    'letter',
  );
}

/** An id in full is taken as it is: the record may have a letter that is too old to be listed. */
function findId(ids: readonly string[], typed: string, what: string): Result<string, string> {
  if (WHOLE.test(typed)) return ok(typed);
  const candidates = ids.filter((id) => id.startsWith(typed));
  const [only] = candidates;
  if (only === undefined) return err(`no ${what} ${JSON.stringify(typed)}; the newest: ${listedIds(ids.toReversed())}`);
  if (candidates.length > 1)
    return err(`${JSON.stringify(typed)} is the beginning of several ids: ${listedIds(candidates)}`);
  return ok(only);
}

const WHOLE = /^[mo]-[0-9a-f]{20}$/;
