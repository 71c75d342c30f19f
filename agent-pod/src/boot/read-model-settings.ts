/** Reads the settings of the Agent's model provider from mounted files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { BootError } from './boot-error.ts';
import { readSecret } from './read-secrets.ts';

export type MountedModel =
  | {
      readonly provider: 'Anthropic';
      readonly apiKey: string;
      readonly baseURL?: string;
      /** PEM. */
      readonly authorities?: string;
      /** Where people set these, for failures. */
      readonly names: { readonly address: string; readonly key: string; readonly authorities: string };
    }
  | { readonly provider: 'Scripted'; readonly scriptText: string; readonly scriptName: string };

export interface ModelMounts {
  readonly config: string;
  readonly secrets: string;
}

/** @throws BootError  with the remedy */
export async function readModelSettings({ models }: Agent['spec'], mounts: ModelMounts): Promise<MountedModel> {
  return models.provider === 'Scripted' ? scripted(models, mounts) : anthropic(models, mounts);
}

/** What is wrong with a model whose settings were read. */
export function modelFault({ provider }: MountedModel, errors: readonly string[]): BootError {
  const text = errors.join('; ');
  if (provider === 'Scripted') return new BootError('ScriptInvalid', `spec.models.script: ${text}`);
  return new BootError('ReconcileFailed', text);
}

async function anthropic(
  { apiKeySecretRef, baseURL }: Agent['spec']['models'],
  { secrets }: ModelMounts,
): Promise<MountedModel> {
  if (apiKeySecretRef === undefined)
    throw new BootError(
      'SecretNotFound',
      'spec.models.apiKeySecretRef is not set: name a Secret and the key that holds the API key',
    );
  const apiKey = await readSecret(secrets, apiKeySecretRef, 'spec.models.apiKeySecretRef');
  const names = {
    address: 'spec.models.baseURL of the Agent',
    key: `key ${apiKeySecretRef.key} of Secret ${apiKeySecretRef.name} (spec.models.apiKeySecretRef)`,
    authorities: 'put the certificate of its authority into a ConfigMap, and name it in spec.models.caBundleRef',
  };
  return { provider: 'Anthropic', apiKey, names, ...(baseURL === undefined ? {} : { baseURL }) };
}

async function scripted(
  { script = '', scriptConfigMapRef }: Agent['spec']['models'],
  { config }: ModelMounts,
): Promise<MountedModel> {
  if (scriptConfigMapRef === undefined)
    throw new BootError(
      'ScriptInvalid',
      'spec.models.scriptConfigMapRef is not set: name the ConfigMap with the script',
    );
  const scriptText = await readFile(join(config, script), 'utf8').catch(() => {
    const where = `ConfigMap ${scriptConfigMapRef.name}`;
    throw new BootError(
      'ConfigMapNotFound',
      `spec.models.script: ${where} has no key ${script}, or does not exist: create it`,
    );
  });
  return { provider: 'Scripted', scriptText, scriptName: `${scriptConfigMapRef.name}/${script}` };
}
