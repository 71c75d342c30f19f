/**
 * What became of each file in the order of the run's calls: as the run found it, and as each call left it. The newest state decides.
 *
 * I1  A call that failed changes a file, too: what it listed is what stands there.
 * I2  Where nobody can say what a call did to a file, its state is not sure, and nothing is decided by it.
 *
 * Source: artoo A.6 (evidence grounding: the record is the truth; a stale file may be there).
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { parseWorkspacePath } from '../../gate/workspace-path.ts';
import type { RunTrace } from './acts.ts';
import { isRemovedIn, scriptIn } from './script-words.ts';
import { FILES_MAX } from './tool-calls.ts';

export interface FileState {
  /** Position of the call in the trace; -1: as the run found it. */
  readonly at: number;
  readonly isThere: boolean;
  /** Absent: it is not there, or nobody hashed it. */
  readonly sha256?: string;
  /** False: it may be otherwise. */
  readonly isSure: boolean;
}

export interface FileHistory {
  readonly calls: readonly ToolCallRecord[];
  /** Of all files that the run found or a call named, sorted. */
  readonly paths: readonly string[];
  /** Oldest first; at least one. */
  statesOf(path: string): readonly FileState[];
  newestOf(path: string): FileState;
  /** How the call found the file. @param at  position of the call */
  before(path: string, at: number): FileState;
}

export function fileHistory(trace: RunTrace, known: KnownTools): FileHistory {
  const { calls, stood } = trace;
  const changes = new Map<string, FileState[]>();
  const isKnown = calls.map((call) => isWhollyKnown(call, known));
  const standing = new Map(stood.files.toReversed().map((it) => [it.path, it] as const));
  const found = (path: string): FileState => {
    const file = standing.get(path);
    if (file === undefined) return { at: -1, isThere: false, isSure: stood.isWhole };
    return { at: -1, isThere: true, isSure: true, ...(file.sha256 === undefined ? {} : { sha256: file.sha256 }) };
  };
  const statesOf = (path: string): FileState[] => {
    const states = changes.get(path) ?? [found(path)];
    changes.set(path, states);
    return states;
  };
  for (const { path } of stood.files) statesOf(path);
  for (const [at, call] of calls.entries()) {
    for (const { path, ...change } of changesOf(call, [...changes.keys()], known))
      statesOf(path).push({ at, ...change });
  }
  /** After the state a call ran of which nobody knows all that it changed. */
  const blurred = (state: FileState, until: number): FileState => {
    const isBlurred = isKnown.some((it, at) => !it && at > state.at && at < until);
    return isBlurred ? { ...state, isSure: false } : state;
  };
  const newestBefore = (path: string, until: number): FileState => {
    const states = statesOf(path);
    return blurred(states.findLast((it) => it.at < until) ?? found(path), until);
  };
  return {
    calls,
    paths: [...changes.keys()].toSorted(),
    statesOf,
    newestOf: (path) => newestBefore(path, calls.length),
    before: newestBefore,
  };
}

/** A call that never told its end, or changed more files than one record lists, may have changed any other file. */
function isWhollyKnown({ tool, status, files, gone = [] }: ToolCallRecord, known: KnownTools): boolean {
  const isFull = files.length >= FILES_MAX || gone.length >= FILES_MAX;
  return !isFull && (status !== 'Unknown' || known.factsOf(tool).writes === 'Nothing');
}

type Change = Omit<FileState, 'at'> & { readonly path: string };

function changesOf(call: ToolCallRecord, paths: readonly string[], known: KnownTools): readonly Change[] {
  if (call.status === 'Unrun') return [];
  const written = call.files.map(({ path, sha256 }) => ({ path, isThere: true, isSure: true, sha256 }));
  // What a link says is another file's: it has no digest of its own.
  const linked = (call.links ?? []).map((path) => ({ path, isThere: true, isSure: true }));
  const left = new Set([...call.files, ...linked].map((it) => it.path));
  const removed = removedBy(call, paths, known).filter(({ path }) => !left.has(path));
  return [...removed, ...linked, ...written, ...unlistedWrite(call, known)];
}

/** Where nobody looked what a program removed, the words of its script are all that is known. */
function removedBy(call: ToolCallRecord, paths: readonly string[], known: KnownTools): readonly Change[] {
  const { gone, status } = call;
  if (gone !== undefined) return gone.map((path) => ({ path, isThere: false, isSure: true }));
  const script = known.factsOf(call.tool).runsCode ? scriptIn(call) : undefined;
  if (script === undefined || status !== 'Ok') return [];
  return paths.filter((path) => isRemovedIn(script, path)).map((path) => ({ path, isThere: false, isSure: false }));
}

/** Of a tool that writes at its path and lists nothing. */
function unlistedWrite(call: ToolCallRecord, known: KnownTools): readonly Change[] {
  const { writes, runsCode } = known.factsOf(call.tool);
  if (writes !== 'Path' || runsCode || call.files.length > 0 || call.status !== 'Ok') return [];
  const path = parseWorkspacePath(call.target ?? '');
  return path.ok ? [{ path: path.value, isThere: true, isSure: true }] : [];
}
