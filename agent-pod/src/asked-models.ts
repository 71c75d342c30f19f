/** What the models of an Agent cost and take, and whom its Archivist asks. */
import type { Agent } from '@retainer/contract/api/agent';
import { archivistModel } from '@retainer/mind/archive/archivist-model';
import type { Surroundings } from '@retainer/mind/run/admit/role-model';
import { mostPerToken } from './infer/price.ts';
import { settingsOf } from './loop/agent-settings.ts';
import type { ArchivistSettings } from './loop/archive-driver.ts';
import type { ModelPort } from './ports/ports.ts';

/**
 * Wait of the Archivist for one answer, if the run has not shown how slow its model is: it writes some 1,000 tokens, and other runs wait
 * behind it.
 */
const ARCHIVIST_WAIT_MS = 120_000;

export function archivistOf(agent: Agent, model: Pick<ModelPort, 'name'>): ArchivistSettings {
  const { requestTimeoutMs: mostMs } = settingsOf(agent);
  return {
    model: archivistModel(agent, surroundingsOf(agent, model)),
    wait: { firstMs: Math.min(mostMs, ARCHIVIST_WAIT_MS), mostMs },
  };
}

export function surroundingsOf({ spec }: Agent, { name }: Pick<ModelPort, 'name'>): Required<Surroundings> {
  return {
    provider: name === 'scripted' ? 'Scripted' : 'Anthropic',
    priceOf: (model) => mostPerToken(model, spec.models.prices),
  };
}
