/** The controller of CharacterSpecs. It makes no objects, and reports whether agents can run under a character. */
import { keyOf, keyText, parseKey, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { agentIndexes } from '../observe/observe-agent-indexes.ts';
import { parseCharacter } from '../observe/observe-kinds.ts';
import { resources } from '@retainer/kube/resources';
import { characterStatus } from '../status/character/character-status.ts';
import { DONE } from './agent-outcome.ts';
import { CoarseCounts } from './coarse-counts.ts';
import type { Controller, PassParts } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { refuseSpec, writeStatus } from './write-status.ts';

const CONCURRENCY = 4;

type CharacterParts = Omit<PassParts, 'client'>;

export function characterController(parts: CharacterParts): Controller {
  const counts = new CoarseCounts<number>(parts.clock);
  return {
    name: 'characterspec',
    concurrency: CONCURRENCY,
    watches: [
      { resource: resources.characterSpecs, roots: (character) => [keyOf(character)] },
      { resource: resources.agents, indexes: agentIndexes, roots: characterOfAgent },
    ],
    reconcile: (key, signal) => reconcileCharacter(parts, counts, key, signal),
  };
}

function characterOfAgent(agent: KubeObject): readonly ObjectKey[] {
  return agentIndexes.agentsByCharacter(agent).map(parseKey);
}

async function reconcileCharacter(
  { caches, applier }: CharacterParts,
  counts: CoarseCounts<number>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const resource = resources.characterSpecs;
  const root = caches.of(resource).get(key);
  if (root === undefined) {
    counts.forget(keyText(key));
    return { type: 'Gone' };
  }
  const parsed = parseCharacter(root);
  if (parsed.type !== 'Found') return refuseSpec(applier, { resource, root, parsed }, signal);
  const stored = (root['status'] as { readonly inUseBy?: number } | undefined)?.inUseBy;
  const agents = caches.of(resources.agents).byIndex('agentsByCharacter', keyText(key)).length;
  const inUse = counts.choose(keyText(key), agents, stored);
  const status = characterStatus(root.metadata.generation, parsed.value, inUse.counts);
  await writeStatus(applier, { resource, root, ...status }, signal);
  if (inUse.dueAfterMs !== undefined) return { type: 'Wait', reason: 'counts are due', afterMs: inUse.dueAfterMs };
  const [ready] = status.conditions;
  if (ready?.status !== 'False') return DONE;
  return { type: 'Stalled', reason: ready.reason, message: ready.message };
}
