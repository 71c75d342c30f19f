/**
 * Reads the operator's environment; no other module does. Reports all faults at once, each with the variable and its allowed
 * values.
 */
import { z } from 'zod';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Settings } from './settings/settings.ts';

export interface Config {
  readonly settings: Settings;
  readonly podName: string;
  /** Undefined outside a cluster. */
  readonly podUid: string | undefined;
  /** Address of a known listener, which the canary tries. */
  readonly podIp: string;
  readonly lease: { readonly durationMs: number; readonly renewDeadlineMs: number; readonly retryMs: number };
  /** Present inside a cluster. */
  readonly service: { readonly host: string; readonly port: string } | undefined;
  /** Outside a cluster. */
  readonly kubeconfig: string | undefined;
  readonly health: { readonly port: number };
  readonly metrics: {
    readonly port: number;
    readonly tls: { readonly cert: string; readonly key: string } | undefined;
  };
  readonly isVerbose: boolean;
}

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''));
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));
const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const positive = z.coerce.number().int().min(1);
const port = z.coerce.number().int().min(1).max(65_535);
const labels = z.string().transform((text, context) => {
  const pairs = text.split(',').map((pair) => pair.split('='));
  if (pairs.every((pair) => pair.length === 2)) return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
  context.addIssue('must be KEY=VALUE, separated by commas');
  return z.NEVER;
});

const proxyUrl = optional.refine(
  (text) => text === undefined || (/^https?:\/\/[^\s/@]+$/.test(text) && URL.canParse(text)),
  {
    message: 'must be http://HOST:PORT, without a name and a password: a pod’s environment is no place for them',
  },
);

const Environment = z
  .object({
    RETAINER_NAMESPACE: z.string().min(1),
    RETAINER_POD_NAME: z.string().min(1),
    RETAINER_POD_UID: optional,
    RETAINER_POD_IP: z.string().default(''),
    RETAINER_WATCH_NAMESPACES: list,
    RETAINER_SANDBOX_NAMESPACE: z.string().min(1),
    RETAINER_SANDBOX_ROOT_NAMESPACE: optional,
    RETAINER_AGENT_IMAGE: z.string().min(1),
    RETAINER_SANDBOX_IMAGE: z.string().min(1),
    RETAINER_IMAGE_PULL_POLICY: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
    RETAINER_IMAGE_PULL_SECRETS: list,
    RETAINER_API_SERVER_CIDRS: list,
    RETAINER_API_SERVER_PORTS: z
      .string()
      .default('443,6443')
      .transform((text) => text.split(',').map(Number))
      .pipe(z.array(z.int().min(1).max(65_535)).min(1)),
    RETAINER_DNS_NAMESPACE: z.string().min(1).default('kube-system'),
    RETAINER_DNS_LABELS: z.string().default('k8s-app=kube-dns').pipe(labels),
    RETAINER_METRICS_NAMESPACE: optional,
    RETAINER_EGRESS_PROXY: optional,
    RETAINER_AGENT_HTTPS_PROXY: proxyUrl,
    RETAINER_AGENT_NO_PROXY: list,
    RETAINER_AGENT_PROXY_CIDRS: list,
    RETAINER_SANDBOX_RUNTIME_CLASS: optional,
    RETAINER_SANDBOX_RUNTIME_CLASSES_ALLOWED: list,
    RETAINER_ROLLING_AGENTS_MAX: positive.default(1),
    RETAINER_HAS_USER_NAMESPACES: flag,
    RETAINER_LEASE_SECONDS: z.coerce.number().positive().default(15),
    RETAINER_RENEW_SECONDS: z.coerce.number().positive().default(10),
    RETAINER_RETRY_SECONDS: z.coerce.number().positive().default(2),
    RETAINER_LOG_LEVEL: z.enum(['info', 'debug']).default('info'),
    RETAINER_VERSION: z.string().min(1).default('0.1.0'),
    RETAINER_HEALTH_PORT: port.default(8081),
    RETAINER_METRICS_PORT: port.default(8443),
    RETAINER_TLS_CERT_FILE: optional,
    RETAINER_TLS_KEY_FILE: optional,
    KUBERNETES_SERVICE_HOST: optional,
    KUBERNETES_SERVICE_PORT: z.string().default('443'),
    KUBECONFIG: optional,
  })
  .refine(({ RETAINER_LEASE_SECONDS: lease, RETAINER_RENEW_SECONDS: renew }) => renew < lease, {
    path: ['RETAINER_RENEW_SECONDS'],
    message: 'must be below RETAINER_LEASE_SECONDS, else two leaders could act at once',
  });
type Environment = z.infer<typeof Environment>;

/** @returns the configuration, or one sentence for each fault */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
): Result<Config, readonly string[]> {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) return err(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  return ok(configOf(parsed.data));
}

export function processConfig(): Result<Config, readonly string[]> {
  return parseConfig(process.env);
}

function configOf(env: Environment): Config {
  const { RETAINER_TLS_CERT_FILE: cert, RETAINER_TLS_KEY_FILE: key, KUBERNETES_SERVICE_HOST: host } = env;
  return {
    settings: settingsOf(env),
    podName: env.RETAINER_POD_NAME,
    podUid: env.RETAINER_POD_UID,
    podIp: env.RETAINER_POD_IP,
    lease: {
      durationMs: env.RETAINER_LEASE_SECONDS * 1000,
      renewDeadlineMs: env.RETAINER_RENEW_SECONDS * 1000,
      retryMs: env.RETAINER_RETRY_SECONDS * 1000,
    },
    service: host === undefined ? undefined : { host, port: env.KUBERNETES_SERVICE_PORT },
    kubeconfig: env.KUBECONFIG,
    health: { port: env.RETAINER_HEALTH_PORT },
    metrics: {
      port: env.RETAINER_METRICS_PORT,
      tls: cert === undefined || key === undefined ? undefined : { cert, key },
    },
    isVerbose: env.RETAINER_LOG_LEVEL === 'debug',
  };
}

function companyProxyOf(env: Environment): Pick<Settings['network'], 'companyProxy'> {
  const { RETAINER_AGENT_HTTPS_PROXY: url, RETAINER_AGENT_NO_PROXY: direct, RETAINER_AGENT_PROXY_CIDRS: cidrs } = env;
  return url === undefined ? {} : { companyProxy: { url, direct, cidrs } };
}

function settingsOf(env: Environment): Settings {
  return {
    namespace: env.RETAINER_NAMESPACE,
    watchNamespaces: env.RETAINER_WATCH_NAMESPACES.length === 0 ? undefined : env.RETAINER_WATCH_NAMESPACES,
    sandboxNamespace: env.RETAINER_SANDBOX_NAMESPACE,
    sandboxRootNamespace: env.RETAINER_SANDBOX_ROOT_NAMESPACE,
    images: {
      agent: env.RETAINER_AGENT_IMAGE,
      sandbox: env.RETAINER_SANDBOX_IMAGE,
      pullPolicy: env.RETAINER_IMAGE_PULL_POLICY,
      pullSecrets: env.RETAINER_IMAGE_PULL_SECRETS,
    },
    network: {
      apiServerCidrs: env.RETAINER_API_SERVER_CIDRS,
      apiServerPorts: env.RETAINER_API_SERVER_PORTS,
      dns: { namespace: env.RETAINER_DNS_NAMESPACE, podLabels: env.RETAINER_DNS_LABELS },
      metricsNamespace: env.RETAINER_METRICS_NAMESPACE,
      egressProxy: env.RETAINER_EGRESS_PROXY,
      ...companyProxyOf(env),
    },
    sandboxRuntimeClassName: env.RETAINER_SANDBOX_RUNTIME_CLASS,
    sandboxRuntimeClassesAllowed: env.RETAINER_SANDBOX_RUNTIME_CLASSES_ALLOWED,
    rollingAgentsMax: env.RETAINER_ROLLING_AGENTS_MAX,
    version: env.RETAINER_VERSION,
    hasUserNamespaces: env.RETAINER_HAS_USER_NAMESPACES,
  };
}
