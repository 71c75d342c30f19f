/**
 * The tools of the catalog, and those that tests make up. Of the latter all is declared that a rule asks for, so that a test sees
 * the rule and not the worst case.
 */
import { knowTools, type DeclaredFacts, type KnownTools } from '@retainer/mind/gate/tool-facts';
import type { EffectClass } from '@retainer/mind/gate/verdict';
import { knownTools } from '../../agent-pod/src/parts/catalog.ts';

function plain(name: string, effectClass: EffectClass): DeclaredFacts {
  const plainFacts = { runsCode: false, writes: 'Path', showsPeople: false, actsLater: false } as const;
  return { name, effectClass, reachesOutside: effectClass >= 2, ...plainFacts };
}

export const testTools: KnownTools = knowTools([
  ...knownTools.all,
  plain('look', 0),
  plain('change', 1),
  plain('send', 3),
  { ...plain('send_mail', 3), arguments: { to: 'Destination', text: 'Content' } },
]);
