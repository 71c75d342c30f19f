import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { Json } from '@retainer/contract/std/canonical-json';
import { runSpec } from '../../../../test/support/runs.ts';
import { allowedModels } from './allowed-models.ts';

const place = { version: 1, seq: 0, order: 0, epoch: 1, timeMs: 0, prev: '', hash: '' };

function recordOf(store: string, kind: string, payload: unknown): JournalRecord {
  return { store, kind, principal: 'agent', payload: payload as Json, runId: 'r', ...place };
}

const asked = (model: string): { readonly tier: 'Fast'; readonly model: string } => ({ tier: 'Fast', model });

describe('the models that an Agent may ask', () => {
  it('are those of roles, workers and gates, for simple work and in place of another', () => {
    const spec = runSpec();
    const { Executor, ...roles } = spec.roles;
    const worker = { ...Executor, model: 'coder', name: 'Coder', purpose: 'Codes.' };
    const gates = { scorer: { ...asked('scorer'), fallback: asked('spare') }, canary: asked('canary') };
    const admitted = {
      ...spec,
      roles: { ...roles, Executor: { ...Executor, model: 'big', light: asked('small'), fallback: asked('other') } },
      workers: [worker],
      gates: { ...gates, reader: asked('reader'), timeoutMs: 1 },
    };
    const models = new Set(allowedModels(recordOf('run', 'RunAdmitted', { spec: admitted })));
    const others = Object.values(roles).map(({ model }) => model);
    const own = ['big', 'small', 'other', 'coder', 'scorer', 'spare', 'canary', 'reader'];
    expect(models).toEqual(new Set([...others, ...own]));
  });

  it("are the Archivist's, where one is asked, and in no other record", () => {
    const model = { ...asked('writer'), fallback: asked('spare') };
    expect(allowedModels(recordOf('archive', 'ArchiveOpened', { model }))).toEqual(['writer', 'spare']);
    expect(allowedModels(recordOf('archive', 'ArchiveOpened', {}))).toEqual([]);
    expect(allowedModels(recordOf('cycle', 'CycleStarted', { spec: asked('big') }))).toEqual([]);
  });
});
