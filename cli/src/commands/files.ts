/** `retainer files`: whom the agent believes of what stands in its workspace, and a person's word about a file. */
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { hashFile, listFiles, traceFile, type ListedFile } from '@retainer/agent-pod/review/workspace-files';
import { printable } from '@retainer/contract/std/printable';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalRecord } from '@retainer/journal/journal';
import { renderPlural } from '@retainer/mind/explain/figures';
import { parseWorkspacePath } from '@retainer/mind/gate/workspace-path';
import { askRecord } from '../access/ask-record.ts';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveWord } from '../leave-word.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface FilesFlags extends PlaceFlags {
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

export function listCommand(flags: FilesFlags): Promise<number> {
  return askRecord(flags, { words: ['files', 'list'] }, async ({ output, directory, reader }) => {
    const listed = await listFiles(reader, directory);
    output.data(listed);
    for (const { path, isLink, trust, why, runId } of listed.files) {
      const by = `${isLink === true ? 'link, ' : ''}${origins[why]}${runId === undefined ? '' : `, run ${runId}`}`;
      output.line(`${trust.padEnd(9)}  ${printable(path)}  (${by})`);
    }
    const untrusted = listed.files.filter(({ trust }) => trust === 'Untrusted').length;
    output.line(`${renderPlural(listed.files.length, 'file')}, ${untrusted} of them untrusted`, 'Quiet');
    for (const { path, why } of listed.unlooked) output.line(`not looked at: ${printable(path)}: ${why}`, 'Warning');
    if (listed.isCut) output.line('there are more files; the rest was not looked at', 'Warning');
    return exitCodes.done;
  });
}

export function traceCommand(given: string, flags: FilesFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const command = { words: ['files', 'trace'], arguments: [given] };
  return besideAgent(flags, command, { output, here: () => traceHere(given, flags, output) });
}

async function traceHere(given: string, flags: FilesFlags, output: Output): Promise<number> {
  const found = await find(given, flags.data);
  if (!found.ok) return refuse(output, found.error);
  const { directory, path } = found.value;
  const records = await traceFile(await openRecords(directory), path);
  const now = await hashFile(directory, path);
  const last = records.at(-1)?.payload as { readonly digest?: string; readonly isLink?: true } | undefined;
  const isRecorded = now.ok && now.value.digest === last?.digest && now.value.isLink === last.isLink;
  output.data({ path, records, stands: now.ok ? now.value : null, isRecorded });
  for (const record of records) output.line(recordLine(record));
  if (!now.ok) output.line(`now: ${path} ${now.error}`, 'Warning');
  else if (isRecorded)
    output.line(`now: ${now.value.isLink === true ? 'this link stands' : 'these bytes stand'} there`, 'Good');
  else output.line("now: a stranger's: the record does not have the bytes that stand there", 'Warning');
  return exitCodes.done;
}

function recordLine({ timeMs, kind, runId, principal, payload }: JournalRecord): string {
  const { why, trusted, isLink, callId, by, reason } = payload as Readonly<
    Record<string, string | boolean | undefined>
  >;
  const who = [
    `${by ?? principal}`,
    ...(runId === undefined ? [] : [`run ${runId}`]),
    ...(callId === undefined ? [] : [`call ${callId}`]),
  ];
  const what =
    kind === 'FileForgotten'
      ? 'gone'
      : `${trusted === true ? 'trusted' : 'untrusted'}${isLink === true ? ', link' : ''}${why === undefined ? '' : `, ${why}`}`;
  const because = reason === undefined ? '' : `: ${JSON.stringify(reason)}`;
  return printable(`${new Date(timeMs).toISOString()}  ${what}  (${who.join(', ')})${because}`);
}

export function trustCommand(given: string, flags: TrustFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const words = ['files', 'trust', `--reason=${flags.reason}`, ...(flags.revoke === true ? ['--revoke'] : [])];
  const command = { words, arguments: [given], tells: true } as const;
  return besideAgent(flags, command, { output, here: () => trustHere(given, flags, output) });
}

async function trustHere(given: string, flags: TrustFlags, output: Output): Promise<number> {
  const found = await find(given, flags.data);
  if (!found.ok) return refuse(output, found.error);
  const { directory, path } = found.value;
  const stands = await hashFile(directory, path);
  if (!stands.ok) return refuse(output, `${path} ${stands.error}`);
  const trusted = flags.revoke !== true;
  const word = { type: 'TrustFile', path, ...stands.value, trusted, reason: flags.reason } as const;
  output.data(await leaveWord(directory, word));
  const told = trusted ? 'will be believed as it stands now' : 'will not be believed';
  const what = stands.value.isLink === true ? `${path}, a link,` : path;
  output.line(`${what} ${told} (sha256 ${stands.value.digest}); the agent reads this when it runs`, 'Good');
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
