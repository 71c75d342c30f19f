/** The agent's real program, as built and as a pod runs it: mounts, environment, an API server of the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MOUNTS } from '@retainer/contract/api/names';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { documentDigest, skillsDigest } from '@retainer/contract/wire/boot';
import { agentDefinition } from './agents.ts';
import { tokenKubeconfig } from './token-kubeconfig.ts';

const program = fileURLToPath(new URL('../../agent-pod/dist/main.js', import.meta.url));
/** A program that says nothing for so long has failed. */
const sayWithinMs = 60_000;

export interface PodSetup {
  /** Holds mounts, volume and kubeconfig. */
  readonly directory: string;
  /** Of the API server. */
  readonly url: string;
  /** Fields of the Agent's spec. */
  readonly spec: object;
  /** Instead of what the environment says by default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** NAME/KEY to content. */
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface PodProcess {
  readonly child: ChildProcess;
  readonly lines: readonly LoggedLine[];
  /** Resolves with the line, also where it was logged before; rejects when the program ends without. */
  logged(message: string, times?: number): Promise<LoggedLine>;
  /** The exit code; undefined where a signal ended it. */
  readonly ended: Promise<number | undefined>;
  /** What `/readyz` and the like answer. */
  ask(path: string): Promise<{ readonly status: number; readonly body: string }>;
  terminationMessage(): Promise<unknown>;
}

const running = new Set<ChildProcess>();

/** For `afterEach`: a test that failed leaves no program behind. */
export function endPods(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Writes what the operator would mount, and starts the program. */
export async function startPod(setup: PodSetup): Promise<PodProcess> {
  const { directory, url, environment = {} } = setup;
  const mounted = await writeMounts(setup);
  return startAgentProgram({
    directory,
    url,
    user: 'system:serviceaccount:default:retainer-ada',
    environment: {
      RETAINER_AGENT_NAME: 'ada',
      RETAINER_AGENT_NAMESPACE: 'default',
      RETAINER_AGENT_UID: 'agent-uid',
      RETAINER_POD_NAME: 'retainer-ada-0',
      RETAINER_POD_UID: 'pod-uid',
      RETAINER_GRACE_SECONDS: '20',
      RETAINER_RETRY_SECONDS: '0.5',
      ...mounted,
      ...environment,
    },
  });
}

export interface AgentProgram {
  /** Holds the volume, and what is mounted, each below its path. */
  readonly directory: string;
  /** Of the API server. */
  readonly url: string;
  readonly user: string;
  /** As the pod has it; ports and places are the test's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** On what lies below its directory. */
export async function startAgentProgram({ directory, url, user, environment }: AgentProgram): Promise<PodProcess> {
  const kubeconfig = join(directory, 'kubeconfig.json');
  await writeFile(kubeconfig, tokenKubeconfig(url, user));
  const terminationLog = join(directory, 'termination-log');
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      ...environment,
      RETAINER_MOUNT_ROOT: directory,
      RETAINER_DATA_DIR: join(directory, 'data'),
      RETAINER_HTTP_PORT: '0',
      RETAINER_METRICS_PORT: '0',
      RETAINER_TERMINATION_LOG: terminationLog,
      KUBECONFIG: kubeconfig,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  return podProcess(child, terminationLog);
}

function podProcess(child: ChildProcess, terminationLog: string): PodProcess {
  const lines: LoggedLine[] = [];
  const watchers = new Set<() => void>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part) as LoggedLine));
    for (const look of watchers) look();
  });
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      running.delete(child);
      resolve(code ?? undefined);
    });
  });
  const logged = (message: string, times = 1): Promise<LoggedLine> =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`"${message}" ${why}: ${JSON.stringify(lines)}`));
      const timer = setTimeout(() => fail('was not logged in time'), sayWithinMs);
      const look = (): void => {
        const found = lines.filter((line) => line.message.startsWith(message))[times - 1];
        if (found === undefined) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
      void ended.then(() => {
        clearTimeout(timer);
        fail('was not logged before the end');
      });
    });
  return {
    child,
    lines,
    logged,
    ended,
    ask: async (path) => {
      const { ports } = await logged('the agent starts');
      const { http, metrics } = ports as { readonly http: number; readonly metrics: number };
      const answer = await fetch(`http://127.0.0.1:${path === '/metrics' ? metrics : http}${path}`);
      return { status: answer.status, body: await answer.text() };
    },
    terminationMessage: async () => JSON.parse(await readFile(terminationLog, 'utf8')) as unknown,
  };
}

/** @returns the digests, as the environment names them */
async function writeMounts({ directory, spec, secrets = {} }: PodSetup): Promise<Record<string, string>> {
  const { agent, character } = agentDefinition(spec);
  const files: Record<string, string> = {
    [`${MOUNTS.boot}/agent.json`]: JSON.stringify(agent),
    [`${MOUNTS.boot}/character.json`]: JSON.stringify(character),
    ...Object.fromEntries(Object.entries(secrets).map(([path, text]) => [`${MOUNTS.secrets}/${path}`, text])),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return {
    RETAINER_CHARACTER_DIGEST: characterDigest(character.spec),
    RETAINER_SKILLS_DIGEST: skillsDigest([]),
    RETAINER_CONFIG_DIGEST: documentDigest(JSON.parse(JSON.stringify(agent))),
  };
}
