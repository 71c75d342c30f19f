import { GATE_RULES_VERSION } from '@retainer/mind/gate/rules-version';
import type { Place } from '@retainer/mind/assemble/curator/view';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { randomUUID } from 'node:crypto';
import type { Journal } from '@retainer/journal/journal';

interface Started {
  readonly definition: { readonly character: unknown; readonly agent: unknown; readonly skills: unknown };
  readonly model: { readonly name: string };
}

/** Records the configuration and, once in its life, the name of the individual. @param life  what its record has. @returns it, named */
export async function recordStart<Life extends { readonly individual: string | undefined }>(
  journal: Journal,
  life: Life,
  { definition, model }: Started,
  found: { readonly characterDigest: string; readonly languages: readonly string[]; readonly place: Place },
): Promise<Life & { readonly individual: string }> {
  const individual = life.individual ?? randomUUID();
  const payload = {
    characterDigest: found.characterDigest,
    character: definition.character,
    agent: definition.agent,
    skills: definition.skills,
    sandboxLanguages: found.languages,
    place: found.place,
    gateRules: GATE_RULES_VERSION,
    deciders: DECIDERS,
    model: model.name,
  };
  const start = { store: 'agent', principal: 'operator' } as const;
  await journal.append([
    ...(life.individual === undefined ? [{ ...start, kind: 'IndividualNamed', payload: { individual } }] : []),
    { ...start, kind: 'Configured', payload: JSON.parse(JSON.stringify(payload)) },
  ]);
  return { ...life, individual };
}
