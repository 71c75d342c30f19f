import type { Json } from '@retainer/contract/std/canonical-json';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { upcast, type StoreDefinition } from '@retainer/journal/stores';

const stores: readonly StoreDefinition[] = agentStores;

/** A payload as a reader of the journal has it. @param version  that wrote it */
export function readOlder(kind: string, version: number, payload: Json): Json {
  const store = stores.find(({ kinds }) => Object.hasOwn(kinds, kind));
  if (store === undefined) throw new Error(`no store has records of kind ${kind}`);
  return upcast(store, { kind, version }, payload);
}
