/** `retainer journal acknowledge`: a person's word about what an auditor found, here or on a cluster. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';
import { isOnCluster } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { AUDITOR_DIRECTORY } from '../local-auditor.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { acknowledgeOnCluster } from './cluster-journal.ts';

export interface AcknowledgeFlags extends PlaceFlags {
  readonly reason: string;
  readonly output: OutputFormat;
}

/** @param place  a store, or the place of a gap such as `cycle/21` */
export async function acknowledgeCommand(place: string, flags: AcknowledgeFlags): Promise<number> {
  if (isOnCluster(flags)) return acknowledgeOnCluster(place, flags);
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const own = join(resolve(directory.value), AUDITOR_DIRECTORY);
  if (!(await isDirectory(own))) return refuse(output, `no auditor was at work here: there is no ${own}`);
  const where = ['--journal', join(resolve(directory.value), 'journal'), '--own', own];
  const word = ['--set-aside', place, `--reason=${flags.reason}`, `--by=${environment.userName}`];
  const said = { place, reason: flags.reason, by: environment.userName };
  return tellEnd(output, said, await auditor([...where, ...word]));
}

interface Said {
  readonly place: string;
  readonly reason: string;
  readonly by: string;
}

/** @returns the exit code */
function tellEnd(output: Output, said: Said, { code, lines }: AuditorEnd): number {
  const [told] = lines.flatMap((line) => Line.safeParse(parseJson(line)).data ?? []);
  const why = told?.why ?? told?.error ?? lines.join('; ');
  const isAccepted = code === 0;
  output.data({ ...said, isAccepted, ...(isAccepted ? {} : { why }) });
  if (!isAccepted) return refuse(output, why, code === AUDITOR_USAGE ? exitCodes.usage : exitCodes.failed);
  output.line(`${said.place}: ${told?.message ?? 'accepted'}, on the word of ${said.by}`, 'Good');
  return exitCodes.done;
}

const Line = z.object({ message: z.string(), why: z.string().optional(), error: z.string().optional() });

/** The auditor's own exit code where the word names nothing. */
const AUDITOR_USAGE = 2;

interface AuditorEnd {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Hands the word to the auditor at work, if there is one. */
function auditor(args: readonly string[]): Promise<AuditorEnd> {
  const program = fileURLToPath(import.meta.resolve('@retainer/agent-pod/auditor-main'));
  return new Promise((done) => {
    execFile(process.execPath, [...process.execArgv, program, ...args], { env: {} }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : exitCodes.failed;
      done({ code, lines: `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '') });
    });
  });
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
