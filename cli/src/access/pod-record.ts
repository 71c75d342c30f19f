/**
 * The record of an agent on a cluster, read by the command line in the container of the agent, with the right of whoever types
 * (`pods/exec`). The program in there can read the record and nothing else: see `cli/bin/retainer-read.sh`. The one that leaves a
 * person's word can write the spool, too: see `cli/bin/retainer-tell.sh`; the one that looks at the second copy starts git:
 * see `cli/bin/retainer-git.sh`; the one that tries mail servers reads the Secrets, too, and no record: see `cli/bin/retainer-mail.sh`.
 */
import { Readable, type Writable } from 'node:stream';
import { agentPodName } from '@retainer/contract/api/child-names';
import { MOUNTS } from '@retainer/contract/api/names';
import { withoutQuotedValues } from '@retainer/kube/api-error';
import type { ConnectionChoice } from '@retainer/kube/connect';
import { execute, type ExecutionEnd } from '@retainer/kube/exec';
import { CALLER, type Caller } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { AccessError } from './agent-access.ts';
import { collector } from './collector.ts';
import type { ClusterTasks } from './cluster-tasks.ts';
import { missingExec } from './missing-right.ts';

/** What a shell says of a program that is not there: the image is older than the command line. */
const NO_SUCH_PROGRAM = 127;

export interface PodRecordOptions {
  readonly choice: ConnectionChoice;
  readonly namespace: string;
  readonly tasks: ClusterTasks;
  /** How commands in there name this one. */
  readonly caller: Caller;
  readonly hasColour: boolean;
}

export interface RecordCommand {
  /** Its name and options. */
  readonly words: readonly string[];
  readonly arguments?: readonly string[];
  /** Leaves a word for the agent, in the name of whoever types; otherwise it only reads. */
  readonly tells?: true;
  /** Looks at the second copy, which git alone can read. */
  readonly usesGit?: true;
  /** Tries the mail servers, which takes the mounted settings and Secrets, and no record. */
  readonly triesMail?: true;
  /** It goes on until this comes, and ends well then: it ends with its standard input, also where the connection is lost. */
  readonly until?: AbortSignal;
}

export interface Streams {
  readonly out: Writable;
  readonly err: Writable;
}

export class PodRecord {
  readonly #options: PodRecordOptions;

  constructor(options: PodRecordOptions) {
    this.#options = options;
  }

  /** @returns its exit code */
  async run(agent: string, command: RecordCommand, { out, err }: Streams): Promise<number> {
    const { choice, namespace, tasks, caller, hasColour } = this.#options;
    const { words, arguments: last = [], tells, until } = command;
    const user = tells ? await tasks.user() : undefined;
    const variables = variablesOf(user === undefined ? caller : { ...caller, user }, hasColour);
    const end = await execute(choice, {
      namespace,
      pod: agentPodName(agent),
      container: 'agent',
      // An argument that begins with a dash is no option.
      command: [
        'env',
        ...variables,
        programOf(command),
        ...words,
        ...(command.triesMail === true ? [] : ['--data', MOUNTS.data]),
        ...(last.length > 0 ? ['--', ...last] : []),
      ],
      stdout: out,
      stderr: err,
      ...(until === undefined ? {} : { stdin: openUntil(until) }),
    });
    // An API server older than 1.30 can end an input only with the whole connection.
    if (until?.aborted === true && end.type === 'Failed') return exitCodes.done;
    if (end.type === 'Exited' && end.code !== NO_SUCH_PROGRAM) return end.code;
    throw await this.#failure(agent, end);
  }

  /** What it prints on standard output; rejects unless it ends well. */
  async text(agent: string, command: RecordCommand): Promise<string> {
    const out = collector();
    const err = collector();
    const code = await this.run(agent, command, { out: out.stream, err: err.stream });
    if (code !== 0)
      throw new AccessError(`${command.words[0]} ended with ${code} in ${agentPodName(agent)}: ${err.text()}`);
    return out.text();
  }

  async #failure(agent: string, end: ExecutionEnd): Promise<AccessError> {
    const { namespace, tasks } = this.#options;
    const pod = `pod ${agentPodName(agent)} in namespace ${namespace}`;
    const look = `  kubectl -n ${namespace} describe agent ${agent}`;
    if (end.type === 'Exited')
      return new AccessError(`the image of ${pod} is too old for this command: upgrade Retainer there`);
    if (end.type === 'Refused' && end.status === 403)
      return new AccessError(missingExec({ user: await tasks.user(), namespace, pod: agentPodName(agent) }));
    if (end.type === 'Refused' && end.status === 404)
      return new AccessError(`there is no ${pod}; an agent that is suspended or waits has none:\n${look}`);
    const why = end.type === 'Failed' ? withoutQuotedValues(end.message) : `the API server answered ${end.status}`;
    return new AccessError(`the command cannot be run in ${pod}: ${why}\n${look}`);
  }
}

/** Empty, and over when the signal comes. */
function openUntil(signal: AbortSignal): Readable {
  const input = new Readable({ read: () => undefined });
  const end = (): void => void input.push(null);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return input;
}

function programOf({ tells, usesGit, triesMail }: RecordCommand): string {
  if (tells) return 'retainer-tell';
  if (triesMail) return 'retainer-mail';
  return usesGit ? 'retainer-git' : 'retainer-read';
}

/** What the command line in a container must know of the one that calls it. */
export function variablesOf({ program, options = '', user }: Caller, hasColour: boolean): readonly string[] {
  return [
    ...[hasColour ? 'FORCE_COLOR=1' : 'NO_COLOR=1', `${CALLER.program}=${program}`, `${CALLER.options}=${options}`],
    ...(user === undefined ? [] : [`${CALLER.user}=${user}`]),
  ];
}
