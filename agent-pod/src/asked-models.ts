/** What the models of an Agent cost and take, and whom its Archivist asks. */
import type { Agent } from '@retainer/contract/api/agent';
import { archivistModel } from '@retainer/mind/archive/archivist-model';
import type { Surroundings } from '@retainer/mind/run/admit/role-model';
import { mostPerToken } from './infer/price.ts';
import { settingsOf } from './loop/agent-settings.ts';
import type { ArchivistSettings } from './loop/archive-driver.ts';
import type { ModelPort } from './ports/ports.ts';

/** Longest wait of the Archivist for one answer: it writes some 1,000 tokens, and other runs wait behind it. */
const ARCHIVIST_TIMEOUT_MS = 120_000;

export function archivistOf(agent: Agent, model: Pick<ModelPort, 'name'>): ArchivistSettings {
  const { requestTimeoutMs } = settingsOf(agent);
  return {
    model: archivistModel(agent, surroundingsOf(agent, model)),
    timeoutMs: Math.min(requestTimeoutMs, ARCHIVIST_TIMEOUT_MS),
  };
}

export function surroundingsOf({ spec }: Agent, { name }: Pick<ModelPort, 'name'>): Required<Surroundings> {
  return {
    provider: name === 'scripted' ? 'Scripted' : 'Anthropic',
    priceOf: (model) => mostPerToken(model, spec.models.prices),
  };
}
