/**
 * The fields of a job as a model gives them. They are read twice: here by shape and a generous length, and by `read-job.ts`, whose one
 * sentence says what is wrong.
 */
import type { ArgumentRole } from '@retainer/mind/gate/tool-facts';
import { JOB_LIST_MAX, JOB_TAG_CHARACTERS, JOB_WORDS_MAX } from '@retainer/mind/parts/jobs/job';
import { z } from 'zod';

/** Characters of a field that is read as a moment, a span, a cron text or a zone: the longest cron text. */
const FIELD_CHARACTERS_MAX = 128;
/** Characters of a name, or of the pattern of a tool. What is longer is none, and fills the record. */
const NAME_CHARACTERS_MAX = 256;
/** What is up to so many times too long is read, so that its fault is told. */
const READ_BEYOND = 2;

const text = z.string().max(FIELD_CHARACTERS_MAX);

export const words = z.string().max(JOB_WORDS_MAX * READ_BEYOND);
export const name = z
  .string()
  .max(NAME_CHARACTERS_MAX)
  .optional()
  .describe('As weekly-report; made of the words if absent.');
export const at = text.optional().describe('The moment: 2030-01-31T08:00 in the time zone, or with an offset.');
export const inSoLong = text.optional().describe('In place of at: so long from now, as 2m or 1h30m.');
export const timeZone = text.optional().describe("As Europe/Berlin; the agent's own if absent.");
export const forWhom = z.enum(['Person', 'Agent']);
export const duration = text.describe('As 45m.');
export const tags = z
  .array(z.string().max(JOB_TAG_CHARACTERS * READ_BEYOND))
  .max(JOB_LIST_MAX * READ_BEYOND)
  .optional()
  .describe('Words by which it is found again.');

export const recurring = {
  cron: text.optional().describe('Recurring: minute, hour, day, month, day of week, as "0 8 * * 1-5".'),
  until: text.optional().describe('Recurring: no moment after this one.'),
  runsMax: z.number().optional().describe('Recurring: this many times at most.'),
  catchUp: z.enum(['Skip', 'Once', 'All']).optional().describe('What becomes of missed moments: Once if absent.'),
  requiredTools: z
    .array(z.string().max(NAME_CHARACTERS_MAX))
    .max(JOB_LIST_MAX * READ_BEYOND)
    .optional()
    .describe('Tools that each run has to call with success.'),
  onlyIfChanged: z.boolean().optional().describe('Deliver only what differs from the last result.'),
};

/** Whatever says what happens, and when, chooses something; a name chooses nothing. */
export const JOB_ROLES = {
  ...{ kind: 'Target', for: 'Target', words: 'Target', at: 'Target', in: 'Target', timeZone: 'Target' },
  ...{ duration: 'Target', cron: 'Target', until: 'Target', runsMax: 'Target', catchUp: 'Target' },
  ...{ requiredTools: 'Target', onlyIfChanged: 'Target', name: 'Name', tags: 'Name' },
} as const satisfies Readonly<Record<string, ArgumentRole>>;

type Roles<Key extends string> = Readonly<Record<Key, ArgumentRole>>;

export function rolesOf<Key extends keyof typeof JOB_ROLES>(...keys: readonly Key[]): Roles<Key> {
  return Object.fromEntries(keys.map((key) => [key, JOB_ROLES[key]])) as unknown as Roles<Key>;
}
