/**
 * The agent's own note that a refusal of a gate looks wrong. The recorded call of its tool is the note: there is no other record of it.
 *
 * I1  It loosens nothing: no gate, threshold, observer or ledger reads it. A person's report does; this one is for people to look at.
 *
 * Source: springdrift 7 (report_false_positive of the Observer). Differs: there it counts as a person's annotation does, so a model
 * that was taken over could take the alarms from its own refusals.
 */
import { z } from 'zod';
import { gateNames } from '../verdict.ts';

export const REPORT_TOOL = 'report_false_positive';

/** A sentence or two: the note is read by people. */
const REASON_CHARACTERS_MAX = 500;
const NAME_CHARACTERS_MAX = 256;

const name = z.string().min(1).max(NAME_CHARACTERS_MAX);

/** What the tool takes. */
export const FalsePositiveNote = z.strictObject({
  cycle: name.describe('Id of the refused cycle.'),
  gate: z.enum(gateNames).describe('Which one refused.'),
  rule: name.describe('As inspect_cycle shows it.'),
  reason: z.string().min(1).max(REASON_CHARACTERS_MAX).describe('Why it looks wrong.'),
});
export type FalsePositiveNote = z.infer<typeof FalsePositiveNote>;
