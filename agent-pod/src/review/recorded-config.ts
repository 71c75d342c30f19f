/** Restores gate and catalog from the recorded configuration, so that recorded decisions can be made again. */
import type { Agent } from '@retainer/contract/api/agent';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { settingsOf } from '../loop/agent-settings.ts';
import type { Place } from '@retainer/mind/assemble/curator/view';
import { decideCycle } from '@retainer/mind/cycle/decide';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { isCycleInput } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { SandboxLanguage } from '../ports/sandbox-run.ts';
import type { CycleDecider } from '@retainer/mind/replay/review-cycle';
import { createRegistry, knownTools } from '../parts/catalog.ts';

/** The part of a `Configured` record that decisions depend on. */
export interface ConfiguredPayload {
  readonly characterDigest: string;
  readonly character: unknown;
  readonly agent: Agent;
  readonly sandboxLanguages: readonly SandboxLanguage[];
  /** Absent in records older than it. */
  readonly place?: Place;
  readonly gateRules: number;
  readonly deciders: number;
}

/** @param changed  replaces the recorded character when it is given */
export function recordedConfig(payload: ConfiguredPayload, changed?: CharacterSpec): Result<CycleConfig, string> {
  const parsed =
    changed === undefined ? CharacterSpec.safeParse(payload.character) : { success: true as const, data: changed };
  if (!parsed.success) return err(parsed.error.message);
  const gate = compileGate(parsed.data.spec, characterDigest(parsed.data.spec), knownTools, payload.agent.spec.gates);
  if (!gate.ok) return err(gate.error.join('; '));
  const { sandbox, fetch, mail } = settingsOf(payload.agent);
  const catalog = createRegistry({
    sandboxLanguages: payload.sandboxLanguages,
    code: { ...sandbox, ...(payload.place === undefined ? {} : { memory: payload.place.memory }) },
    ...(fetch === undefined ? {} : { fetch }),
    ...(mail === undefined ? {} : { mail }),
  });
  return ok({ gate: gate.value, catalog });
}

/**
 * The recorded configuration, if its character is the one that it names; else with a character from outside the record.
 *
 * @param characters  by digest
 */
export function trustedConfig(
  payload: ConfiguredPayload,
  characters: ReadonlyMap<string, CharacterSpec>,
): Result<CycleConfig, string> {
  const { characterDigest: digest = '' } = payload as Partial<ConfiguredPayload>;
  const recorded = configFrom(payload, undefined);
  if (recorded.ok && recorded.value.gate.characterDigest === digest) return recorded;
  const given = characters.get(digest);
  if (given !== undefined) return configFrom(payload, given);
  return err(`the configuration does not hold the character of digest ${shownDigest(digest)} that it names`);
}

function configFrom(payload: ConfiguredPayload, given: CharacterSpec | undefined): Result<CycleConfig, string> {
  try {
    return recordedConfig(payload, given);
  } catch {
    return err('the configuration does not fit the schema of its kind');
  }
}

/** Digits that suffice for people to tell characters apart. */
const DIGEST_DIGITS = 12;

export function shownDigest(digest: string): string {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(digest) ?? [];
  return hex?.slice(0, DIGEST_DIGITS) ?? '(no digest)';
}

/** A tampered record may hold anything instead of an id: only plausible ids are shown. */
export function shownId(id: string): string {
  return /^[\w./-]{1,120}$/.test(id) ? id : '(no id)';
}

export function byDigest(characters: readonly CharacterSpec[]): ReadonlyMap<string, CharacterSpec> {
  return new Map(characters.map((character) => [characterDigest(character.spec), character]));
}

export function cycleDecider(config: CycleConfig): CycleDecider {
  return {
    isInput: isCycleInput,
    decide: (state, input) => decideCycle(state, input, config),
    evolve: (state, event) => evolveCycle(state, event, config.catalog.known),
  };
}
