/** `retainer files`: whom the agent believes of what stands in its workspace, and a person's word about a file. */
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { hashFile, listFiles, traceFile, type ListedFile } from '@retainer/agent-pod/review/workspace-files';
import { printable } from '@retainer/contract/std/printable';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalRecord } from '@retainer/journal/journal';
import { renderPlural } from '@retainer/mind/explain/figures';
import { parseWorkspacePath } from '@retainer/mind/gate/workspace-path';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface FilesFlags {
  readonly data?: string;
  readonly output: OutputFormat;
}

export interface TrustFlags extends FilesFlags {
  readonly reason: string;
  readonly revoke?: true;
}

/** Who put the bytes there, for people. */
const origins: Readonly<Record<ListedFile['why'], string>> = {
  Seed: 'seed of the manifests',
  Write: 'written by the agent',
  Program: 'left by a program',
  Person: 'on the word of a person',
  Stranger: "a stranger's",
};

export async function listCommand(flags: FilesFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const listed = await listFiles(await openRecords(directory.value), directory.value);
  output.data(listed);
  for (const { path, trust, why, runId } of listed.files) {
    const by = runId === undefined ? '' : `, run ${runId}`;
    output.line(`${trust.padEnd(9)}  ${printable(path)}  (${origins[why]}${by})`);
  }
  const untrusted = listed.files.filter(({ trust }) => trust === 'Untrusted').length;
  output.line(`${renderPlural(listed.files.length, 'file')}, ${untrusted} of them untrusted`, 'Quiet');
  if (listed.isCut) output.line('there are more files; the rest was not looked at', 'Warning');
  return exitCodes.done;
}

export async function traceCommand(given: string, flags: FilesFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const found = await find(given, flags.data);
  if (!found.ok) return refuse(output, found.error);
  const { directory, path } = found.value;
  const records = await traceFile(await openRecords(directory), path);
  const now = await hashFile(directory, path);
  const last = records.at(-1)?.payload as { readonly digest?: string } | undefined;
  const isRecorded = now.ok && now.value.digest === last?.digest;
  output.data({ path, records, stands: now.ok ? now.value : null, isRecorded });
  for (const record of records) output.line(recordLine(record));
  if (!now.ok) output.line(`now: ${path} ${now.error}`, 'Warning');
  else if (isRecorded) output.line('now: these bytes stand there', 'Good');
  else output.line("now: a stranger's: the record does not have the bytes that stand there", 'Warning');
  return exitCodes.done;
}

function recordLine({ timeMs, kind, runId, principal, payload }: JournalRecord): string {
  const { why, trusted, callId, by, reason } = payload as Readonly<Record<string, string | boolean | undefined>>;
  const who = [
    `${by ?? principal}`,
    ...(runId === undefined ? [] : [`run ${runId}`]),
    ...(callId === undefined ? [] : [`call ${callId}`]),
  ];
  const what =
    kind === 'FileForgotten'
      ? 'gone'
      : `${trusted === true ? 'trusted' : 'untrusted'}${why === undefined ? '' : `, ${why}`}`;
  const because = reason === undefined ? '' : `: ${JSON.stringify(reason)}`;
  return printable(`${new Date(timeMs).toISOString()}  ${what}  (${who.join(', ')})${because}`);
}

export async function trustCommand(given: string, flags: TrustFlags): Promise<number> {
  const { colour, userName } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const found = await find(given, flags.data);
  if (!found.ok) return refuse(output, found.error);
  const { directory, path } = found.value;
  const stands = await hashFile(directory, path);
  if (!stands.ok) return refuse(output, `${path} ${stands.error}`);
  const trusted = flags.revoke !== true;
  const command = { type: 'TrustFile', path, ...stands.value, trusted, by: userName, reason: flags.reason } as const;
  const originId = await leaveCommand(directory, command);
  output.data({ ...command, originId });
  const told = trusted ? 'will be believed as it stands now' : 'will not be believed';
  output.line(`${path} ${told} (sha256 ${stands.value.digest}); the agent reads this when it runs`, 'Good');
  return exitCodes.done;
}

async function find(
  given: string,
  data: string | undefined,
): Promise<Result<{ readonly directory: string; readonly path: string }, string>> {
  const path = parseWorkspacePath(given);
  if (!path.ok) return err(`${JSON.stringify(given)} ${path.error}`);
  const directory = await findDataDirectory(data);
  return directory.ok ? ok({ directory: directory.value, path: path.value }) : directory;
}
