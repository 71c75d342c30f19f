/**
 * What the provider of the mailbox found out about the author, as its Authentication-Results say.
 *
 * The provider puts its fields above those of the letter, so a field that the letter brought stands below. What counts:
 *
 * I1: the topmost Authentication-Results of all, if its service id is the trusted one and it is of the standard's form. One below any
 *     other of a foreign service does not count.
 * I2: it stands above every field that the author's program writes, and above every Received that another organisation wrote.
 * I3: those of the same service directly below it can only take away: a field inside the letter could stand there.
 *
 * A field that the letter brought looks the same if the provider adds none of its own and does not remove it, as RFC 8601 5 demands
 * of it. So only a provider that does both may be named in the settings.
 *
 * Source: RFC 8601 5, 7.1; reliability-security 5 (mail).
 */
import { areAligned, alignmentModesOf, organisationOf, type LookUps } from './alignment.ts';
import { authenticationResultsOf, type AuthenticationResults, type MethodResult } from './authentication-results.ts';
import type { HeaderField } from './header-fields.ts';
import { asciiDomain } from './sender-address.ts';

/** `Silent`: the provider says neither yes nor no, so a signature is looked at. `reason` completes "the results of SERVICE …". */
export type ProviderVerdict =
  | { readonly kind: 'Passed'; readonly domain: string; readonly by: 'dmarc' | 'dkim' | 'spf' }
  | { readonly kind: 'Refused'; readonly reason: string }
  | { readonly kind: 'Silent'; readonly reason: string };

/** Fields that an author's program writes: below the first of them everything may have been in the letter. */
const OF_THE_LETTER: ReadonlySet<string> = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...[
    'mime-version',
    'content-type',
    'content-transfer-encoding',
    'content-disposition',
    'dkim-signature',
    'user-agent',
  ],
  ...['comments', 'keywords', 'x-mailer', 'auto-submitted', 'precedence', 'list-id'],
]);

/** @throws LookUpFailed where the DMARC record decides and cannot be had for now */
export async function providerVerdict(
  fields: readonly HeaderField[],
  about: { readonly service: string; readonly fromDomain: string },
  lookUps: LookUps,
): Promise<ProviderVerdict> {
  const run = await topmostRun(fields, about.service.toLowerCase());
  if (typeof run === 'string') return { kind: 'Silent', reason: run };
  const [top, ...below] = run;
  if (top === undefined) return { kind: 'Silent', reason: 'are missing' };
  if (below.some((it) => it === undefined || hasFailed(it, 'dmarc'))) {
    return { kind: 'Refused', reason: 'contradict each other' };
  }
  return verdictOf(top, about.fromDomain, lookUps);
}

/** The results from the topmost on; undefined stands for one that is of no form. A text: why there are none that count. */
async function topmostRun(
  fields: readonly HeaderField[],
  service: string,
): Promise<readonly (AuthenticationResults | undefined)[] | string> {
  const first = fields.findIndex(({ name }) => name === 'authentication-results');
  if (first === -1) return 'are missing';
  const above = fields.slice(0, first);
  if (above.some(({ name }) => OF_THE_LETTER.has(name))) return 'stand below fields of the letter itself';
  for (const { name, value } of above) {
    if (name === 'received' && !(await isHopOf(service, value))) return 'stand below a hop of somebody else';
  }
  const end = fields.findIndex(({ name }, index) => index > first && name !== 'authentication-results');
  const run = fields.slice(first, end === -1 ? fields.length : end).map(({ value }) => authenticationResultsOf(value));
  const [top, ...rest] = run;
  if (top === undefined) return 'are not of the form of RFC 8601';
  if (top.serviceId !== service) return 'stand below those of another service';
  const foreign = rest.findIndex((it) => it !== undefined && it.serviceId !== service);
  return foreign === -1 ? run : run.slice(0, foreign + 1);
}

/** Whether a server of the organisation of the service wrote this Received field. */
async function isHopOf(service: string, received: string): Promise<boolean> {
  const host = /(?:^|\s)by\s+([^\s;()]+)/i.exec(received.replaceAll(/\([^()]*\)/g, ' '))?.[1]?.toLowerCase();
  if (host === undefined) return false;
  if (host === service) return true;
  const [theirs, ours] = [asciiDomain(host), asciiDomain(service)];
  return theirs !== undefined && ours !== undefined && (await organisationOf(theirs)) === (await organisationOf(ours));
}

async function verdictOf(top: AuthenticationResults, fromDomain: string, lookUps: LookUps): Promise<ProviderVerdict> {
  if (hasFailed(top, 'dmarc')) return { kind: 'Refused', reason: 'say that DMARC failed' };
  const passed = top.results.filter(({ result }) => result === 'pass');
  const dmarc = passed.find(({ method }) => method === 'dmarc');
  if (dmarc !== undefined) return dmarcVerdict(dmarc, fromDomain);
  for (const result of passed) {
    const domain = alignedDomain(result);
    if (domain === undefined || !(await areAligned({ from: fromDomain, by: domain }, false))) continue;
    const modes = await alignmentModesOf(fromDomain, lookUps);
    const by = result.method === 'spf' ? 'spf' : 'dkim';
    const isStrict = by === 'spf' ? modes.isSpfStrict : modes.isDkimStrict;
    if (await areAligned({ from: fromDomain, by: domain }, isStrict)) return { kind: 'Passed', domain, by };
  }
  return { kind: 'Silent', reason: 'have no pass for the domain of the author' };
}

async function dmarcVerdict(dmarc: MethodResult, fromDomain: string): Promise<ProviderVerdict> {
  const domain = domainIn(dmarc, 'header.from');
  if (domain === undefined) return { kind: 'Silent', reason: 'do not say for which domain DMARC passed' };
  const isSame = domain === fromDomain || domain === (await organisationOf(fromDomain));
  if (!isSame) return { kind: 'Refused', reason: 'say that DMARC passed for another domain' };
  return { kind: 'Passed', domain, by: 'dmarc' };
}

/** The domain that must be aligned, where this method knows one. */
function alignedDomain(result: MethodResult): string | undefined {
  if (result.method === 'spf') return domainIn(result, 'smtp.mailfrom');
  if (result.method !== 'dkim') return undefined;
  return domainIn(result, 'header.d') ?? domainIn(result, 'header.i');
}

/** A method that failed once is not mended by a pass beside it. */
function hasFailed(results: AuthenticationResults, method: string): boolean {
  return results.results.some((it) => it.method === method && !['pass', 'none', 'temperror'].includes(it.result));
}

function domainIn(result: MethodResult, property: string): string | undefined {
  const value = result.properties.get(property);
  return value === undefined ? undefined : asciiDomain(value.slice(value.lastIndexOf('@') + 1));
}
