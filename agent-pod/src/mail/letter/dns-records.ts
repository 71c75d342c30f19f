/** TXT records from the resolvers of this machine, or from named ones. */
import { Resolver } from 'node:dns/promises';
import { LOOKUP_TIMEOUT_MS, type DnsResolver } from './limits.ts';

/** A resolver is asked so often before the look-up counts as failed; each try may take a part of the time of all. */
const TRIES = 2;

/** @param servers  addresses with ports, as `node:dns` takes them; absent: those of the machine */
export function dnsRecords(servers?: readonly string[]): DnsResolver {
  const resolver = new Resolver({ timeout: LOOKUP_TIMEOUT_MS / (2 * TRIES), tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return (name) => resolver.resolveTxt(name);
}
