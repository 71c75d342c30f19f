/**
 * What a cycle has read, with a label for each item. Derived from the cycle's record alone, so nothing is taken on trust.
 *
 * I1  Every result of a call that ran is an item; so is every result that an earlier step handed on.
 * I2  An item is trusted only if its tool declares it so, if its outcome was recorded as trusted, or if it is a file that this
 *     cycle wrote before it read anything untrusted, and no program has run since.
 *
 * Source: design 5; reliability-security 4.
 */
import { parseWorkspacePath } from '../workspace-path.ts';
import type { KnownTools, ToolFacts } from '../tool-facts.ts';
import { join, OWNER, readersOf, type Label, type Readers } from './label.ts';
import { quotableWords } from './held-words.ts';
import { isWordOf } from './named-by-people.ts';
import { toolResultLabel } from './tool-result-label.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

/** A call that ran, from its record. */
export interface PastCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly isOk: boolean;
  readonly text: string;
  /** Present if the outcome was recorded with a label. */
  readonly label?: Label;
  readonly othersAt?: readonly string[];
}

/**
 * @param calls      calls that ran, oldest first; `handedOn` holds the earlier steps' items in the cycle's input
 * @param principal  of the run
 */
export function itemsRead(
  calls: readonly PastCall[],
  handedOn: readonly ReadItem[],
  known: KnownTools,
  principal = OWNER,
): readonly ReadItem[] {
  const items = [...handedOn];
  const ownFiles = new Set<string>();
  for (const call of calls) {
    const path = pathOf(call.input);
    const facts = known.factsOf(call.tool);
    const isOwn = facts.output.isFile === true && path !== undefined && ownFiles.has(path);
    const label = call.label ?? (isOwn ? ownFile(path, principal) : toolResultLabel(facts, call.input, principal));
    noteWritten(ownFiles, facts, call.isOk ? path : undefined, firstUntrusted(items) === undefined);
    const words = quotableWords(facts, call.isOk, call.text, call.othersAt);
    items.push({
      recordId: call.callId,
      label,
      text: call.text,
      ...(words === undefined ? {} : { words }),
      call: { tool: call.tool, input: call.input, ...(call.othersAt === undefined ? {} : { othersAt: call.othersAt }) },
    });
  }
  return items;
}

/** @param path  that a successful call names. A part of a file makes nothing of the rest of it one's own. */
function noteWritten(
  ownFiles: Set<string>,
  { writes }: ToolFacts,
  path: string | undefined,
  isTrusting: boolean,
): void {
  if (writes === 'Anything') ownFiles.clear();
  if (path === undefined || (writes !== 'Path' && writes !== 'Part')) return;
  if (!isTrusting) ownFiles.delete(path);
  else if (writes === 'Path') ownFiles.add(path);
}

export function firstUntrusted(items: readonly ReadItem[]): ReadItem | undefined {
  return items.find(({ label }) => label.trust === 'Untrusted');
}

/** The first item that not everyone may read. */
export function firstPrivate(items: readonly ReadItem[]): ReadItem | undefined {
  return items.find(({ label }) => label.readers !== 'Everyone');
}

/** What a run is for, as it begins: its request is trusted, and belongs to its principal. */
export function ofTheTask(readers: Readers): Label {
  return { source: { kind: 'Task' }, trust: 'Trusted', readers };
}

/** Who may read what this cycle writes before it reads anything. */
export function ownReaders({ principal = OWNER, readers }: Pick<ReadSoFar, 'principal' | 'readers'>): Readers {
  return readers ?? readersOf(principal);
}

/** The label of anything that a cycle writes after reading these items; never wider than the label of its Task. */
export function carriedLabel(read: Pick<ReadSoFar, 'items' | 'principal' | 'readers'>): Label {
  return read.items.reduce((label, item) => join(label, item.label), ofTheTask(ownReaders(read)));
}

/** The label of a fact: that of everything read. Untrusted if nobody named its key and nobody watches. */
export function factLabel(
  factKey: string | undefined,
  { read, autonomous }: { readonly read: ReadSoFar; readonly autonomous: boolean },
): Label {
  const label = carriedLabel(read);
  const isNamed = factKey !== undefined && isWordOf(read.asked ?? '', factKey);
  return isNamed || !autonomous ? label : { ...label, trust: 'Untrusted' };
}

function ownFile(path: string, principal: string): Label {
  return { source: { kind: 'Workspace', name: path }, trust: 'Trusted', readers: readersOf(principal) };
}

function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { path } = input as { readonly path?: unknown };
  if (typeof path !== 'string') return undefined;
  const parsed = parseWorkspacePath(path);
  return parsed.ok ? parsed.value : undefined;
}
