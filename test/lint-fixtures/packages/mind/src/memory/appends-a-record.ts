// Violates no-restricted-imports: projections read records as types; they cannot open the journal.
import { openJournal } from '@retainer/journal/open-journal';

export const open = (): unknown => openJournal;
