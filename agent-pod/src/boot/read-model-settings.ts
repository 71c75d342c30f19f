/** Reads the settings of the Agent's model provider from mounted files. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { BootError } from './boot-error.ts';
import { readMountedText, readSecret } from './read-secrets.ts';

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
  { apiKeySecretRef, baseURL, caBundleRef }: Agent['spec']['models'],
  { secrets, config }: ModelMounts,
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
  return {
    provider: 'Anthropic',
    apiKey,
    names,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(caBundleRef === undefined ? {} : { authorities: await authoritiesOf(caBundleRef, config) }),
  };
}

/** PEM that Node takes. A file that is none would be trusted as nothing, and every call would fail for it. */
async function authoritiesOf({ name, key }: CaBundleRef, config: string): Promise<string> {
  const field = 'spec.models.caBundleRef';
  const create = `kubectl create configmap ${name} --from-file=${key}=FILE`;
  const text = await readMountedText(join(config, key));
  if (text === undefined)
    throw new BootError(
      'ConfigMapNotFound',
      `${field}: ConfigMap ${name} has no key ${key}, or does not exist: ${create}`,
    );
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw new BootError(
      'ReconcileFailed',
      `${field}: key ${key} of ConfigMap ${name} must hold certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE`,
    );
  return certificates.join('\n');
}

type CaBundleRef = NonNullable<Agent['spec']['models']['caBundleRef']>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
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
