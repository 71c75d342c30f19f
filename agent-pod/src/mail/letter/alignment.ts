/**
 * What belongs together by DNS: domains of one organisation, and how strictly the author's domain wants it (its DMARC record).
 *
 * Source: RFC 7489 3.1, 6.6.3.
 */
import { LOOKUPS_MAX, LOOKUP_TIMEOUT_MS, type DnsResolver } from './limits.ts';

/** A look-up that failed for now. `NoRecord` is an answer. */
export class LookUpFailed extends Error {
  override readonly name = 'LookUpFailed';
}

interface ResolverError extends Error {
  code?: string;
}

export interface LookUps {
  readonly resolve: (name: string, type: string) => Promise<string[][]>;
  /** Whether one of them failed for now, so that the same letter could come out otherwise later. */
  readonly hasFailed: () => boolean;
}

/** Look-ups of one letter: limited in number and time, each name once. */
export function lookUpsWith(resolver: DnsResolver): LookUps {
  const known = new Map<string, Promise<string[][]>>();
  let hasFailed = false;
  const ask = async (name: string): Promise<string[][]> => {
    try {
      const records = await withinTime(resolver(name, 'TXT'));
      return records.map((strings) => [...strings]);
    } catch (cause) {
      if (isNoRecord(cause)) throw cause;
      hasFailed = true;
      throw new LookUpFailed(`failed to look up the TXT records of ${name}`, { cause });
    }
  };
  return {
    resolve: (name) => {
      const earlier = known.get(name);
      if (earlier !== undefined) return earlier;
      // A domain without a dot above it: the library asks for the record of `null`.
      if (known.size >= LOOKUPS_MAX || name.endsWith('.null')) return Promise.reject(noRecord(name));
      const answer = ask(name);
      known.set(name, answer);
      return answer;
    },
    hasFailed: () => hasFailed,
  };
}

/** The domain that somebody registered: `example.co.uk` of `mail.example.co.uk`. A public suffix is its own. */
export async function organisationOf(domain: string): Promise<string> {
  const { dmarc } = await import('mailauth/lib/dmarc/index.js');
  // Without a record, the library answers with the organisation and asks nobody.
  const answer = await dmarc({
    headerFrom: `a@${domain}`,
    spfDomains: [],
    dkimDomains: [],
    resolver: (name) => Promise.reject(noRecord(name)),
  });
  return answer === false ? domain : answer.domain.toLowerCase();
}

export interface AlignmentModes {
  readonly isDkimStrict: boolean;
  readonly isSpfStrict: boolean;
}

/** How strictly the DMARC record of this domain wants alignment. @throws LookUpFailed */
export async function alignmentModesOf(domain: string, lookUps: LookUps): Promise<AlignmentModes> {
  const { dmarc } = await import('mailauth/lib/dmarc/index.js');
  const answer = await dmarc({ headerFrom: `a@${domain}`, spfDomains: [], dkimDomains: [], resolver: lookUps.resolve });
  if (answer !== false && answer.status.result === 'temperror') {
    throw new LookUpFailed(`failed to look up the DMARC record of ${domain}`);
  }
  const tags = answer === false ? '' : (answer.rr ?? '');
  return { isDkimStrict: hasStrictTag(tags, 'adkim'), isSpfStrict: hasStrictTag(tags, 'aspf') };
}

/** @param domains  in their ASCII form, lower case */
export async function areAligned(
  domains: { readonly from: string; readonly by: string },
  isStrict: boolean,
): Promise<boolean> {
  if (domains.from === domains.by) return true;
  if (isStrict) return false;
  return (await organisationOf(domains.from)) === (await organisationOf(domains.by));
}

function hasStrictTag(record: string, name: string): boolean {
  const tag = record
    .split(';')
    .map((it) => it.split('=').map((side) => side.trim().toLowerCase()))
    .find(([key]) => key === name);
  return tag?.[1] === 's';
}

function noRecord(name: string): ResolverError {
  return Object.assign(new Error(`no TXT record of ${name}`), { code: 'ENOTFOUND' });
}

function isNoRecord(cause: unknown): boolean {
  const code = cause instanceof Error ? (cause as ResolverError).code : undefined;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

async function withinTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LOOKUP_TIMEOUT_MS} ms`)), LOOKUP_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
