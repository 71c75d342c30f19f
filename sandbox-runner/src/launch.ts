/**
 * The command line that starts the code, and its environment. Pure.
 *
 * sh (asks the kernel to end the code first when memory is short) → nice (keeps the runner responsive even when every
 * processor is used) → prlimit (limits that the kernel enforces) → the code. Each step replaces the one before.
 */
import { join } from 'node:path';
import { interpreterArguments, programEnvironment } from '@retainer/contract/wire/program-start';
import type { RunRequest } from '@retainer/contract/wire/runner';

/** `oom_score_adj` goes up to 1000: the kernel kills such a process first. */
const LAUNCH_SCRIPT = 'echo 1000 > /proc/self/oom_score_adj; exec "$@"';
const NICENESS = 19;
/** Enough for any interpreter; bounds the kernel memory of sockets and pipes. */
const OPEN_FILES_MAX = 1024;

type Language = NonNullable<RunRequest['script']>['language'];

/** File name of the script, as error messages of its interpreter show it. */
export const SCRIPT_NAMES: Readonly<Record<Language, string>> = {
  Bash: 'main.sh',
  JavaScript: 'main.js',
  Python: 'main.py',
};

const INTERPRETERS: Readonly<Record<Language, string>> = { Bash: 'bash', JavaScript: 'node', Python: 'python3' };

export interface LaunchPlace {
  readonly workDirectory: string;
  readonly tmpDirectory: string;
  /** Holds the script. */
  readonly scriptDirectory: string;
  /** One file may fill it; the kernel enforces that exactly. Several may exceed it together until they are counted. */
  readonly scratchBytes: number;
  /** The kernel's limit of processes and threads. It counts all of this user on the node, the runner's own included. */
  readonly userThreadsMax: number;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function launchOf(request: RunRequest, place: LaunchPlace): Launch {
  const { script, command = [] } = request;
  const code = script === undefined ? command : interpreterCommand(script.language, place);
  return {
    file: '/bin/sh',
    args: [
      ...['-c', LAUNCH_SCRIPT, 'launch', 'nice', '-n', String(NICENESS)],
      ...['prlimit', '--core=0', `--fsize=${place.scratchBytes}`],
      ...[`--nofile=${OPEN_FILES_MAX}`, `--nproc=${place.userThreadsMax}`, '--'],
      ...code,
    ],
    env: environmentOf(request, place),
  };
}

function interpreterCommand(language: Language, { scriptDirectory, workDirectory }: LaunchPlace): readonly string[] {
  const script = join(scriptDirectory, SCRIPT_NAMES[language]);
  return [INTERPRETERS[language], ...interpreterArguments(language, script, workDirectory)];
}

/** The whole environment of the code: nothing of the runner's own. */
function environmentOf({ proxyUrl }: RunRequest, { tmpDirectory }: LaunchPlace): Record<string, string> {
  const path = '/usr/local/bin:/usr/bin:/bin';
  const proxy = proxyUrl === undefined ? {} : proxyVariables(proxyUrl);
  return { ...programEnvironment({ tmpDirectory, path }), ...proxy };
}

/** Programs disagree on the case of the names. */
function proxyVariables(proxyUrl: string): Record<string, string> {
  const local = 'localhost,127.0.0.1,::1';
  return {
    ...{ HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, NO_PROXY: local },
    ...{ http_proxy: proxyUrl, https_proxy: proxyUrl, no_proxy: local },
  };
}
