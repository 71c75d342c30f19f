/**
 * What each known model takes: one row each, newest first within its family. A request asks a model for nothing that its row does
 * not name; a model without a row is asked in plain text and XML.
 *
 * Source: Messages API (models overview, structured outputs, thinking, effort, model deprecations), as published on 2026-10-24.
 */
import type { ModelTier } from './roles.ts';

export type ModelFamily = 'Fable' | 'Opus' | 'Sonnet' | 'Haiku';

export interface ModelRow {
  /** Model id without its date. */
  readonly model: string;
  readonly family: ModelFamily;
  /** `output_config.format`: an answer held to a JSON schema. */
  readonly schema: boolean;
  /** `tool_choice` that forces one tool; never together with thinking. */
  readonly forcedTool: boolean;
  /** Adaptive: the model decides how much, guided by an effort. Budget: a number of tokens. */
  readonly thinking: 'Adaptive' | 'Budget' | 'None';
  /** How to ask for no thinking. Omit: say nothing. Never: it always thinks, with the least effort if no thinking is wanted. */
  readonly thinkingOff: 'Omit' | 'Disabled' | 'BetweenTools' | 'Never';
  /** Whether it knows the effort `xhigh`; absent: it does. */
  readonly xhigh?: false;
  /** `temperature` other than the default. */
  readonly sampling: boolean;
  /** The last day on which it answers, where it is known: YYYY-MM-DD. */
  readonly retires?: string;
}

const today = { schema: true, thinking: 'Adaptive', sampling: false } as const;
const forced = { forcedTool: true } as const;
const unforced = { forcedTool: false } as const;
const older = { schema: true, forcedTool: true, thinkingOff: 'Omit', sampling: true } as const;

export const KNOWN_MODELS: readonly ModelRow[] = [
  { model: 'claude-fable-5-1', family: 'Fable', ...today, ...unforced, thinkingOff: 'Never' },
  { model: 'claude-fable-5', family: 'Fable', ...today, ...unforced, thinkingOff: 'Never' },
  { model: 'claude-opus-5-5', family: 'Opus', ...today, ...unforced, thinkingOff: 'Never' },
  { model: 'claude-opus-5', family: 'Opus', ...today, ...forced, thinkingOff: 'Disabled' },
  { model: 'claude-opus-4-8', family: 'Opus', ...today, ...forced, thinkingOff: 'Omit' },
  { model: 'claude-opus-4-7', family: 'Opus', ...today, ...forced, thinkingOff: 'Omit' },
  { model: 'claude-opus-4-6', family: 'Opus', ...older, thinking: 'Adaptive', xhigh: false },
  { model: 'claude-opus-4-5', family: 'Opus', ...older, thinking: 'Budget' },
  { model: 'claude-opus-4-1', family: 'Opus', ...older, schema: false, thinking: 'Budget', retires: '2026-08-05' },
  { model: 'claude-sonnet-5-5', family: 'Sonnet', ...today, ...unforced, thinkingOff: 'BetweenTools' },
  { model: 'claude-sonnet-5', family: 'Sonnet', ...today, ...forced, thinkingOff: 'Disabled' },
  { model: 'claude-sonnet-4-6', family: 'Sonnet', ...older, thinking: 'Adaptive', xhigh: false },
  { model: 'claude-sonnet-4-5', family: 'Sonnet', ...older, thinking: 'Budget', retires: '2026-11-30' },
  { model: 'claude-haiku-5-5', family: 'Haiku', ...today, ...unforced, thinkingOff: 'Disabled' },
  { model: 'claude-haiku-4-5', family: 'Haiku', ...older, thinking: 'Budget' },
];

/** A release date or alias after the name, never another version. */
export const MODEL_SUFFIX = String.raw`(?:-\d{8}|-latest|@.{1,32})?`;

const suffix = new RegExp(`^${MODEL_SUFFIX}$`);

/** Whether an id is this model, dated or not. */
export function isModel(id: string, model: string): boolean {
  return id.startsWith(model) && suffix.test(id.slice(model.length));
}

/** Undefined for a model that nobody here knows. @param id  dated or not */
export function knownModel(id: string): ModelRow | undefined {
  return KNOWN_MODELS.find(({ model }) => isModel(id, model));
}

/**
 * Whether a request can show tools and forbid to call them (`tool_choice: none`). A server of a model that nobody here knows may not
 * take that, and its model calls what it sees. Such a model is held to a call (`tool_choice: any`) where it answered without one: those of
 * a provider call by themselves, and some take no such choice while they think.
 */
export function takesChoiceNone(id: string): boolean {
  return knownModel(id) !== undefined;
}

export function newestOf(family: ModelFamily): string {
  return KNOWN_MODELS.find((row) => row.family === family)?.model ?? '';
}

/** The models of an Agent that names none. */
export const DEFAULT_MODELS: Readonly<Record<ModelTier, string>> = {
  Fast: newestOf('Haiku'),
  Capable: newestOf('Sonnet'),
};

/** Why a model that an Agent names deserves a second look; undefined: it does not. @param today  YYYY-MM-DD */
export function modelTrouble(id: string, today: string): string | undefined {
  const row = knownModel(id);
  if (row === undefined)
    return `${id} is a model that this version does not know: it is asked in plain text and XML, without thinking, and its price is unknown unless the Agent names it`;
  if (row.retires === undefined) return undefined;
  const newest = newestOf(row.family);
  return row.retires < today
    ? `${id} was retired on ${row.retires} and answers no more; use ${newest}`
    : `${id} will be retired on ${row.retires}; use ${newest}`;
}

/** The same for all models that an Agent names, each once. */
export function modelTroubles(models: NamedModels, today: string): readonly string[] {
  const named = [models.fast, models.capable, ...models.roles.flatMap(({ model }) => model ?? [])];
  return [...new Set(named)].flatMap((id) => modelTrouble(id, today) ?? []);
}

interface NamedModels {
  readonly fast: string;
  readonly capable: string;
  readonly roles: readonly { readonly model?: string | undefined }[];
}
