/** `retainer mail check`: whether an agent can reach its mail servers, from where it runs, with its own credentials. */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMailAuthorities as readMountedAuthorities } from '@retainer/agent-pod/boot/read-mail-settings';
import { readMailCredentials as readMountedCredentials } from '@retainer/agent-pod/boot/read-mail-credentials';
import { tryServers, type TriedServers, type TrialResult } from '@retainer/agent-pod/mail/try-servers';
import type { Agent } from '@retainer/contract/api/agent';
import { MOUNTS } from '@retainer/contract/api/names';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { proxyOf, type ProxySettings } from '@retainer/contract/std/proxies';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { systemClock } from '@retainer/contract/std/system-clock';
import { BootAgent } from '@retainer/contract/wire/boot';
import { renderPlural } from '@retainer/mind/explain/figures';
import type { Tone } from '@retainer/mind/part/story';
import { besideAgent, isOnCluster } from '../access/open-access.ts';
import { clusterOptions, type PlaceFlags } from '../access/place.ts';
import { readEnvironment, type Environment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { readAuthorities } from '../git-credentials.ts';
import { loadManifests } from '../load-manifests.ts';
import { readMailCredentials } from '../mail-credentials.ts';
import { authorityOf } from '../mail-servers.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { selectAgent } from '../select-agent.ts';

export interface MailCheckFlags extends PlaceFlags {
  readonly filename?: readonly string[];
  /** As called in the container of an agent: settings and credentials are mounted. */
  readonly mounted?: true;
  readonly output: OutputFormat;
}

type Email = NonNullable<Agent['spec']['channels']['email']>;
type Found = Result<TriedServers, string | readonly string[]>;

/** A name server that is silent for longer is silent. */
const LOOK_UPS = { timeout: 3_000, tries: 2 } as const;
/** All trials of both servers together. */
const TRIALS_MS_MAX = 120_000;

export async function checkCommand(flags: MailCheckFlags): Promise<number> {
  const { filename, mounted } = flags;
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  if (filename !== undefined) {
    const { agent: _, ...place } = flags;
    if (place.data !== undefined || clusterOptions(place).length > 0)
      return refuse(output, '-f means manifests here: leave out the options that mean a directory or a cluster');
    return tell(output, await serversOfManifests(filename, flags.agent, environment));
  }
  if (mounted === true) return tell(output, await mountedServers(environment));
  if (!isOnCluster(flags))
    return refuse(output, 'say which agent: -f with its manifests, or -n and --agent for one on a cluster');
  const command = { words: ['mail', 'check', '--mounted'], triesMail: true } as const;
  return besideAgent(flags, command, { output, here: () => Promise.resolve(exitCodes.usage) });
}

async function tell(output: Output, servers: Found): Promise<number> {
  if (!servers.ok) return refuse(output, servers.error);
  const resolver = new Resolver(LOOK_UPS);
  const names = {
    lookup: (host: string) => lookup(host, { all: true }),
    resolveTxt: (name: string) => resolver.resolveTxt(name),
  };
  const signal = AbortSignal.timeout(TRIALS_MS_MAX);
  const results = await tryServers(servers.value, { names, clock: systemClock, signal });
  output.data(results);
  const width = Math.max(...results.map(({ trial }) => trial.length));
  for (const { trial, status, seen } of results)
    output.line(`${status.padEnd(STATUS_WIDTH)}  ${trial.padEnd(width)}  ${seen}`, TONES[status]);
  const failed = results.filter(({ status }) => status === 'fail').length;
  output.line(
    failed === 0 ? 'the agent can use its mail' : `${renderPlural(failed, 'fault')}`,
    failed === 0 ? 'Good' : 'Bad',
  );
  return failed === 0 ? exitCodes.done : exitCodes.failed;
}

const STATUS_WIDTH = 4;
const TONES: Readonly<Record<TrialResult['status'], Tone>> = {
  ok: 'Good',
  skip: 'Quiet',
  warn: 'Warning',
  fail: 'Bad',
};

async function serversOfManifests(
  paths: readonly string[],
  agentName: string | undefined,
  environment: Environment,
): Promise<Found> {
  const loaded = await loadManifests(paths);
  if (!loaded.ok) return err(loaded.error.map(renderManifestError));
  const selected = selectAgent(loaded.value.objects, agentName);
  if (!selected.ok) return err(selected.error.map(renderManifestError));
  const { definition, configMaps } = selected.value;
  const { metadata, spec } = definition.agent;
  const { email } = spec.channels;
  if (email === undefined) return err(noMail(metadata.name));
  const credentials = await readMailCredentials(environment, email.address);
  if (!credentials.ok) return err(credentials.error);
  const { username: user, password } = credentials.value;
  const named = authorityOf(email, configMaps);
  if (!named.ok) return named;
  const authorities = [named.value, await readAuthorities(environment.authoritiesFile)];
  return serversOf(email, environment.proxies, {
    credentials: () => Promise.resolve({ user, password }),
    authorities: () => Promise.resolve(authorities.flatMap((it) => it ?? [])),
    egressCidrs: undefined,
  });
}

async function mountedServers({ proxies }: Environment): Promise<Found> {
  const file = join(MOUNTS.boot, 'agent.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return err(`no Agent is mounted here: there is no ${file}`);
  const { metadata, spec } = BootAgent.parse(JSON.parse(text));
  const { channels, pod } = spec;
  if (channels.email === undefined) return err(noMail(metadata.name));
  try {
    const { username: user, password } = await readMountedCredentials(MOUNTS.secrets, channels);
    const authorities = await readMountedAuthorities(MOUNTS.mailAuthorities, channels);
    return serversOf(channels.email, proxies, {
      credentials: () => Promise.resolve({ user, password }),
      authorities: () => Promise.resolve(authorities === undefined ? [] : [authorities]),
      egressCidrs: pod.egressCidrs,
    });
  } catch (error) {
    // Of a Secret or a ConfigMap: it names field and remedy.
    if (error instanceof Error && error.name === 'BootError') return err(error.message);
    throw error;
  }
}

function noMail(name: string): string {
  return `Agent ${name} has no mail: set spec.channels.email`;
}

type Given = Pick<TriedServers['incoming'], 'credentials' | 'authorities'> & Pick<TriedServers, 'egressCidrs'>;

function serversOf({ imap, smtp, address }: Email, proxies: ProxySettings, given: Given): Found {
  const { egressCidrs, ...access } = given;
  const [toImap, toSmtp] = [wayTo(proxies, imap), wayTo(proxies, smtp)];
  if (!toImap.ok) return err(toImap.error);
  if (!toSmtp.ok) return err(toSmtp.error);
  return ok({
    incoming: { ...access, host: imap.host, port: imap.port, mailbox: imap.mailbox, ...toImap.value },
    outgoing: { ...access, host: smtp.host, port: smtp.port, tls: smtp.tls, address, ...toSmtp.value },
    egressCidrs,
  });
}

type Way = Pick<TriedServers['incoming'], 'proxy'>;

function wayTo(
  proxies: ProxySettings,
  { host, port }: { readonly host: string; readonly port: number },
): Result<Way, string> {
  const proxy = proxyOf(proxies, new URL(`https://${host}:${port}`));
  if (!proxy.ok) return err(proxy.error);
  return ok({ proxy: () => Promise.resolve(proxy.value) });
}
