import { z } from 'zod';

export const MAX_KEY_CHARACTERS = 128;

/** Characters. A longer text belongs in a file of the workspace. */
export const MAX_VALUE_CHARACTERS = 4096;

/** Key of a fact: readable, sortable, with one spelling. */
export const FactKey = z
  .string()
  .min(1)
  .max(MAX_KEY_CHARACTERS)
  .regex(/^[a-z0-9]+([._/-][a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single . / - or _');
