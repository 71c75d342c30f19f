/** Reads the environment of the egress proxy; no other module does. */
import { z } from 'zod';
import { PORTS } from '@retainer/contract/api/names';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX, DEFAULT_PORTS } from './proxy-limits.ts';

/** Differs from the agent's and the auditor's port, so that no two programs of Retainer share one. */
const METRICS_PORT = 9092;

export interface ProxyConfig {
  readonly keyFile: string;
  readonly port: number;
  readonly metricsPort: number;
  /** Ports that clients may reach. */
  readonly ports: readonly number[];
  /** Ports that agents may reach beside those. */
  readonly agentPorts: readonly number[];
  /** Whether only the pod of a grant may use it. */
  readonly bindsGrants: boolean;
  readonly connectionsPerAddress: number;
}

const PORT_MAX = 65_535;
const port = z.coerce.number().int().min(1).max(PORT_MAX);
const portList = z
  .string()
  .transform((text) => (text === '' ? [] : text.split(',').map(Number)))
  .pipe(z.array(z.int().min(1).max(PORT_MAX)));

const Environment = z
  .object({
    RETAINER_PROXY_KEY_FILE: z.string().min(1),
    RETAINER_PROXY_PORT: port.default(PORTS.egressProxy),
    RETAINER_PROXY_METRICS_PORT: port.default(METRICS_PORT),
    RETAINER_PROXY_ALLOWED_PORTS: portList.default([...DEFAULT_PORTS]),
    RETAINER_PROXY_AGENT_PORTS: portList.default([]),
    RETAINER_PROXY_BINDS_GRANTS: z.enum(['true', 'false']).default('true'),
    RETAINER_PROXY_CONNECTIONS_PER_ADDRESS: z.coerce
      .number()
      .int()
      .min(1)
      .max(CONNECTIONS_MAX)
      .default(CONNECTIONS_PER_ADDRESS_MAX),
  })
  .transform((env) => ({
    keyFile: env.RETAINER_PROXY_KEY_FILE,
    port: env.RETAINER_PROXY_PORT,
    metricsPort: env.RETAINER_PROXY_METRICS_PORT,
    ports: env.RETAINER_PROXY_ALLOWED_PORTS,
    agentPorts: env.RETAINER_PROXY_AGENT_PORTS,
    bindsGrants: env.RETAINER_PROXY_BINDS_GRANTS === 'true',
    connectionsPerAddress: env.RETAINER_PROXY_CONNECTIONS_PER_ADDRESS,
  }));

/** @returns an error that names each variable that is wrong */
export function readProxyConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Result<ProxyConfig, string> {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`).join('\n'));
}
