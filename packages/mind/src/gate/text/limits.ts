/** What screening a text may cost, whoever wrote it. Every loop of this folder is linear in the text and ends at one of these. */

/** Characters of a text that are read: a whole novel. What lies behind is a finding, never passed over. */
export const SCREENED_CHARACTERS_MAX = 512 * 1024;

/** Encodings inside encodings that are undone: two are met in the wild, the third is margin. */
export const DECODE_DEPTH_MAX = 3;

/** Encoded parts of one text that are undone; more of them are themselves a finding. */
export const DECODED_PARTS_MAX = 64;

/** Characters that all decoded parts of one text may have together: as much as a person could have hidden on purpose. */
export const DECODED_CHARACTERS_MAX = 256 * 1024;

/** Findings that are told of one text. A person reads a handful; the alarm counts all of them. */
export const FINDINGS_MAX = 32;

/** Combining marks of one character that are read. No living language stacks more than four. */
export const MARKS_MAX = 8;

/** Letters of one word in which other words are looked for, as in `ignoreallinstructions`. */
export const FUSED_LETTERS_MAX = 120;

/** Pieces of a word cut by invisible characters that are tried as one: the longest word of the lists has 18 letters. */
export const JOINED_PIECES_MAX = 20;
