/** A git server over HTTP that wants a password: `git http-backend` behind a small server of this process. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface GitServer {
  readonly url: string;
  /** Requests with the right password. */
  readonly admitted: () => number;
  /** What the refused requests had as credentials: undefined for none. */
  readonly refused: () => readonly (string | undefined)[];
  /** Requests whose programs still run: those of a client that was killed end a little later. */
  readonly busy: () => number;
  close(): Promise<void>;
}

/** Makes an empty bare repository that takes pushes. @param path  new */
export function initRemote(path: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  execFileSync('git', ['-C', path, 'config', 'http.receivepack', 'true']);
}

/** The newest commit of a branch. @throws where there is none */
export function tipOf(path: string, branch = 'main'): string {
  return execFileSync('git', ['-C', path, 'rev-parse', `refs/heads/${branch}`], { encoding: 'utf8' }).trim();
}

/**
 * @param root  holds bare repositories that take pushes ({@link initRemote})
 * @param certified  of localhost: it answers over HTTPS then
 */
export async function startGitServer(
  root: string,
  user: string,
  password: string,
  certified?: { readonly key: string; readonly cert: string },
): Promise<GitServer> {
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  let admitted = 0;
  let busy = 0;
  const refused: (string | undefined)[] = [];
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.authorization !== wanted) {
      refused.push(request.headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    admitted += 1;
    busy += 1;
    answer(root, user, request, response).on('close', () => (busy -= 1));
  };
  const server = certified === undefined ? createServer(take) : createSecureServer(certified, take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: certified === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    admitted: () => admitted,
    refused: () => refused,
    busy: () => busy,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The Common Gateway Interface, as far as git needs it. */
function answer(root: string, user: string, request: IncomingMessage, response: ServerResponse): ChildProcess {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: user,
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: request.headers['content-length'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  // Of a client that was killed there is no end of what it sends.
  request.on('close', () => child.stdin.end());
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.on('close', () => {
    const whole = Buffer.concat(pieces);
    const end = whole.indexOf('\r\n\r\n');
    const headers = whole
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ', 2));
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    for (const [name = '', value = ''] of headers) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(whole.subarray(end + 4));
  });
  return child;
}
