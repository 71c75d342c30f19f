/** The id of a mail of ours. */
import { sha256Hex } from '@retainer/contract/std/hash';

/** Hexadecimal digits: two mails of one agent collide once in 10^24. */
const MAIL_ID_DIGITS = 20;

/** @param purpose  what it is sent for, a delivery or a call: the same purpose makes the same mail */
export const mailIdFor = (purpose: string): string => `o-${sha256Hex(purpose).slice(0, MAIL_ID_DIGITS)}`;
