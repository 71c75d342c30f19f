/** Whom the Archivist of an Agent asks. */
import type { Agent } from '@retainer/contract/api/agent';
import { defaultTier } from '@retainer/contract/api/roles';
import { askedModels, roleModel, type Surroundings } from '../run/admit/role-model.ts';
import type { ArchivistModel } from './event.ts';

/** The Agent's override for the role has precedence over its tier. */
export function archivistModel({ spec: { models } }: Agent, surroundings: Surroundings): ArchivistModel {
  const model = roleModel(models, 'Archivist', defaultTier('Archivist'));
  const { outputTokens } = model;
  return {
    ...askedModels(models, model, surroundings),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    structuredRetries: models.structuredRetries,
  };
}
