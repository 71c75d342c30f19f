/** A command run in a container of a pod, over the WebSocket of the client library. */
import type { Readable, Writable } from 'node:stream';
import type { ConnectionChoice } from './connect.ts';
import { loadKubeconfig } from './connect-kubeconfig.ts';

export interface Execution {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Absent: it has none. Its end, or that of the connection, is the end of the command's standard input. */
  readonly stdin?: Readable;
}

export type ExecutionEnd =
  | { readonly type: 'Exited'; readonly code: number }
  /** The API server did not begin it: 403 without the right, 404 without the pod. */
  | { readonly type: 'Refused'; readonly status: number }
  /** It did not begin in the container, or the connection broke before it ended. */
  | { readonly type: 'Failed'; readonly message: string };

/** The part of a `Status` that tells how a command ended. */
interface EndStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly details?:
    | { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] | undefined }
    | undefined;
}

/** Needs the verbs `get` and `create` on `pods/exec`. Both streams have ended when it resolves with an exit code. */
export async function execute({ service, kubeconfig }: ConnectionChoice, execution: Execution): Promise<ExecutionEnd> {
  const { Exec, KubeConfig } = await import('@kubernetes/client-node');
  const config = service === undefined ? await loadKubeconfig(kubeconfig) : new KubeConfig();
  if (service !== undefined) config.loadFromCluster();
  const { namespace, pod, container, command, stdout, stderr, stdin = null } = execution;
  return new Promise((resolve) => {
    const onStatus = (status: EndStatus): void => {
      resolve(endOf(status));
      // Nothing comes any more: a server that does not close would hold the program for half a minute.
      void opened.then((socket) => socket.terminate());
    };
    const opened = new Exec(config).exec(
      namespace,
      pod,
      container,
      [...command],
      stdout,
      stderr,
      stdin,
      false,
      onStatus,
    );
    opened.then(
      (socket) => {
        socket.onclose = () => resolve({ type: 'Failed', message: 'the connection broke before the command ended' });
      },
      (error: unknown) => resolve(refusalOf(error)),
    );
  });
}

function endOf({ status, message = '', details }: EndStatus): ExecutionEnd {
  if (status === 'Success') return { type: 'Exited', code: 0 };
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return code === undefined ? { type: 'Failed', message } : { type: 'Exited', code: Number(code) };
}

/** The library tells a refusal in words only. */
function refusalOf(error: unknown): ExecutionEnd {
  const message = isMessage(error) ? error.message : String(error);
  const status = /^Unexpected server response: (\d{3})$/.exec(message)?.[1];
  return status === undefined ? { type: 'Failed', message } : { type: 'Refused', status: Number(status) };
}

function isMessage(error: unknown): error is { readonly message: string } {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}
