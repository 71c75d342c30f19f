import type { Json } from '@retainer/contract/std/canonical-json';
import { upcast } from '@retainer/journal/stores';
import { agentStores } from '../loop/stores.ts';

interface OlderRecord {
  readonly store: string;
  readonly kind: string;
  /** Of the form in which it was written. */
  readonly version: number;
  readonly payload: unknown;
}

/** The payload in today's form, of a record that was read without the journal's reader. */
export function asToday({ store, kind, version, payload }: OlderRecord): unknown {
  const definition = agentStores.find(({ name }) => name === store);
  return definition === undefined ? payload : upcast(definition, { kind, version }, payload as Json);
}
