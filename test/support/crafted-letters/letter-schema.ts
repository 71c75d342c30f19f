/** A letter as the record takes it. */
import { LetterHead, LetterTexts } from '@retainer/mind/parts/mail/letter';

export const Letter = LetterTexts.extend({ head: LetterHead });
