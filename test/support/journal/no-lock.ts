/** For a journal of one process, where nobody else can be. */
import type { LockPort } from '@retainer/journal/lock';

export const noLock: LockPort = { acquire: () => Promise.resolve({ release: () => Promise.resolve() }) };
