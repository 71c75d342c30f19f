/** Limits on the cost of screening any text. Every loop of this folder is linear in the text and ends at one of these limits. */

/** Characters of a text that are read: a whole novel. The rest is reported as a finding, never ignored. */
export const SCREENED_CHARACTERS_MAX = 512 * 1024;

/** Levels of nested encodings that are decoded. Two occur in practice; the third is margin. */
export const DECODE_DEPTH_MAX = 3;

/** Encoded parts of one text that are decoded; a larger number is itself a finding. */
export const DECODED_PARTS_MAX = 64;

/** Total characters of all decoded parts of one text: as many as a person could have hidden on purpose. */
export const DECODED_CHARACTERS_MAX = 256 * 1024;

/** Reported findings of one text. A person reads a handful; the alarm counts all of them. */
export const FINDINGS_MAX = 32;

/** Combining marks of one character that are read. No living language uses more than four. */
export const MARKS_MAX = 8;

/** Letters of one word that is searched for several fused words, as in `ignoreallinstructions`. */
export const FUSED_LETTERS_MAX = 120;

/** Pieces of a word, cut by invisible characters, that are tried as one word; the longest listed word has 18 letters. */
export const JOINED_PIECES_MAX = 20;
