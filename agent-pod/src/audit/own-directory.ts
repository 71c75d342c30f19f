/** The auditor's own directory: its record, its key, and files beside them that may be deleted at any time. */
import { mkdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import type { AuditorOptions } from './auditor-options.ts';
import type { Finding } from './finding.ts';
import { openHeadRecord, type HeadRecord, type SetAside } from './head-record.ts';
import type { SavedJudging } from './judging.ts';
import { messagesSetAside } from './message-audit.ts';
import { writeMessages } from './message-file.ts';
import { BUS } from './message-paths.ts';
import { readPositions, replaceText, writePositions } from './position-file.ts';
import { readRuns, writeRuns } from './run-file.ts';
import { RUN_STORE } from './run-note.ts';
import { wrongPlace } from './set-aside.ts';
import { openSigningKey } from './signing-key.ts';
import { VERDICT_STORE } from './verdict-audit.ts';
import { readVerdicts, writeVerdicts } from './verdict-file.ts';

export interface Own {
  readonly directory: string;
  readonly record: HeadRecord;
}

/** @throws OwnRecordError, or the file system's own error */
export async function openOwn(
  { ownDirectory, journalDirectory }: AuditorOptions,
  clock: Clock,
): Promise<Own | undefined> {
  if (ownDirectory === undefined) return undefined;
  await mkdir(ownDirectory, { recursive: true, mode: 0o700 });
  const directory = await realpath(ownDirectory);
  const journal = await realpath(journalDirectory).catch(() => journalDirectory);
  if (isInside(directory, journal) || isInside(journal, directory))
    throw new Error(
      `${directory} and ${journal} must not contain each other: the agent could write to the auditor's record`,
    );
  const key = await openSigningKey(`${directory}/key.pem`);
  await replaceText(`${directory}/key.pub.pem`, key.publicKeyPem);
  return { directory, record: await openHeadRecord({ directory: `${directory}/record`, key, clock }) };
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/**
 * Records a person's word, and forgets what was found of its place: it is looked at anew.
 *
 * @returns why nothing was set aside, or undefined
 */
export async function setAside(
  accepted: SetAside,
  own: Own,
  { journalDirectory, clock }: { readonly journalDirectory: string; readonly clock: Clock },
): Promise<string | undefined> {
  const { store } = accepted;
  const wrong = await wrongPlace(journalDirectory, accepted, own.record.heads);
  if (wrong !== undefined) return wrong;
  await own.record.setAside(accepted);
  if (store === BUS || store === RUN_STORE) await writeMessages(messageFile(own), messagesSetAside(clock.nowMs()));
  await forgetJudged(own, store);
  await forgetPositions(own, store);
  return undefined;
}

/** Accepts the open findings of the store, which is walked anew. */
async function forgetPositions(own: Own, store: string): Promise<void> {
  const saved = await readPositions(positionFile(own));
  if (saved === undefined) return;
  const isOther = (it: { readonly store: string }): boolean => it.store !== store;
  const kept = { stores: saved.stores.filter(isOther), open: saved.open.filter(isOther) };
  await writePositions(positionFile(own), { ...saved, ...kept });
}

/** Accepts the open findings of the store and keeps the progress. */
async function forgetJudged(own: Own, store: string): Promise<void> {
  const { verdicts, runs } = await readJudged(own);
  const others = (open: readonly Finding[]): Finding[] => open.filter((finding) => finding.store !== store);
  if (verdicts !== undefined && store === VERDICT_STORE)
    await writeVerdicts(verdictFile(own), { ...verdicts, open: [] });
  if (runs !== undefined) await writeRuns(runFile(own), { ...runs, open: others(runs.open) });
}

export async function readJudged(own: Own): Promise<SavedJudging> {
  return { verdicts: await readVerdicts(verdictFile(own)), runs: await readRuns(runFile(own)) };
}

export function positionFile({ directory }: Own): string {
  return `${directory}/positions.json`;
}

export function messageFile({ directory }: Own): string {
  return `${directory}/messages.json`;
}

export function toldFile({ directory }: Own): string {
  return `${directory}/told.json`;
}

function verdictFile({ directory }: Own): string {
  return `${directory}/verdicts.json`;
}

function runFile({ directory }: Own): string {
  return `${directory}/runs.json`;
}

export async function saveJudged(own: Own, saved: SavedJudging | undefined): Promise<void> {
  if (saved?.verdicts !== undefined) await writeVerdicts(verdictFile(own), saved.verdicts);
  if (saved?.runs !== undefined) await writeRuns(runFile(own), saved.runs);
}
