/** The spellings of a text that deterministic rules read, so that invisible and look-alike forms do not slip past them. */

/**
 * The text as it is; and where that differs, in Unicode form NFKC with invisible characters deleted and, once more,
 * with each replaced by a space. A rule applies when it matches any of them.
 *
 * Source: springdrift 2.6 (normalisation), 17 D5.
 * Differs: springdrift reads one folded text only, in which rules with digits cannot match and deleted characters glue
 * words together; reading the original as well loses neither. Case folding is left to the rule: `(?i)`.
 */
export function screenedForms(text: string): readonly string[] {
  const folded = text.normalize('NFKC');
  return [...new Set([text, folded.replace(INVISIBLE, ''), folded.replace(INVISIBLE, ' ')])];
}

/** Zero-width, soft hyphen, bidirectional controls, tag characters, variation selectors. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
