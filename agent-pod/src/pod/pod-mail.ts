/** How an agent on a cluster reaches its mail servers, and how it tells of its mail: the note for its Lease, and Events. */
import { resolveTxt } from 'node:dns/promises';
import type { Agent } from '@retainer/contract/api/agent';
import type { AgentMail } from '@retainer/contract/api/agent-mail';
import { API_VERSION } from '@retainer/contract/api/names';
import type { Clock } from '@retainer/contract/std/clock';
import type { Proxy } from '@retainer/contract/std/proxies';
import type { EventText } from '@retainer/kube/events';
import type { Recorded } from '@retainer/mind/part/projection';
import { fieldOf, textIn } from '@retainer/mind/part/part';
import { mailCounts } from '@retainer/mind/parts/mail/mail-counts';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import { readMailCredentials, type MailCredentials } from '../boot/read-mail-credentials.ts';
import { readMailAuthorities } from '../boot/read-mail-settings.ts';
import type { PodConfig } from '../config.ts';
import { mailProxy } from '../mail/mail-proxy.ts';
import { openServers } from '../mail/open-servers.ts';
import type { MailHealth, MailServers, ServerHealth } from '../ports/mail.ts';

/** How both servers are reached. Credentials and authorities are read again at each connection. */
export interface MailAccess {
  /** @throws BootError  that names field and remedy */
  credentials(): Promise<MailCredentials>;
  /** PEM; undefined where the Agent names none. @throws BootError  the same */
  authorities(): Promise<string | undefined>;
  /** Undefined: the server is reached directly. @throws where the address of the proxy is wrong */
  proxy(server: { readonly host: string; readonly port: number }): Promise<Proxy | undefined>;
}

export function podMailAccess(
  { proxies, mounts }: Pick<PodConfig, 'proxies' | 'mounts'>,
  channels: Agent['spec']['channels'],
): MailAccess {
  return {
    credentials: () => readMailCredentials(mounts.secrets, channels),
    authorities: () => readMailAuthorities(mounts.mailAuthorities, channels),
    proxy: (server) => mailProxy(proxies, server),
  };
}

/** Undefined: the Agent has no mail. */
export function podMailServers(
  config: Pick<PodConfig, 'proxies' | 'mounts'>,
  { channels }: Agent['spec'],
  clock: Clock,
): MailServers | undefined {
  if (channels.email === undefined) return undefined;
  const access = podMailAccess(config, channels);
  return openServers(channels.email, {
    clock,
    random: Math.random,
    credentials: async () => {
      const { username: user, password } = await access.credentials();
      return { user, password };
    },
    authorities: async () => {
      const named = await access.authorities();
      return named === undefined ? [] : [named];
    },
    proxy: (server) => access.proxy(server),
    resolve: (name) => resolveTxt(name),
  });
}

export interface PodMail {
  /** Undefined before a server was ever asked. */
  note(): AgentMail | undefined;
  readonly health: () => MailHealth | undefined;
}

export interface MailSources {
  /** Undefined where the agent has no mail, or is not at work. */
  readonly health: () => MailHealth | undefined;
  readonly known: () => Pick<MailState, 'mailboxes' | 'letters' | 'outgoing' | 'pairs'>;
  /** Ids of runs that have begun. */
  readonly begun: () => ReadonlySet<string>;
}

/** The note is written with each renewal of the Lease, so it says nothing that changes by itself. */
export function podMail({ health, known, begun }: MailSources): PodMail {
  const sinceOf = { incoming: since(), outgoing: since() };
  return {
    health,
    note: () => {
      const now = health();
      if (now === undefined || (now.incoming.state === 'Off' && now.outgoing.state === 'Off')) return undefined;
      const state = known();
      const { way } = now.incoming;
      return {
        incoming: { ...told(now.incoming, sinceOf.incoming), ...(way === undefined ? {} : { way }) },
        outgoing: told(now.outgoing, sinceOf.outgoing),
        ...(mailCounts(state, begun()) ?? { held: 0, unanswered: 0 }),
        unknown: [...state.outgoing.values()].filter(({ status }) => status === 'Unknown').length,
        tripped: [...state.pairs.values()].filter(({ tripped }) => tripped !== undefined).length,
      };
    },
  };
}

function told(
  { state, reason, sinceMs }: ServerHealth,
  sinceOf: (state: ServerHealth['state'], sinceMs: number) => number,
): AgentMail['outgoing'] {
  const since = new Date(sinceOf(state, sinceMs)).toISOString();
  return { state: state === 'Off' ? 'Untried' : state, since, ...(reason === undefined ? {} : { reason }) };
}

/** The moment of the last change of the state: another reason for the same state does not make it younger. */
function since(): (state: ServerHealth['state'], sinceMs: number) => number {
  let last: { readonly state: ServerHealth['state']; readonly sinceMs: number } | undefined;
  return (state, sinceMs) => {
    if (last?.state !== state) last = { state, sinceMs };
    return last.sinceMs;
  };
}

/**
 * What a person must look at, told at once: two agents went in circles, or the fate of a mail is unknown. No word and no address of a
 * letter is in it.
 *
 * @returns undefined for any other record
 */
export function mailEvent(
  agent: PodConfig['agent'],
  { kind, payload }: Pick<Recorded, 'kind' | 'payload'>,
): EventText | undefined {
  const place = `-n ${agent.namespace} --agent ${agent.name}`;
  const { namespace, name, uid } = agent;
  const regarding = { apiVersion: API_VERSION, kind: 'Agent', metadata: { namespace, name, uid } };
  const text = (field: string): string => textIn(fieldOf(payload, field));
  if (kind === 'MailTripped')
    return {
      ...{ regarding, about: text('threadId'), type: 'Warning', reason: 'MailTripped', action: 'Hold' },
      note: `the agent and another one went in circles by mail: letters of that one wait for a person: retainer mail held ${place}`,
    };
  if (kind === 'MailUnknown')
    return {
      ...{ regarding, about: text('mailId'), type: 'Warning', reason: 'MailUnknown', action: 'Send' },
      note: `nobody knows whether a mail of the agent was sent, so it is not sent again: retainer mail show ${text('mailId')} ${place}`,
    };
  return undefined;
}
