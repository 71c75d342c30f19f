// Violates no-restricted-imports: projections read records as types; they cannot open the journal.
import { openJournal } from '../journal/open-journal.ts';

export const open = (): unknown => openJournal;
