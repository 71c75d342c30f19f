/** Reads the agent's environment variables, in this place only. Reports all faults at once, by variable. */
import { join } from 'node:path';
import { z } from 'zod';
import { ENV, MOUNTS, PORTS } from '@retainer/contract/api/names';
import { Sha256Digest } from '@retainer/contract/api/fields';
import { readProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { redisAddress, type RedisAddress } from './bus/redis-address.ts';

export interface PodConfig {
  readonly agent: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The holder of the agent's Lease. */
  readonly pod: { readonly name: string; readonly uid: string; readonly node: string | undefined };
  readonly digests: { readonly character: string; readonly skills: string; readonly config: string };
  /** Absent if the agent runs no code. */
  readonly sandboxNamespace: string | undefined;
  readonly dataDirectory: string;
  readonly mounts: Readonly<Record<keyof Omit<typeof MOUNTS, 'data' | 'auditorData'>, string>>;
  readonly ports: { readonly http: number; readonly metrics: number };
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  readonly terminationLog: string;
  /** Only outside a cluster. */
  readonly kubeconfig: string | undefined;
  readonly service: { readonly host: string; readonly port: string } | undefined;
  /** The way to other machines: the egress proxy with the operator's grant, or the company's. */
  readonly proxies: ProxySettings;
  readonly lease: { readonly durationMs: number; readonly renewMs: number; readonly retryMs: number };
}

const name = z.string().min(1).max(253);
const port = z.coerce.number().int().min(0).max(65_535);
const seconds = z.coerce.number().positive().max(3600);
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** Faults quote nothing of the URL, which may contain a password. */
const redis = optional.transform((url, context) => {
  if (url === undefined) return undefined;
  const address = redisAddress(url);
  if (address.ok) return address.value;
  context.addIssue(address.error);
  return z.NEVER;
});

const Environment = z.object({
  [ENV.agentName]: name,
  [ENV.agentNamespace]: name,
  [ENV.agentUid]: name,
  [ENV.podName]: name,
  [ENV.podUid]: name,
  [ENV.nodeName]: optional,
  [ENV.characterDigest]: Sha256Digest,
  [ENV.skillsDigest]: Sha256Digest,
  [ENV.configDigest]: Sha256Digest,
  [ENV.sandboxNamespace]: optional,
  [ENV.dataDir]: z.string().min(1).default(MOUNTS.data),
  [ENV.graceSeconds]: seconds.default(60),
  RETAINER_MOUNT_ROOT: z.string().default(''),
  RETAINER_TERMINATION_LOG: z.string().min(1).default('/dev/termination-log'),
  RETAINER_HTTP_PORT: port.default(PORTS.agentHttp),
  RETAINER_METRICS_PORT: port.default(PORTS.agentMetrics),
  RETAINER_LEASE_SECONDS: seconds.default(90),
  RETAINER_RENEW_SECONDS: seconds.default(30),
  RETAINER_RETRY_SECONDS: seconds.default(5),
  KUBECONFIG: optional,
  KUBERNETES_SERVICE_HOST: optional,
  KUBERNETES_SERVICE_PORT: z.string().default('443'),
});

/** @returns the configuration, or one sentence per missing or wrong variable */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Result<PodConfig, readonly string[]> {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) return err(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const { data } = parsed;
  const root = data.RETAINER_MOUNT_ROOT;
  const host = data.KUBERNETES_SERVICE_HOST;
  return ok({
    agent: { namespace: data[ENV.agentNamespace], name: data[ENV.agentName], uid: data[ENV.agentUid] },
    pod: { name: data[ENV.podName], uid: data[ENV.podUid], node: data[ENV.nodeName] },
    digests: {
      character: data[ENV.characterDigest],
      skills: data[ENV.skillsDigest],
      config: data[ENV.configDigest],
    },
    sandboxNamespace: data[ENV.sandboxNamespace],
    dataDirectory: data[ENV.dataDir],
    mounts: {
      boot: join(root, MOUNTS.boot),
      skills: join(root, MOUNTS.skills),
      config: join(root, MOUNTS.config),
      secrets: join(root, MOUNTS.secrets),
      bus: join(root, MOUNTS.bus),
      gitAuthorities: join(root, MOUNTS.gitAuthorities),
      mailAuthorities: join(root, MOUNTS.mailAuthorities),
      workspaceSeeds: join(root, MOUNTS.workspaceSeeds),
    },
    ports: { http: data.RETAINER_HTTP_PORT, metrics: data.RETAINER_METRICS_PORT },
    graceMs: data[ENV.graceSeconds] * 1000,
    terminationLog: data.RETAINER_TERMINATION_LOG,
    kubeconfig: data.KUBECONFIG,
    service: host === undefined ? undefined : { host, port: data.KUBERNETES_SERVICE_PORT },
    proxies: readProxies(environment),
    lease: {
      durationMs: data.RETAINER_LEASE_SECONDS * 1000,
      renewMs: data.RETAINER_RENEW_SECONDS * 1000,
      retryMs: data.RETAINER_RETRY_SECONDS * 1000,
    },
  });
}

export interface AuditorConfig {
  readonly agent: string;
  readonly redis: RedisAddress | { readonly urlFile: string };
}

const AuditorEnvironment = z
  .object({ [ENV.agentName]: name, [ENV.agentNamespace]: name, [ENV.redisUrl]: redis, [ENV.redisUrlFile]: optional })
  .refine((data) => data[ENV.redisUrl] === undefined || data[ENV.redisUrlFile] === undefined, {
    path: [ENV.redisUrlFile],
    message: `unset it or ${ENV.redisUrl}: only one of them may name the Redis`,
  });

/** @returns undefined without a shared bus; on faults, one sentence per missing or wrong variable */
export function readAuditorConfig(
  environment: NodeJS.ProcessEnv = process.env,
): Result<AuditorConfig | undefined, readonly string[]> {
  if (![ENV.redisUrl, ENV.redisUrlFile].some((variable) => (environment[variable] ?? '') !== '')) return ok(undefined);
  const parsed = AuditorEnvironment.safeParse(environment);
  if (!parsed.success) return err(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const { data } = parsed;
  const urlFile = data[ENV.redisUrlFile];
  const address = urlFile === undefined ? data[ENV.redisUrl] : { urlFile };
  const agent = `${data[ENV.agentNamespace]}/${data[ENV.agentName]}`;
  return ok(address === undefined ? undefined : { agent, redis: address });
}
