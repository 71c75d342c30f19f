/** The run that a letter begins. */

/** The same letter begins the same run, however often it comes. @param letterId  `m-` and hexadecimal digits */
export function runIdOfLetter(letterId: string): string {
  return `mail-${letterId.replace(/^m-/, '')}`;
}
