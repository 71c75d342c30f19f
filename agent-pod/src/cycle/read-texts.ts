/** What the cycle has read, with the labels of it all, and how untrusted texts are handed to the model. */
import { fence } from '../gate/provenance/fence.ts';
import { itemsRead, type PastCall, type ReadItem, type ReadSoFar } from '../gate/provenance/read-so-far.ts';
import type { CycleState } from './state.ts';

/** For the tool gate, and for the choice of tools that are offered. */
export function readSoFar(state: CycleState): ReadSoFar {
  const { spec } = state;
  return {
    items: itemsOf(state),
    addresses: spec.addresses ?? [],
    standing: [...spec.system.map(({ text }) => text), spec.input],
    kept: [...spec.system.map(({ text }) => text), spec.remembered ?? ''],
    ...(spec.asked === undefined ? {} : { asked: spec.asked }),
  };
}

/** Every item with its label, oldest first. */
export function itemsOf({ spec, calls }: CycleState): readonly ReadItem[] {
  const past: readonly PastCall[] = calls.flatMap(({ callId, tool, input, end }) => {
    if (end.kind !== 'Ran') return [];
    const { status, text, label } = end.outcome;
    return [{ callId, tool, input, isOk: status === 'Ok', text, ...(label === undefined ? {} : { label }) }];
  });
  return itemsRead(
    past,
    (spec.handedOn ?? []).map((it) => ({ ...it, text: '' })),
  );
}

/** Untrusted results of the newest calls between their marks, by call. */
export function fencedTexts(state: CycleState): ReadonlyMap<string, string> {
  const { nonce } = state;
  if (nonce === undefined) return new Map();
  const open = new Set(state.openCalls.map(({ callId }) => callId));
  return new Map(
    itemsOf(state)
      .filter(({ label, recordId }) => label.trust === 'Untrusted' && open.has(recordId))
      .map(({ recordId, label, text }) => [recordId, fence(text, label, nonce, recordId)]),
  );
}
