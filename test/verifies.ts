import { it } from 'vitest';
import { requirements } from './requirements.ts';

/** A test that proves the requirement `id`. Unknown ids fail; known failures run as expected failures. */
export function verifies(id: string, name: string, test: () => void | Promise<void>, timeoutMs?: number): void {
  const requirement = requirements[id];
  if (requirement === undefined) throw new Error(`unknown requirement ${id}: add it below test/requirements/`);
  const run = requirement.knownFailure === undefined ? it : it.fails;
  run(`${id}: ${name}`, test, timeoutMs);
}
