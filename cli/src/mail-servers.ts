/** The mail servers of an agent on this machine: with credentials of the environment, and authorities of the manifests. */
import { resolveTxt } from 'node:dns/promises';
import { openServers } from '@retainer/agent-pod/mail/open-servers';
import { mailProxy } from '@retainer/agent-pod/mail/mail-proxy';
import type { MailServers } from '@retainer/agent-pod/ports/mail';
import { configMapFile } from '@retainer/contract/manifest/config-map';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Environment } from './config.ts';
import { readAuthorities } from './git-credentials.ts';
import { readMailCredentials } from './mail-credentials.ts';
import type { Selection } from './select-agent.ts';

/** @returns undefined: the Agent has no mail. The error names what to set: the agent works without mail then */
export async function mailServersOf(
  { definition, configMaps }: Pick<Selection, 'definition' | 'configMaps'>,
  environment: Environment,
): Promise<Result<MailServers | undefined, string>> {
  const { email } = definition.agent.spec.channels;
  if (email === undefined) return ok(undefined);
  const credentials = await readMailCredentials(environment, email.address);
  if (!credentials.ok) return credentials;
  const authority = authorityOf(email, configMaps);
  if (!authority.ok) return authority;
  const servers = openServers(email, {
    ...{ clock: systemClock, random: Math.random, resolve: (name) => resolveTxt(name) },
    credentials: async () => {
      const read = await readMailCredentials(environment, email.address);
      return read.ok ? { user: read.value.username, password: read.value.password } : undefined;
    },
    authorities: async () =>
      [authority.value, await readAuthorities(environment.authoritiesFile)].flatMap((it) => it ?? []),
    proxy: (server) => mailProxy(environment.proxies, server),
  });
  return ok(servers);
}

type Email = NonNullable<Selection['definition']['agent']['spec']['channels']['email']>;

/** Of the manifests. */
export function authorityOf(
  { caConfigMapRef: own }: Email,
  configMaps: Selection['configMaps'],
): Result<string | undefined, string> {
  if (own === undefined) return ok(undefined);
  const map = configMaps.get(own.name);
  const named = map === undefined ? undefined : configMapFile(map, own.key)?.text;
  return named === undefined
    ? err(`spec.channels.email.caConfigMapRef: no ConfigMap ${own.name} with key ${own.key} is among the manifests`)
    : ok(named);
}
