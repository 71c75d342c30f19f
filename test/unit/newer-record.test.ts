/** An older program meets the record of a newer one. */
import { join } from 'node:path';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { systemClock } from '@retainer/contract/std/system-clock';
import { openJournal } from '@retainer/journal/open-journal';
import { expect } from 'vitest';
import { z } from 'zod';
import { agentDefinition, inTemporaryDirectory, scripted } from '../support/agents.ts';
import { unavailableSandbox } from '../support/unavailable-sandbox.ts';
import { verifies } from '../verifies.ts';

const script = 'version: 1\nrules:\n  - name: nothing is asked\n    when: {role: executor}\n    answer: {text: done}\n';

/** Of a store that a start reads as a whole. */
const retracted = { store: 'fact', kind: 'FactRetracted', principal: 'agent', payload: { key: 'k' } };

async function start(dataDirectory: string): ReturnType<typeof openAgent> {
  const model = await scripted(script);
  const onFault = (error: unknown): never => {
    throw error;
  };
  return openAgent({
    definition: agentDefinition(),
    dataDirectory,
    model,
    secrets: [],
    sandbox: unavailableSandbox,
    onFault,
  });
}

/** As a version would that has one kind more. */
async function workAsNewer(dataDirectory: string): Promise<void> {
  const stores = agentStores.map((store) =>
    store.name === retracted.store
      ? { ...store, kinds: { ...store.kinds, [retracted.kind]: { schema: z.json(), version: 1 } } }
      : store,
  );
  const directory = join(dataDirectory, 'journal');
  const journal = await openJournal({ directory, stores, agentUid: 'default/ada', clock: systemClock });
  await journal.append([retracted]);
  await journal.close();
}

verifies('journal:refuses-newer', 'an agent does not start on it, and says what to start instead', async () => {
  await inTemporaryDirectory(async (dataDirectory) => {
    const first = await start(dataDirectory);
    expect(first.ok).toBe(true);
    if (first.ok) await first.value.close();
    await workAsNewer(dataDirectory);
    expect(await start(dataDirectory)).toEqual({
      ok: false,
      error: [
        expect.stringMatching(/fact\/\S+\.jsonl: store fact, sequence 1: kind FactRetracted, .*start that version/),
      ],
    });
  });
});
