/** The six examples of `manifests/examples`, for benchmarks that play them with the scripted model. */
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { systemClock } from '@retainer/contract/std/system-clock';
import { loadManifests } from '../cli/src/load-manifests.ts';
import { selectAgent, type Selection } from '../cli/src/select-agent.ts';
import { fail } from './figures.ts';

const EXAMPLES = 'manifests/examples';

/** @param characterFile  manifest of another character than that of the examples */
export async function exampleSelection(characterFile?: string): Promise<Selection> {
  const loaded = await loadManifests([EXAMPLES, ...(characterFile === undefined ? [] : [characterFile])]);
  if (!loaded.ok) return fail(loaded.error);
  const named = loaded.value.objects.findLast(({ kind }) => kind === 'CharacterSpec')?.object.metadata.name ?? '';
  const objects = loaded.value.objects.map((it) =>
    it.kind === 'Agent'
      ? { ...it, object: { ...it.object, spec: { ...it.object.spec, characterRef: { name: named } } } }
      : it,
  );
  const selected = selectAgent(objects, undefined);
  return selected.ok ? selected.value : fail(selected.error);
}

/** With an empty cache of prompts. */
export async function exampleModel({ definition: { agent }, configMaps }: Selection): Promise<ModelPort> {
  const { script = '', scriptConfigMapRef } = agent.spec.models;
  const scriptText = configMaps.get(scriptConfigMapRef?.name ?? '')?.data?.[script] ?? '';
  const source = { provider: 'Scripted', scriptText, scriptName: EXAMPLES } as const;
  const model = await openModel(source, { clock: systemClock, random: () => 0 });
  return model.ok ? model.value : fail(model.error);
}
