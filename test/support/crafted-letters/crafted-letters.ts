/** All crafted letters: row 29 of the goals. The unit test reads each; the agent as a whole is sent the same. */
import type { CraftedLetter } from './crafted-letter.ts';
import { headerLetters } from './header-letters.ts';
import { mimeLetters } from './mime-letters.ts';
import { resultsLetters } from './results-letters.ts';
import { senderLetters } from './sender-letters.ts';
import { signatureLetters } from './signature-letters.ts';
import { textLetters } from './text-letters.ts';

export async function craftedLetters(): Promise<readonly CraftedLetter[]> {
  return [
    ...resultsLetters(),
    ...senderLetters(),
    ...(await signatureLetters()),
    ...headerLetters(),
    ...mimeLetters(),
    ...textLetters(),
  ];
}
