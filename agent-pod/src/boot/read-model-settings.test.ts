/** Settings of a model that cannot be had: each with a reason for programs, and the field for people. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { AgentModels } from '@retainer/contract/api/agent-models';
import { observedAgent } from '../../../test/support/observed-agent.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { openModel } from '../infer/open-model.ts';
import { modelFault, readModelSettings } from './read-model-settings.ts';

const mounts = temporaryDirectory();
afterAll(() => mounts.remove());
const spec = observedAgent().agent.spec;

async function faultOf(models: object): Promise<unknown> {
  const given = { ...spec, models: AgentModels.parse(models) };
  try {
    const settings = await readModelSettings(given, { config: mounts.path, secrets: mounts.path });
    const opened = await openModel(settings, { clock: manualClock(), random: () => 0 });
    return opened.ok ? undefined : modelFault(settings, opened.error);
  } catch (error) {
    return error;
  }
}

const scripted = { provider: 'Scripted', script: 'script.yaml', scriptConfigMapRef: { name: 'scripts' } };

const cases: readonly (readonly [name: string, models: object, script: string, reason: string])[] = [
  ['spec.models.script: scripts/script.yaml', scripted, 'rules: [', 'ScriptInvalid'],
  ['spec.models.script: ', scripted, 'version: 1\nrules: [{ wen: {} }]', 'ScriptInvalid'],
  ['has no key other', { ...scripted, script: 'other' }, '', 'ConfigMapNotFound'],
  ['scriptConfigMapRef', { ...scripted, scriptConfigMapRef: undefined }, '', 'ScriptInvalid'],
];

it.each(cases)('a fault that names %s', async (told, models, script, reason) => {
  await writeFile(join(mounts.path, 'script.yaml'), script);
  expect(await faultOf(models)).toMatchObject({ reason, message: expect.stringContaining(told) });
});
