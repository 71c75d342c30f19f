/** Makes the configured model, and loads the code of that model only. */
import type { Agent } from '@retainer/contract/api/agent';
import { durationMs } from '@retainer/contract/api/fields';
import type { Clock } from '@retainer/contract/std/clock';
import { noProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelPort } from '../ports/ports.ts';
import type { ModelAttempter } from './model-attempt.ts';
import { parkingModel } from './parking-model.ts';
import { keepingFaults } from './known-fault.ts';
import type { SettingNames } from './model-symptoms.ts';
import { settingFaults } from './model-settings.ts';
import { retryingModel } from './retrying-model.ts';

export type ModelSettings = ProviderSettings & Patience;

/** How long a call goes on, where its defaults are not wanted. */
export interface Patience {
  /** Tries after the first; see `retry.ts` for the default. */
  readonly maxRetries?: number | undefined;
  /** Longest silence within an answer; see `retrying-model.ts` for the default. */
  readonly silenceMs?: number | undefined;
}

/** As the Agent sets it. */
export function patienceOf({ maxRetries, silenceTimeout }: Agent['spec']['models']): Patience {
  return { maxRetries, silenceMs: durationMs(silenceTimeout) };
}

type ProviderSettings =
  | {
      readonly provider: 'Anthropic';
      /** Any server that speaks the Messages API; the provider's own when absent. */
      readonly baseURL?: string;
      readonly apiKey: string;
      /** PEM; trusted beside the system's. */
      readonly authorities?: string;
      /** Of these settings, for people; those of a command on this machine when absent. */
      readonly names?: Partial<SettingNames>;
    }
  | {
      readonly provider: 'Scripted';
      readonly scriptText: string;
      /** Name of the script in errors: its path as given by the user. */
      readonly scriptName: string;
    };

export interface ModelSurroundings {
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  /** Absent: none. */
  readonly proxies?: ProxySettings;
}

/** Where a person sets what, on a machine without a cluster. */
const LOCAL_NAMES: SettingNames = {
  address: 'spec.models.baseURL of the Agent, or ANTHROPIC_BASE_URL,',
  key: 'ANTHROPIC_API_KEY',
  authorities: 'name the file with the certificate of its authority in NODE_EXTRA_CA_CERTS',
};

/** @returns the model, or all errors of its settings, one line each, for people */
export async function openModel(
  settings: ModelSettings,
  surroundings: ModelSurroundings,
): Promise<Result<ModelPort, readonly string[]>> {
  switch (settings.provider) {
    case 'Anthropic':
      return openAnthropic(settings, surroundings);
    case 'Scripted':
      return openScripted(settings, surroundings);
  }
}

async function openAnthropic(
  { apiKey, baseURL, maxRetries, silenceMs, authorities, ...given }: ModelSettings & { readonly provider: 'Anthropic' },
  surroundings: ModelSurroundings,
): Promise<Result<ModelPort, readonly string[]>> {
  const { proxies = noProxies } = surroundings;
  const names = { ...LOCAL_NAMES, ...given.names };
  const faults = settingFaults({ apiKey: apiKey.trim(), baseURL, names, proxies });
  if (faults.length > 0) return err(faults);
  const { anthropicModel } = await import('./anthropic-model.ts');
  const adapter = anthropicModel({
    apiKey: apiKey.trim(),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(authorities === undefined ? {} : { authorities }),
    names,
    proxies,
    nowMs: () => surroundings.clock.nowMs(),
  });
  return ok(patient(keepingFaults(adapter, surroundings.clock), surroundings, { maxRetries, silenceMs }));
}

async function openScripted(
  { scriptText, scriptName, ...patience }: ModelSettings & { readonly provider: 'Scripted' },
  surroundings: ModelSurroundings,
): Promise<Result<ModelPort, readonly string[]>> {
  const [{ parseScript, renderScriptError }, { scriptedModel }] = await Promise.all([
    import('./script.ts'),
    import('./scripted-model.ts'),
  ]);
  const script = parseScript(scriptText);
  if (!script.ok) return err(script.error.map((error) => `${scriptName}: ${renderScriptError(error)}`));
  const adapter = scriptedModel(script.value, () => surroundings.clock.monotonicMs());
  return ok(patient(adapter, surroundings, patience));
}

function patient(
  adapter: ModelAttempter,
  surroundings: ModelSurroundings,
  { maxRetries, silenceMs }: Patience,
): ModelPort {
  const given = {
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(silenceMs === undefined ? {} : { silenceMs }),
  };
  return parkingModel(retryingModel(adapter, { ...surroundings, ...given }), surroundings);
}
