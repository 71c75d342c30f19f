import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a test began may still write its last file, in between two looks of the removal. */
export const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const;

/** A directory for several tests; `remove` takes it away. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'retainer-test-'));
  return { path, remove: () => rm(path, REMOVAL) };
}
