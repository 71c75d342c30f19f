import { it } from 'vitest';
import { requirements } from './requirements.ts';

/** A test that proves the requirement `id`. Unknown ids fail. */
export function verifies(id: string, name: string, test: () => void | Promise<void>, timeoutMs?: number): void {
  if (!(id in requirements)) throw new Error(`unknown requirement ${id}: add it below test/requirements/`);
  it(`${id}: ${name}`, test, timeoutMs);
}
