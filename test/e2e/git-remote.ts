/** A remote for second copies within the cluster: `git http-backend` in a pod, behind TLS with an authority of its own. */
import { inject } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { makeCertificates } from '../support/certificates.ts';
import { READY_MS, type World } from './world.ts';

const NAME = 'git';
const PORT = 8443;
const ROOT = '/repositories';
const REPOSITORY = `${ROOT}/copies.git`;
/** The name of the Secret and of the ConfigMap that an Agent needs to reach it. */
export const ACCESS = 'git-access';
export const AUTHORITY_KEY = 'ca.crt';

/** The Common Gateway Interface, as far as git needs it. What a client sends goes in as it is: git unpacks it. */
const PROGRAM = String.raw`
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
const [root, repository, port] = process.argv.slice(2);
execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
execFileSync('git', ['-C', repository, 'config', 'http.receivepack', 'true']);
const wanted = 'Basic ' + Buffer.from(process.env.GIT_USER + ':' + process.env.GIT_PASSWORD).toString('base64');
const tls = { key: readFileSync('/tls/tls.key'), cert: readFileSync('/tls/tls.crt') };
createServer(tls, (request, response) => {
  if (request.headers.authorization !== wanted)
    return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const env = {
    PATH: process.env.PATH, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'agent',
    REQUEST_METHOD: request.method, PATH_INFO: pathname, QUERY_STRING: searchParams.toString(),
    CONTENT_TYPE: request.headers['content-type'] ?? '', HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const pieces = [];
  child.stdout.on('data', (piece) => pieces.push(piece));
  child.on('close', () => {
    const whole = Buffer.concat(pieces);
    const end = whole.indexOf('\r\n\r\n');
    const headers = whole.toString('latin1', 0, end).split('\r\n').map((line) => line.split(': ', 2));
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(whole.subarray(end + 4));
  });
}).listen(Number(port));
`;

export interface GitRemote {
  /** For spec.memory.gitRemote. */
  readonly url: string;
  /** Of its pod, for spec.pod.egressCidrs. */
  readonly cidr: string;
  /** The Secret for credentialsSecretRef. */
  readonly secret: RenderedObject;
  /** The ConfigMap for caBundleRef. */
  readonly authority: RenderedObject;
  /** Runs git on its repository, in its pod. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Gives a branch another history, of one commit. @returns its name */
  readonly replaceHistory: (branch: string) => Promise<string>;
}

/** The spec of an agent that copies its record there soon after each change. */
export function copiedTo(
  { url, cidr }: Pick<GitRemote, 'url' | 'cidr'>,
  branch = 'main',
): Readonly<Record<string, unknown>> {
  const access = {
    credentialsSecretRef: { name: ACCESS },
    caBundleRef: { name: ACCESS, key: AUTHORITY_KEY },
  };
  return {
    sandbox: { enabled: false },
    memory: { storage: '1Gi', gitCommitInterval: '5s', gitRemote: { url, branch, pushInterval: '5s', ...access } },
    pod: { terminationGracePeriodSeconds: 10, egressCidrs: [cidr] },
  };
}

export async function startGitRemote(world: World, namespace: string): Promise<GitRemote> {
  const host = `${NAME}.${namespace}.svc`;
  const certificates = makeCertificates(`DNS:${host}`);
  const account = { username: 'agent', password: `secret-of-${namespace}` };
  await world.apply(namespace, [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${NAME}-tls` },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.key': certificates.signed.key, 'tls.crt': certificates.signed.cert },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME }, data: { 'server.mjs': PROGRAM } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME },
      spec: { selector: { app: NAME }, ports: [{ port: PORT }] },
    },
    pod(account),
  ]);
  const isReady = { type: 'Ready', status: 'True' };
  const { status } = await world.condition(namespace, ['pod', NAME], isReady, READY_MS);
  const inPod = (...command: readonly string[]) => world.kubectl.run(['exec', NAME, '-n', namespace, '--', ...command]);
  const git: GitRemote['git'] = (...args) => inPod('git', `--git-dir=${REPOSITORY}`, ...args);
  return {
    url: `https://${host}:${PORT}/copies.git`,
    cidr: `${String(status?.['podIP'])}/32`,
    secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: ACCESS }, stringData: account },
    authority: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ACCESS },
      data: { [AUTHORITY_KEY]: certificates.ca },
    },
    git,
    replaceHistory: async (branch) => {
      const tree = (await git('hash-object', '-t', 'tree', '-w', '/dev/null')).trim();
      const person = ['-c', 'user.name=else', '-c', 'user.email=else@example.org'];
      const commit = (await git(...person, 'commit-tree', '-m', 'of somebody else', tree)).trim();
      await git('update-ref', `refs/heads/${branch}`, commit);
      return commit;
    },
  };
}

/** Of the agent's image, which has both Node and git. */
function pod({ username, password }: { readonly username: string; readonly password: string }): RenderedObject {
  const { tag } = inject('installation');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, labels: { app: NAME } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: NAME,
          image: `docker.io/retainer/agent:${tag}`,
          args: ['/program/server.mjs', ROOT, REPOSITORY, String(PORT)],
          env: [
            { name: 'GIT_USER', value: username },
            { name: 'GIT_PASSWORD', value: password },
          ],
          readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [
            { name: 'program', mountPath: '/program', readOnly: true },
            { name: 'tls', mountPath: '/tls', readOnly: true },
            { name: 'repositories', mountPath: ROOT },
          ],
        },
      ],
      volumes: [
        { name: 'program', configMap: { name: NAME } },
        { name: 'tls', secret: { secretName: `${NAME}-tls` } },
        { name: 'repositories', emptyDir: {} },
      ],
    },
  };
}
