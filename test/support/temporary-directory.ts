import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for several tests; `remove` takes it away. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'retainer-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
