/** What a result lists of the files that a script changed. */

/** Files with their digests: 200 KB. */
export const LISTED_FILES_MAX = 1000;
export const LISTED_REFUSALS_MAX = 20;
