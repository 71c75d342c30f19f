// Violates typescript(no-floating-promises): a rejection would be lost.
import { writeFile } from 'node:fs/promises';

export function save(path: string): void {
  writeFile(path, 'text');
}
