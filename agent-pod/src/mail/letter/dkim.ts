/**
 * Whether a signature of the author's domain covers the letter.
 *
 * I1: only signatures are verified that could authenticate the author: of the same organisation, over the whole body, over From, not
 *     expired. So a letter with a hundred signatures costs no look-ups.
 * I2: what is checked here is what the library verified: it gets no other signature, and its own account of names and key is used.
 *
 * Source: RFC 6376 3.5, 3.6.1, 5.4, 6.1, 8.2 (l=), 8.6 (replay); RFC 8301 (no SHA-1).
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { alignmentModesOf, areAligned, type LookUps } from './alignment.ts';
import type { HeaderField, HeaderFields } from './header-fields.ts';
import { SIGNATURES_MAX, SIGNED_BLANKS_MAX, SIGNED_LINES_MAX, SIGNED_NAMES_MAX } from './limits.ts';
import { asciiDomain } from './sender-address.ts';

/** What the library says of one signature. */
const Verified = z.object({
  signingDomain: z.string(),
  status: z.object({ result: z.string(), comment: z.unknown().optional() }),
  signingHeaders: z.object({ keys: z.string() }),
  canonBodyLengthLimited: z.boolean(),
  rr: z.string().optional(),
});
type Verified = z.infer<typeof Verified>;

export interface SignedLetter {
  readonly source: Uint8Array;
  readonly header: HeaderFields;
  readonly fromDomain: string;
  /** Signatures may not have expired then, milliseconds since 1970. */
  readonly receivedAtMs: number;
}

/** `reason` is the rest of a sentence about the letter: "has no DKIM signature". */
export type SignatureVerdict =
  | { readonly kind: 'Passed'; readonly domain: string; readonly signedNames: ReadonlySet<string> }
  | { readonly kind: 'Failed'; readonly reason: string };

interface Signature {
  readonly field: HeaderField;
  readonly tags: ReadonlyMap<string, string>;
  readonly domain: string;
}

/** @throws LookUpFailed where the DMARC record decides and cannot be had for now */
export async function signatureVerdict(letter: SignedLetter, lookUps: LookUps): Promise<SignatureVerdict> {
  const all = letter.header.fields.filter(({ name }) => name === 'dkim-signature');
  if (all.length === 0) return failed('has no DKIM signature');
  const fit: Signature[] = [];
  const refusals: string[] = [];
  for (const field of all) {
    const signature = await fitSignature(field, letter);
    if (typeof signature === 'string') refusals.push(signature);
    else fit.push(signature);
  }
  const [refusal = 'has no DKIM signature'] = refusals;
  if (fit.length === 0) return failed(refusal);
  const message = messageWith(letter, fit.slice(0, SIGNATURES_MAX));
  if (message === undefined) return failed('has more lines than the signature of an honest letter covers');
  const results = await verifiedBy(message, letter, lookUps);
  const passed = results.filter((result) => isSound(result));
  const [first] = passed;
  if (first === undefined) return failed(whyNot(results, lookUps));
  const modes = await alignmentModesOf(letter.fromDomain, lookUps);
  for (const result of passed) {
    const domain = result.signingDomain.toLowerCase();
    if (!(await areAligned({ from: letter.fromDomain, by: domain }, modes.isDkimStrict))) continue;
    return { kind: 'Passed', domain, signedNames: namesOf(result) };
  }
  return failed(
    `is signed by ${first.signingDomain.toLowerCase()}, and the DMARC record of ${letter.fromDomain} wants its own signature`,
  );
}

/** A text: why this signature cannot authenticate the author. */
async function fitSignature(field: HeaderField, letter: SignedLetter): Promise<Signature | string> {
  const tags = tagsOf(field.value);
  const domain = tags === undefined ? undefined : asciiDomain(tags.get('d') ?? '');
  if (tags === undefined || domain === undefined || tags.get('v') !== '1')
    return 'has a DKIM signature of no valid form';
  if (!(await areAligned({ from: letter.fromDomain, by: domain }, false))) {
    return `is signed by ${domain} alone, which is another domain than that of the author, ${letter.fromDomain}`;
  }
  const fault = faultOf(tags, domain, letter.receivedAtMs);
  return fault === undefined ? { field, tags, domain } : `has a DKIM signature of ${domain} ${fault}`;
}

/** Why nobody should rely on a signature of this form, whatever it covers. */
function faultOf(tags: ReadonlyMap<string, string>, domain: string, atMs: number): string | undefined {
  if (tags.has('l')) return 'that covers only a part of the body';
  if (!['rsa-sha256', 'ed25519-sha256'].includes(tags.get('a') ?? '')) return 'by an algorithm that is not safe';
  const names = (tags.get('h') ?? '')
    .toLowerCase()
    .split(':')
    .map((name) => name.trim());
  if (names.length > SIGNED_NAMES_MAX || !names.includes('from')) return 'that does not cover From';
  if (!isWithin(tags.get('i'), domain)) return 'for an identity of another domain';
  return isOver(tags.get('x'), atMs) ? 'that had expired when the letter came' : undefined;
}

/** `name=value` between semicolons. No tag may stand twice; neither comments nor quotes exist. */
function tagsOf(value: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>();
  const parts = value.split(';').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  for (const part of parts) {
    const [, name, text] = /^([a-z]\w*)\s*=\s*([!-~\s]*)$/i.exec(part) ?? [];
    if (name === undefined || text === undefined || tags.has(name) || /[()"'\\]/.test(text)) return undefined;
    tags.set(name, ['b', 'bh', 'h', 'd', 'a', 'v', 's'].includes(name) ? text.replaceAll(/\s+/g, '') : text.trim());
  }
  return tags;
}

function isWithin(identity: string | undefined, domain: string): boolean {
  if (identity === undefined) return true;
  const said = asciiDomain(identity.slice(identity.lastIndexOf('@') + 1));
  return said === domain || said?.endsWith(`.${domain}`) === true;
}

function isOver(expiration: string | undefined, atMs: number): boolean {
  return expiration !== undefined && !(/^\d{1,12}$/.test(expiration) && Number(expiration) * 1000 >= atMs);
}

/** The letter with no signatures but these, its lines ended as they were signed. Undefined: too many lines. */
function messageWith({ source, header }: SignedLetter, fit: readonly Signature[]): Buffer | undefined {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const body = withLineEnds(bytes.subarray(header.bodyStart));
  if (body === undefined) return undefined;
  const kept = new Set(fit.map(({ field }) => field.start));
  const lines = header.fields
    .filter(({ name, start }) => name !== 'dkim-signature' || kept.has(start))
    // ARC counts for nothing here, because no sealer is trusted: its fields only cost look-ups.
    .filter(({ name }) => !name.startsWith('arc-'))
    .map(({ start, end }) =>
      bytes
        .toString('latin1', start, end)
        .replaceAll(/\r?\n/g, '\r\n')
        .replace(/(\r\n)?$/, '\r\n'),
    );
  return Buffer.concat([Buffer.from(`${lines.join('')}\r\n`, 'latin1'), body]);
}

function withLineEnds(body: Buffer): Buffer | undefined {
  let lines = 0;
  let bare = 0;
  let blanks = 0;
  for (let at = body.indexOf(0x0a); at !== -1; at = body.indexOf(0x0a, at + 1)) {
    const isBare = body[at - 1] !== 0x0d;
    lines += 1;
    if (isBare) bare += 1;
    if (isBlank(body[isBare ? at - 1 : at - 2])) blanks += 1;
    if (lines > SIGNED_LINES_MAX || blanks > SIGNED_BLANKS_MAX) return undefined;
  }
  if (bare === 0) return body;
  return Buffer.from(body.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

async function verifiedBy(message: Buffer, letter: SignedLetter, lookUps: LookUps): Promise<readonly Verified[]> {
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
  // In one piece: given in many, the library looks at each long line again and again.
  const { results } = await dkimVerify(Readable.from([message]), {
    resolver: lookUps.resolve,
    curTime: new Date(letter.receivedAtMs),
    // So that no field of the letter stands for the envelope.
    sender: 'unknown@invalid',
  });
  return results.flatMap((result) => {
    const parsed = Verified.safeParse(result);
    return parsed.success ? [parsed.data] : [];
  });
}

function namesOf(result: Verified): ReadonlySet<string> {
  return new Set(
    result.signingHeaders.keys
      .toLowerCase()
      .split(':')
      .map((name) => name.trim()),
  );
}

function isSound(result: Verified): boolean {
  if (result.status.result !== 'pass' || result.canonBodyLengthLimited || !namesOf(result).has('from')) return false;
  const key = tagsOf(result.rr ?? '');
  if (key === undefined) return false;
  const flags = (key.get('t') ?? '').split(':').map((flag) => flag.trim());
  const services = (key.get('s') ?? '*').split(':').map((service) => service.trim());
  const hashes = (key.get('h') ?? 'sha256').split(':').map((hash) => hash.trim());
  // `y`: the domain only tries DKIM out.
  return !flags.includes('y') && hashes.includes('sha256') && (services.includes('*') || services.includes('email'));
}

function whyNot(results: readonly Verified[], lookUps: LookUps): string {
  const [result] = results;
  if (result === undefined) return 'has a DKIM signature that cannot be verified';
  const domain = asciiDomain(result.signingDomain) ?? 'its domain';
  if (lookUps.hasFailed()) return `has a DKIM signature of ${domain}, whose key could not be looked up`;
  if (result.status.result === 'pass') return `has a DKIM signature of ${domain} whose key is not for this use`;
  if (result.status.comment === 'body hash did not verify') return `was changed after ${domain} signed its body`;
  if (result.status.comment === 'no key') return `has a DKIM signature of ${domain}, which has no such key`;
  if (result.status.result === 'fail') return `was changed after ${domain} signed it, or somebody else signed it`;
  return `has a DKIM signature of ${domain} whose key cannot be used`;
}

function failed(reason: string): SignatureVerdict {
  return { kind: 'Failed', reason };
}
