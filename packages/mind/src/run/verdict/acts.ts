/**
 * Who acted on a file, and whether that still stands: the run's own writes, in the order of its calls, beside what stood in the
 * workspace when it began.
 *
 * I1  A write counts while its digest is the newest one of the file in the record, whichever attempt made it.
 * I2  A call that failed makes nothing, even if it wrote a file before it failed.
 *
 * Source: artoo A.6 (a stale file may be there; a later look does not prove the action).
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { targetKindOf } from '../../gate/tool-target.ts';
import { parseWorkspacePath } from '../../gate/workspace-path.ts';
import { claimsIn } from './claims.ts';
import { aimsOf, callKind } from './command-kind.ts';
import type { NamedFile } from './named-things.ts';
import { isOf, shownByCall, shows } from './shown-by-call.ts';
import { FILES_MAX } from './tool-calls.ts';

/** The workspace when the run was admitted. */
export interface Stood {
  readonly files: readonly { readonly path: string; readonly sha256?: string }[];
  /** False: a file that is not listed may have been there. */
  readonly isWhole: boolean;
}

/** Nobody looked: any file may have been there. */
export const UNSEEN: Stood = { files: [], isWhole: false };

/** What verdicts stand on besides the calls under judgement. */
export interface RunTrace {
  /** Every call of the run so far, oldest first. */
  readonly calls: readonly ToolCallRecord[];
  readonly stood: Stood;
}

/** Whether a call ran and did not succeed. */
export function hasFailed({ status }: ToolCallRecord): boolean {
  return status !== 'Ok' && status !== 'Unrun';
}

/** The file as the run found it, or as a call of the run that succeeded left it. */
export function isActedOn(file: NamedFile, { calls }: RunTrace, known: KnownTools): boolean {
  const writes = calls.flatMap((call) => writesOf(call, file, known));
  const newest = new Map(writes.map((it) => [it.path, it.sha256]));
  return (
    writes.some((it) => it.isOk && newest.get(it.path) === it.sha256) || calls.some((it) => isUnlisted(it, file, known))
  );
}

/** Whether a call that failed left the file otherwise than it stood. */
export function isSpoilt(file: NamedFile, { calls, stood }: RunTrace, known: KnownTools): boolean {
  const newest = calls.flatMap((call) => writesOf(call, file, known)).at(-1);
  if (newest === undefined || newest.isOk) return false;
  return stood.files.find((it) => it.path === newest.path)?.sha256 !== newest.sha256;
}

interface Write {
  readonly path: string;
  readonly sha256: string | undefined;
  readonly isOk: boolean;
}

function writesOf(call: ToolCallRecord, file: NamedFile, known: KnownTools): readonly Write[] {
  const isOk = call.status === 'Ok';
  const listed = call.files.filter((it) => isOf(file, it.path)).map(({ path, sha256 }) => ({ path, sha256, isOk }));
  if (listed.length > 0 || !isOk || known.factsOf(call.tool).writes !== 'Path') return listed;
  // A tool that writes at its path and lists nothing.
  const path = call.target ?? '';
  return call.files.length === 0 && isOf(file, path) ? [{ path, sha256: undefined, isOk }] : [];
}

/** A script that wrote more files than one record lists may have written this one, too, if it names it. */
function isUnlisted(call: ToolCallRecord, file: NamedFile, known: KnownTools): boolean {
  return call.status === 'Ok' && call.files.length >= FILES_MAX && shows(shownByCall(call, known), file);
}

/** Whether the file may have been there when the run began. */
export function mayHaveStood(file: NamedFile, { stood }: RunTrace): boolean {
  return !stood.isWhole || stood.files.some((it) => isOf(file, it.path));
}

/** A call that was meant to write the file and failed, and nothing after it wrote the file. */
export function failedAim(file: NamedFile, { calls }: RunTrace, known: KnownTools): ToolCallRecord | undefined {
  const newest = calls.findLast(
    (call) => call.status !== 'Unrun' && (aims(call, file, known) || writesOf(call, file, known).length > 0),
  );
  return newest !== undefined && hasFailed(newest) ? newest : undefined;
}

function aims(call: ToolCallRecord, file: NamedFile, known: KnownTools): boolean {
  return aimsOf(call, known).some((aim) => {
    const parsed = parseWorkspacePath(aim);
    return parsed.ok && isOf(file, parsed.value);
  });
}

/** Whether calls of an attempt were meant to do something and none of them succeeded. */
export function failedInAllActs(calls: readonly ToolCallRecord[], known: KnownTools): boolean {
  const acts = calls.filter((it) => it.status !== 'Unrun' && callKind(it, known) === 'Acts');
  return acts.length > 0 && acts.every(hasFailed);
}

/**
 * Whether a later call did with success what the failed one was to do: the same tool on the same target.
 *
 * A corrected program is another text for the same thing: it has to act, and to name whatever the failed one named. So
 * `ls` redeems no write.
 */
export function redeems(later: ToolCallRecord, failed: ToolCallRecord, known: KnownTools): boolean {
  if (later.status !== 'Ok' || later.tool !== failed.tool) return false;
  const isCommand = targetKindOf(known.factsOf(failed.tool)) === 'Command';
  if (!isCommand || failed.target !== undefined) {
    if (later.target === failed.target) return true;
  }
  if (!isCommand || callKind(later, known) !== 'Acts') return false;
  const shown = shownByCall(later, known);
  return placesIn(failed).every((file) => shows(shown, file));
}

function placesIn({ input }: ToolCallRecord): readonly NamedFile[] {
  const given = parseJson(input);
  const text =
    typeof given === 'object' && given !== null && 'script' in given ? given.script : canonicalJson(given ?? '');
  return claimsIn(typeof text === 'string' ? text : '').flatMap((claim) => {
    const parsed = claim.kind === 'Path' ? parseWorkspacePath(claim.text) : undefined;
    if (parsed?.ok !== true) return [];
    return { kind: 'File', text: claim.text, path: parsed.value, isBare: !claim.text.includes('/'), wanted: 'There' };
  });
}
