/** What a person may change in memory, as data. Nothing is deleted: each change is a record with who and why. */
import { z } from 'zod';
import { CURATIONS } from './cases.ts';
import { importedFields } from './imported-entry.ts';
import { lessonFields } from './lesson.ts';
import { FactKey, MAX_KEY_CHARACTERS, MAX_VALUE_CHARACTERS } from './fact-key.ts';

/** Megrams of one word: as many as a person would list. */
const IDS_MAX = 64;

const id = z.string().min(1);

export const MemoryChange = z.discriminatedUnion('what', [
  z.object({ what: z.literal('Remember'), key: FactKey, value: z.string().min(1).max(MAX_VALUE_CHARACTERS) }),
  z.object({ what: z.literal('Teach'), ...lessonFields }),
  z.object({ what: z.literal('ForgetFact'), key: z.string().min(1).max(MAX_KEY_CHARACTERS) }),
  z.object({ what: z.literal('ForgetMegrams'), ids: z.array(id).min(1).max(IDS_MAX) }),
  z.object({ what: z.literal('ForgetRun'), runId: id }),
  /** Its words are believed as those of the person. */
  z.object({ what: z.literal('EndorseMegrams'), ids: z.array(id).min(1).max(IDS_MAX) }),
  z.object({ what: z.literal('EndorseRun'), runId: id }),
  /** Untrusted, whoever takes it over: a person endorses what they have read. */
  z.object({ what: z.literal('ImportRun'), ...importedFields }),
  z.object({ what: z.literal('CurateCase'), caseId: id, how: z.enum(CURATIONS) }),
]);
export type MemoryChange = z.infer<typeof MemoryChange>;
