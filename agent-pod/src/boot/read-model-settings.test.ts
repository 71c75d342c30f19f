/** Settings of a model that cannot be had: each with a reason for programs, and the field for people. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AgentModels } from '@retainer/contract/api/agent-models';
import { makeCertificates } from '../../../test/support/certificates.ts';
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

describe('authorities of a ConfigMap', () => {
  const { ca, signed } = makeCertificates();
  const models = { apiKeySecretRef: { name: 'model', key: 'token' }, caBundleRef: { name: 'company', key: 'ca.crt' } };

  async function mount(token: string, bundle: string | undefined): Promise<void> {
    await mkdir(join(mounts.path, 'model'), { recursive: true });
    await writeFile(join(mounts.path, 'model', 'token'), token);
    await rm(join(mounts.path, 'ca.crt'), { force: true });
    if (bundle !== undefined) await writeFile(join(mounts.path, 'ca.crt'), bundle);
  }

  it.each<readonly [string, string | undefined, object]>([
    [
      'that is not there',
      undefined,
      { reason: 'ConfigMapNotFound', message: /create configmap company --from-file=ca.crt=/ },
    ],
    [
      'that is empty',
      ' \n',
      { reason: 'ReconcileFailed', message: /key ca.crt of ConfigMap company must hold certificates/ },
    ],
    ['of something else', signed.key, { reason: 'ReconcileFailed', message: /^(?!.*PRIVATE)/ }],
    ['of damaged certificates', ca.replace('M', 'Z'), { reason: 'ReconcileFailed', message: /must hold certificates/ }],
    [
      'of one damaged certificate beside a good one',
      `${ca}${ca.slice(0, 90)}\n-----END CERTIFICATE-----\n`,
      { reason: 'ReconcileFailed' },
    ],
  ])('%s names the field', async (_name, bundle, { message = /./, ...fault }: { message?: RegExp }) => {
    await mount('key', bundle);
    const found = await faultOf(models);
    expect(found).toMatchObject({ ...fault, message: expect.stringMatching(message) });
    expect(found).toMatchObject({ message: expect.stringMatching(/^spec\.models\.caBundleRef: /) });
  });

  it('are read, whatever stands between them, and their setting is named in failures', async () => {
    await mount('key\n', `# the company's\n${ca}\n\nand another\r\n${signed.cert}`);
    const settings = await readModelSettings(
      { ...spec, models: AgentModels.parse(models) },
      { config: mounts.path, secrets: mounts.path },
    );
    expect(settings).toMatchObject({
      apiKey: 'key',
      authorities: `${ca.trim()}\n${signed.cert.trim()}`,
      names: {
        key: 'key token of Secret model (spec.models.apiKeySecretRef)',
        authorities: expect.stringContaining('spec.models.caBundleRef'),
      },
    });
    expect(await faultOf(models)).toBeUndefined();
  });

  it('a key that no header takes is a fault that names Secret and key', async () => {
    await mount('alpha\nbeta', ca);
    const fault = await faultOf(models);
    expect(fault).toMatchObject({
      message: expect.stringContaining('key token of Secret model (spec.models.apiKeySecretRef)'),
    });
    expect((fault as Error).message).not.toContain('alpha');
  });
});
