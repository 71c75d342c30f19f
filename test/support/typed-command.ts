/** A command of a page, typed into a shell: what is typed, and whether it did what its row says. */
import { execFile } from 'node:child_process';
import type { ClusterRow, HereRow } from './command-row.ts';

export type TypedRow = ClusterRow | HereRow;

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

export function typeInto({ cwd, env, timeoutMs }: Place, command: string): Promise<Ended> {
  const options = { env, cwd, timeout: timeoutMs, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const child = execFile('bash', ['-o', 'pipefail', '-c', command], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? -1), stdout, stderr }),
    );
    // What reads its input ends at once.
    child.stdin?.end();
  });
}

/**
 * What pages write in place of a name: words in capitals, `…`, and the names of their examples; and `<1>`, `<2>` … for what a program
 * knows when it tells a command.
 */
const PLACEHOLDER = /<\d>|\/somewhere\/else|pdf-tools\/|cycle\/1234|corpus\.jsonl|…|\b[A-Z]{2,}\b/g;

export function withWords(command: string, words: Readonly<Record<string, string>>): string {
  return command.replaceAll(PLACEHOLDER, (word) => words[word] ?? word);
}

/** Of a program that a signal ended. */
const ENDED_BY_SIGTERM = 143;
const exitCodes = { no: [0], yes: [1], IfNothing: [0, 1], Abandoned: [2], Ended: [ENDED_BY_SIGTERM] } as const;

/** @returns nothing where the row is right, else what was typed and told */
export function faultsOf(line: string, row: TypedRow, { code, stdout, stderr }: Ended): readonly string[] {
  const told = `${stdout}${stderr}`.trim();
  const codes: readonly (number | string)[] =
    exitCodes[row.fails === undefined ? 'no' : row.fails === true ? 'yes' : row.fails];
  const isShown = row.shows === 'Nothing' ? told === '' : row.shows.test(told);
  const isNothing = row.fails === 'IfNothing' && code === 1 && told === '';
  if (codes.includes(code) && (isShown || isNothing)) return [];
  return [`$ ${line}\nended with ${code}, does not show ${row.shows}:\n${told.slice(0, 2000)}`];
}
