/** A real API server for tests: our own on this machine, or the one that KUBECONFIG names. */
import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CLUSTER = fileURLToPath(new URL('../cluster/cluster', import.meta.url));
/** Building Kubernetes once takes about five minutes on two cores; twice that. */
const UP_TIMEOUT_MS = 600_000;
/** A command of kubectl answers in a second or it will not. */
const COMMAND_TIMEOUT_MS = 60_000;
/** Discovery and explain answer some hundred kilobytes. */
const OUTPUT_BYTES_MAX = 16_777_216;

/** What the API server answered. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiServer {
  /** What kubectl printed. Rejects with its error text. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** One call of the HTTP interface; rejects on a broken connection only. */
  call(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Stops what was started here, and nothing else. */
  stop(): Promise<void>;
}

/** @param kubeconfig  path of a kubeconfig; our own cluster is started without one */
export async function startApiServer(kubeconfig: string | undefined): Promise<ApiServer> {
  if (kubeconfig !== undefined) return connect(['kubectl'], async () => undefined);
  const isOurs = await up();
  return connect([CLUSTER, 'kubectl'], async () => {
    if (isOurs) await run(CLUSTER, ['down'], { timeout: COMMAND_TIMEOUT_MS });
  });
}

/** Starts the control plane; false where it ran already. Rejects with the script's own words, which say what to install. */
async function up(): Promise<boolean> {
  try {
    const { stderr } = await run(CLUSTER, ['up', '--control-plane'], { timeout: UP_TIMEOUT_MS });
    return !stderr.includes('already up');
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    throw new Error(`cannot start an API server: ${stderr?.trim() ?? String(cause)}`, { cause });
  }
}

async function connect(kubectlCommand: readonly string[], stop: () => Promise<void>): Promise<ApiServer> {
  const [program = 'kubectl', ...first] = kubectlCommand;
  const kubectl = async (...args: readonly string[]) => {
    const { stdout } = await run(program, [...first, ...args], {
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return stdout;
  };
  const access = parseAccess(await kubectl('config', 'view', '--raw', '--minify', '-o', 'json'));
  return { kubectl, call: (method, path, body) => call(access, { method, path, body }), stop };
}

interface Access {
  readonly server: string;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

function parseAccess(text: string): Access {
  const config = JSON.parse(text) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const cluster = config.clusters[0]?.cluster ?? {};
  const user = config.users[0]?.user ?? {};
  const bytes = (data: string | undefined) => Buffer.from(data ?? '', 'base64');
  return {
    server: cluster['server'] ?? '',
    ca: bytes(cluster['certificate-authority-data']),
    cert: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

function call({ server, ...tls }: Access, { method, path, body }: Call): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const sent = request(
      new URL(path, server),
      { method, headers, timeout: COMMAND_TIMEOUT_MS, ...tls },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
