/** Makes the configured model, and loads the code of that model only. */
import type { Agent } from '@retainer/contract/api/agent';
import { durationMs } from '@retainer/contract/api/fields';
import type { Clock } from '@retainer/contract/std/clock';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelPort } from '../ports/ports.ts';
import type { ModelAttempter } from './model-attempt.ts';
import { parkingModel } from './parking-model.ts';
import { retryingModel } from './retrying-model.ts';

export type ModelSettings = ProviderSettings & Patience;

/** How long a call goes on, where its defaults are not wanted. */
export interface Patience {
  /** Tries after the first; see `retry.ts` for the default. */
  readonly maxRetries?: number;
  /** Longest silence within an answer; see `retrying-model.ts` for the default. */
  readonly silenceMs?: number;
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
}

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
  { apiKey, baseURL, ...patience }: ModelSettings & { readonly provider: 'Anthropic' },
  surroundings: ModelSurroundings,
): Promise<Result<ModelPort, readonly string[]>> {
  if (apiKey.trim() === '') return err(['the API key of the Anthropic model is empty']);
  if (baseURL !== undefined && !isHttpUrl(baseURL))
    return err([`the model's base URL must be an http or https URL, not ${JSON.stringify(baseURL)}`]);
  const { anthropicModel } = await import('./anthropic-model.ts');
  const options = { apiKey: apiKey.trim(), nowMs: () => surroundings.clock.nowMs() };
  const adapter = anthropicModel(baseURL === undefined ? options : { ...options, baseURL });
  return ok(patient(adapter, surroundings, patience));
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

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
