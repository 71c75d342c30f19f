/** The character that the agent has now, and what that means for a run that an earlier one admitted. */
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { Journal } from '@retainer/journal/journal';
import type { Compared } from '@retainer/mind/cycle/character-change';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleInput } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import { changedParts } from '@retainer/mind/gate/changed-parts';
import type { Gate } from '@retainer/mind/gate/gate';
import { characterTexts, refusedAnew } from '@retainer/mind/run/admit/recast';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import type { RunEventOf } from '@retainer/mind/run/event';
import type { Held } from '@retainer/mind/parts/aside/set-aside';
import { isEnding, type RunState } from '@retainer/mind/run/state';

export interface CharacterInForce {
  readonly onChange: 'Continue' | 'Hold' | 'Cancel';
  /** What the models of this run are told from now on, and whether its Task is refused by now. */
  recast(state: RunState): Pick<RunEventOf<'CharacterChanged'>, 'texts' | 'refused'>;
  /** What differs from the character of this digest; nothing if the record does not hold that character. */
  partsSince(digest: string): Promise<readonly string[]>;
  /** What the gates would have decided otherwise in earlier runs. Absent: nobody asks. */
  compared?(): Promise<Compared>;
}

export function characterInForce(
  definition: AgentDefinition,
  gate: Gate,
  journal: Pick<Journal, 'read'>,
  compare: () => Promise<Compared>,
): CharacterInForce {
  const known = new Map<string, Promise<readonly string[]>>();
  let compared: Promise<Compared> | undefined;
  return {
    onChange: definition.agent.spec.onCharacterChange,
    recast: (state) => {
      const refused = refusedAnew(gate, state);
      return { texts: characterTexts(definition), ...(refused === undefined ? {} : { refused }) };
    },
    compared: () => (compared ??= compare()),
    partsSince: (digest) => {
      const parts = known.get(digest) ?? partsSince(journal, digest, definition.character.spec);
      known.set(digest, parts);
      return parts;
    },
  };
}

export function goesOn(character: CharacterInForce | undefined): character is CharacterInForce {
  return character !== undefined && character.onChange !== 'Cancel';
}

/** How the present character differs from that of the run; undefined if the run keeps its own, or ends. */
export async function changeFor(
  state: RunState,
  { character, characterDigest: to }: { readonly character?: CharacterInForce; readonly characterDigest: string },
): Promise<Held | undefined> {
  const { characterDigest: from } = state.spec;
  return goesOn(character) && from !== to && !isEnding(state)
    ? { from, to, parts: await character.partsSince(from) }
    : undefined;
}

export async function changeRecord(
  state: RunState,
  { from, to, parts }: Held,
  character: CharacterInForce,
  atMs: number,
): Promise<RunEventOf<'CharacterChanged'>> {
  const compared = await character.compared?.();
  const sums = compared === undefined || compared.runs === 0 ? {} : { compared };
  return { kind: 'CharacterChanged', from, to, parts: [...parts], atMs, ...character.recast(state), ...sums };
}

/** For the record of a cycle: the gate of another character decides from now on. */
export async function changedCharacter(
  { characterDigest: from }: CycleState,
  { config, character }: { readonly config: CycleConfig; readonly character?: Pick<CharacterInForce, 'partsSince'> },
  atMs: number,
): Promise<Extract<CycleInput, { kind: 'CharacterChanged' }>> {
  const parts = (await character?.partsSince(from)) ?? [];
  return { kind: 'CharacterChanged', from, to: config.gate.characterDigest, parts: [...parts], atMs };
}

/** Reads the configurations of all starts: a small store, and only where a run of an earlier character is open. */
async function partsSince(
  journal: Pick<Journal, 'read'>,
  digest: string,
  present: CharacterSpec['spec'],
): Promise<readonly string[]> {
  for await (const { kind, payload } of journal.read('agent')) {
    if (kind !== 'Configured' || !isOf(payload, digest)) continue;
    const earlier = CharacterSpec.safeParse(payload.character);
    if (earlier.success) return changedParts(earlier.data.spec, present);
  }
  return [];
}

function isOf(payload: unknown, digest: string): payload is { readonly character: unknown } {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'character' in payload &&
    'characterDigest' in payload &&
    payload.characterDigest === digest
  );
}
