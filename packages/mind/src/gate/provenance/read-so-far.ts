/**
 * What a cycle has read, with the label of each item: from its record alone, so that nothing has to be believed.
 *
 * I1  Every result of a call that ran is an item; so is what an earlier step handed on.
 * I2  An item is trusted only if its tool says so, its outcome was recorded so, or it is a file that this cycle wrote itself
 *     while nothing untrusted had been read, and no program ran since.
 *
 * Source: design 5; reliability-security 4.
 */
import { parseWorkspacePath } from '../workspace-path.ts';
import type { KnownTools } from '../tool-facts.ts';
import { join, type Label } from './label.ts';
import { isWordOf } from './named-by-people.ts';
import { toolResultLabel } from './tool-result-label.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

/** A call that ran, as its record says. */
export interface PastCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly isOk: boolean;
  readonly text: string;
  /** Where the outcome was recorded with one. */
  readonly label?: Label;
}

/** @param calls  that ran, oldest first; `handedOn` is what the cycle's input carries of earlier steps */
export function itemsRead(
  calls: readonly PastCall[],
  handedOn: readonly ReadItem[],
  known: KnownTools,
): readonly ReadItem[] {
  const items = [...handedOn];
  const ownFiles = new Set<string>();
  for (const call of calls) {
    const path = pathOf(call.input);
    const facts = known.factsOf(call.tool);
    const isOwn = facts.output.isFile === true && path !== undefined && ownFiles.has(path);
    const label = isOwn ? ownFile(path) : (call.label ?? toolResultLabel(facts, call.input));
    if (facts.writes === 'Anything') ownFiles.clear();
    if (facts.writes === 'Path' && call.isOk && path !== undefined) {
      if (firstUntrusted(items) === undefined) ownFiles.add(path);
      else ownFiles.delete(path);
    }
    items.push({ recordId: call.callId, label, text: call.text });
  }
  return items;
}

export function firstUntrusted(items: readonly ReadItem[]): ReadItem | undefined {
  return items.find(({ label }) => label.trust === 'Untrusted');
}

/** What not everyone may read. */
export function firstPrivate(items: readonly ReadItem[]): ReadItem | undefined {
  return items.find(({ label }) => label.readers !== 'Everyone');
}

const ofTheTask: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: 'Principal' };

/** The label of whatever a cycle writes after reading all this: no wider than that of the Task that it works on. */
export function carriedLabel(items: readonly ReadItem[]): Label {
  return items.reduce((label, item) => join(label, item.label), ofTheTask);
}

/** What a fact is kept with: the label of all that was read; not believed where nobody named its key and nobody watches. */
export function factLabel(
  factKey: string | undefined,
  { read, autonomous }: { readonly read: ReadSoFar; readonly autonomous: boolean },
): Label {
  const label = carriedLabel(read.items);
  const isNamed = factKey !== undefined && isWordOf(read.asked ?? '', factKey);
  return isNamed || !autonomous ? label : { ...label, trust: 'Untrusted' };
}

function ownFile(path: string): Label {
  return { source: { kind: 'Workspace', name: path }, trust: 'Trusted', readers: 'Principal' };
}

function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { path } = input as { readonly path?: unknown };
  if (typeof path !== 'string') return undefined;
  const parsed = parseWorkspacePath(path);
  return parsed.ok ? parsed.value : undefined;
}
