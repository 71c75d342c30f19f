/** Keys of the domains of the crafted letters, their records in the DNS, and letters signed with them. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import type { DnsResolver } from '@retainer/agent-pod/mail/letter/limits';

interface Key {
  readonly domain: string;
  readonly selector: string;
  readonly pem: string;
  readonly record: string;
}

function key(domain: string, selector: string, { type = 'rsa', bits = 2048, tags = '' } = {}): Key {
  const pair: { publicKey: KeyObject; privateKey: KeyObject } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: bits }) : generateKeyPairSync('ed25519');
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  // Of Ed25519 the record has the bare key, without the frame around it.
  const value = (type === 'rsa' ? spki : spki.subarray(-32)).toString('base64');
  return {
    domain,
    selector,
    pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=${type}; ${tags}p=${value}`,
  };
}

/** `weak`: too short; `trial`: the domain only tries DKIM out; `web`: not for mail. */
const KEYS: readonly Key[] = [
  key('example.org', 's1'),
  key('example.org', 'ed', { type: 'ed25519' }),
  key('example.org', 'weak', { bits: 768 }),
  key('example.org', 'trial', { tags: 't=y; ' }),
  key('example.org', 'web', { tags: 's=tlsrpt; ' }),
  key('mail.example.org', 's1'),
  key('example.co.uk', 's1'),
  key('other.co.uk', 's1'),
  key('strict.example', 's1'),
  key('mail.strict.example', 's1'),
  key('evil.example', 's1'),
  key('examp1e.org', 's1'),
  key('xn--exmple-4nf.org', 's1'),
  key('notexample.org', 's1'),
  key('example.org.evil.example', 's1'),
];

const DMARC: Readonly<Record<string, string>> = {
  'example.org': 'v=DMARC1; p=reject; adkim=r',
  'strict.example': 'v=DMARC1; p=reject; adkim=s; aspf=s',
  'evil.example': 'v=DMARC1; p=none',
};

/** Domains whose name servers do not answer. */
const SILENT = 'silent.example';

/** The DNS of this world. */
export const craftedDns: DnsResolver = (name) => {
  if (name.endsWith(SILENT)) return Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }));
  const found = KEYS.find((it) => `${it.selector}._domainkey.${it.domain}` === name);
  const record = found?.record ?? (name.startsWith('_dmarc.') ? DMARC[name.slice('_dmarc.'.length)] : undefined);
  if (record === undefined) return Promise.reject(Object.assign(new Error(`no record ${name}`), { code: 'ENOTFOUND' }));
  return Promise.resolve([record.match(/.{1,255}/g) ?? []]);
};

/** The record of a key, for a referee that asks no DNS. */
export function recordOf(name: string): string | undefined {
  return KEYS.find((it) => `${it.selector}._domainkey.${it.domain}` === name)?.record;
}

export interface Signing {
  readonly domain?: string;
  readonly selector?: string;
  /** Names of fields that are signed. */
  readonly names?: readonly string[];
  readonly canonicalization?: string;
  readonly algorithm?: string;
  /** Bytes of the body that are signed. */
  readonly bodyLength?: number;
  readonly expires?: Date;
  readonly signedAt?: Date;
}

const NAMES = ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'];

/** The letter with a DKIM signature above it. */
export async function signed(source: Uint8Array, signing: Signing = {}): Promise<Uint8Array> {
  const { domain = 'example.org', selector = 's1', names = NAMES, canonicalization = 'relaxed/relaxed' } = signing;
  const entry = {
    signingDomain: domain,
    selector,
    privateKey: keyOf(domain, selector),
    ...(signing.bodyLength === undefined ? {} : { maxBodyLength: signing.bodyLength }),
  };
  const { signatures, errors } = await dkimSign(Buffer.from(source), {
    ...entry,
    signatureData: [entry],
    canonicalization,
    algorithm: signing.algorithm ?? (selector === 'ed' ? 'ed25519-sha256' : 'rsa-sha256'),
    signTime: signing.signedAt ?? new Date(Date.UTC(2026, 10, 29)),
    ...(signing.expires === undefined ? {} : { expires: signing.expires }),
    // The library takes the names as one text, whatever its types say.
    headerList: names.join(':') as unknown as string[],
  });
  if (errors.length > 0) throw new Error('the letter could not be signed', { cause: errors });
  return Buffer.concat([Buffer.from(signatures, 'latin1'), source]);
}

/** The letter with a text in it replaced, byte for byte. */
export function changed(source: Uint8Array, from: string | RegExp, to: string): Uint8Array {
  const text = Buffer.from(source).toString('latin1');
  const after = text.replace(from, to);
  if (after === text) throw new Error(`nothing to replace: ${String(from)}`);
  return Buffer.from(after, 'latin1');
}

/** The letter with fields above it. */
export function below(above: readonly string[], source: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${above.join('\r\n')}\r\n`, 'utf8'), source]);
}

/** The private key of a domain of this world, as PEM. */
export function keyOf(domain: string, selector: string): string {
  const found = KEYS.find((it) => it.domain === domain && it.selector === selector);
  if (found === undefined) throw new Error(`no key ${selector} of ${domain}`);
  return found.pem;
}
