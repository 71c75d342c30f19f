/** The texts that the cycle has read, with their labels, and their form for the model. */
import type { Choices } from '../gate/provenance/read-item.ts';
import { fence } from '../gate/provenance/fence.ts';
import { isLong, withheldText } from '../gate/provenance/withheld.ts';
import { asksOutside } from '../gate/provenance/flow-policies.ts';
import { addressOf } from '../gate/provenance/outward-address.ts';
import { makesFilesOwn } from '../gate/provenance/own-files.ts';
import { itemsRead, type PastCall } from '../gate/provenance/read-so-far.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { ReadItem, ReadSoFar } from '../gate/provenance/read-item.ts';
import type { CycleState } from './state.ts';

/**
 * For the tool gate.
 *
 * @param decided  digest of the arguments of the call that is about to run
 */
export function readSoFar(state: CycleState, known: KnownTools, decided?: string): ReadSoFar {
  const { spec } = state;
  const instructions = [spec.shared.identity, ...spec.system.map(({ text }) => text)];
  return {
    cycleId: spec.cycleId,
    items: itemsOf(state, known),
    addresses: spec.addresses ?? [],
    instructions: [...instructions, spec.input, ...(spec.ownWords === undefined ? [] : [spec.ownWords])],
    kept: [...instructions, spec.remembered ?? ''],
    ...(spec.asked === undefined ? {} : { asked: spec.asked }),
    ...readersIn(spec),
    ...(spec.planned === undefined ? {} : { planned: spec.planned }),
    written: [...(spec.written ?? []), ...ownFilesOf(state, known)],
    ...(keepsInstructions(spec) ? { choices: choicesOf(state, known, decided) } : {}),
  };
}

function readersIn({
  principal,
  readers,
  owners,
}: CycleState['spec']): Pick<ReadSoFar, 'principal' | 'readers' | 'owners'> {
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(readers === undefined ? {} : { readers }),
    ...(owners === undefined ? {} : { owners }),
  };
}

/** Something in the instructions is not for others: a confidential persona, or what the agent remembers. */
export function keepsInstructions({ confidential, remembered }: CycleState['spec']): boolean {
  return confidential === true || remembered !== undefined;
}

function choicesOf(
  { spec, calls, openCalls, choicesSpent, freeSites }: CycleState,
  known: KnownTools,
  decided: string | undefined,
): Choices {
  const outside = calls.filter(({ tool, end }) => end.kind !== 'Unrun' && asksOutside(known.factsOf(tool)));
  const asked = outside.flatMap(({ input, choice }) => {
    const address = addressOf({ argumentsText: JSON.stringify(input) });
    return address === undefined ? [] : [{ address, ...(choice === undefined ? {} : { choice }) }];
  });
  const now = new Set(openCalls.map(({ callId }) => callId));
  const spent = new Map(Object.entries(choicesSpent));
  for (const { callId, choice } of outside)
    if (choice !== undefined && now.has(callId)) spent.set(choice.site, (spent.get(choice.site) ?? 0) + choice.bits);
  return {
    asked: [...(spec.askedOutside ?? []).map((address) => ({ address })), ...asked],
    spent: Object.fromEntries(spent),
    freeSites,
    running: decided === undefined ? [] : [decided],
  };
}

/** Outside addresses that this cycle and earlier ones of its run asked for; empty where no choice is counted. */
export function askedOutside(state: CycleState, known: KnownTools): readonly string[] {
  return keepsInstructions(state.spec) ? choicesOf(state, known, undefined).asked.map(({ address }) => address) : [];
}

function ownFilesOf({ calls }: CycleState, known: KnownTools): readonly string[] {
  const own = calls.filter((call) => makesFilesOwn(call, known.factsOf(call.tool)));
  return own.flatMap(({ end }) => {
    if (end.kind !== 'Ran') return [];
    const { files, links = [] } = end.outcome;
    return [...files.map(({ path }) => path), ...links];
  });
}

/** Every item with its label, oldest first. */
export function itemsOf({ spec, calls }: CycleState, known: KnownTools): readonly ReadItem[] {
  const past: readonly PastCall[] = calls.flatMap(({ callId, tool, input, end }) => {
    if (end.kind !== 'Ran') return [];
    const { status, text, label, othersAt } = end.outcome;
    const known = { ...(label === undefined ? {} : { label }), ...(othersAt === undefined ? {} : { othersAt }) };
    return [{ callId, tool, input, isOk: status === 'Ok', text, ...known }];
  });
  return itemsRead(
    past,
    (spec.handedOn ?? []).map((it) => ({ ...it, text: '' })),
    known,
    spec.principal,
  );
}

/** Untrusted results of the newest calls between their marks, by call; of long ones, the permitted part. */
export function fencedTexts(state: CycleState, known: KnownTools): ReadonlyMap<string, string> {
  const { nonce } = state;
  return new Map(
    newlyUntrusted(state, known).map((item) => {
      const { recordId, label, text } = item;
      if (!isWithheld(state, item)) return [recordId, fence(text, label, nonce, recordId)];
      const { reading } = state.readings[recordId] ?? {};
      const path = pathOfWhole(state, recordId);
      const known = { ...(reading === undefined ? {} : { reading }), ...(path === undefined ? {} : { path }) };
      return [recordId, withheldText(item, nonce, known)];
    }),
  );
}

/** Untrusted results of the newest calls that the model may not see as they are. */
export function longTexts(state: CycleState, known: KnownTools): readonly ReadItem[] {
  return newlyUntrusted(state, known).filter((item) => isWithheld(state, item));
}

function newlyUntrusted(state: CycleState, known: KnownTools): readonly ReadItem[] {
  const open = new Set(state.openCalls.map(({ callId }) => callId));
  return itemsOf(state, known).filter(({ label, recordId }) => label.trust === 'Untrusted' && open.has(recordId));
}

function isWithheld({ spec }: CycleState, { text }: ReadItem): boolean {
  return spec.gates !== undefined && isLong(text);
}

/** The path by which `read_file` reads the whole result of a call. */
function pathOfWhole({ spec, calls }: CycleState, callId: string): string | undefined {
  const call = calls.find((it) => it.callId === callId);
  if (call?.end.kind !== 'Ran' || !spec.tools.includes(READ_TOOL)) return undefined;
  const { artifactId } = call.end.outcome;
  if (artifactId !== undefined) return `artifact:${artifactId}`;
  const { path } = call.input as { readonly path?: unknown };
  return call.tool === READ_TOOL && typeof path === 'string' ? path : undefined;
}

/** The tool that reads the rest. */
const READ_TOOL = 'read_file';
