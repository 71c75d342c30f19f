/**
 * The bytes of a letter become what is known of it. Total: whatever the bytes are, a letter comes out; what is wrong with it stands in
 * its faults, and nothing of it is believed that programs could read in two ways.
 *
 * Limits: `limits.ts`. At most 1 s and 64 MB a letter, but for the time that look-ups take.
 *
 * Source: reliability-security 5 (mail).
 */
import {
  MESSAGE_ID_CHARACTERS_MAX,
  REFERENCES_MAX,
  SUBJECT_CHARACTERS_MAX,
  type Letter,
  type LetterFault,
  type LetterHead,
  type LetterPlace,
} from '@retainer/mind/parts/mail/letter';
import { visibleTextOf } from '../../tools/visible-text.ts';
import { authenticationOf } from './authenticate.ts';
import { automaticSigns, hopsOf } from './automatic-signs.ts';
import { bounceIn } from './bounce-report.ts';
import { headerFieldsOf, valueOf, valuesOf, type HeaderField, type HeaderFields } from './header-fields.ts';
import { bodyDigestOf, letterIdOf } from './identity.ts';
import { textsOf } from './letter-texts.ts';
import { ATTACHMENTS_MAX, HEADER_BYTES_MAX, MESSAGE_BYTES_MAX, RECIPIENTS_MAX, type LetterSettings } from './limits.ts';
import { mimeTreeOf, type MimePart } from './mime-tree.ts';
import { mailboxesIn, messageIdsIn } from './recipients.ts';
import { senderOf, type Sender } from './sender-address.ts';

/** What the server says of a letter, beside its bytes. */
export interface LetterArrival {
  readonly place: LetterPlace;
  /** When the server took it, milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** Of the whole letter, as the server counts it. */
  readonly sizeBytes: number;
}

/** Reads a whole letter. Never rejects: one that cannot be read has faults. */
export async function readLetter(
  source: Uint8Array,
  arrival: LetterArrival,
  settings: LetterSettings,
): Promise<Letter> {
  const limit = settings.messageBytesMax ?? MESSAGE_BYTES_MAX;
  if (source.length > limit || arrival.sizeBytes > limit) return readHead(source, arrival, settings);
  const header = headerFieldsOf(source, { start: 0, end: source.length });
  const { default: parser, decodeWords } = await import('postal-mime');
  const tree = mimeTreeOf(source, header);
  const known: Known = {
    header,
    arrival,
    settings,
    decodeWords,
    bodyDigest: bodyDigestOf(source.subarray(header.bodyStart)),
  };
  const texts = await textsRead(source, tree.root, { parser, settings });
  const faults: readonly LetterFault[] = [...tree.faults, ...texts.faults];
  const head = await headOf(known, { source, root: tree.root, faults });
  // A letter that is not read to its end has no words: what is missing could say whose they are.
  if (faults.length === 0 || texts.words === '') return { head, words: texts.words, enclosed: texts.enclosed };
  const whole = { kind: 'Whole', sizeBytes: Buffer.byteLength(texts.words), text: texts.words, isCut: true } as const;
  return {
    head,
    words: '',
    enclosed: [whole, ...texts.enclosed].slice(0, texts.enclosed.length === 0 ? 1 : undefined),
  };
}

/**
 * Reads the header of a letter that is too large: its fault is `TooLarge`, it has no texts, and no signature of it is verified.
 *
 * @param headerBytes  the header; what follows it is not looked at
 */
export async function readHead(
  headerBytes: Uint8Array,
  arrival: LetterArrival,
  settings: LetterSettings,
): Promise<Letter> {
  const header = headerFieldsOf(headerBytes, { start: 0, end: Math.min(headerBytes.length, HEADER_BYTES_MAX + 1) });
  const { decodeWords } = await import('postal-mime');
  // Of a body that is not read, its size stands for it: with the header, which servers keep as it is. Of a letter of which nothing
  // can be read, all that is known is where it lies.
  const { uidValidity, uid } = arrival.place;
  const known = headerBytes.length === 0 ? `${arrival.sizeBytes} ${uidValidity} ${uid}` : `${arrival.sizeBytes}`;
  const bodyDigest = bodyDigestOf(
    Buffer.concat([headerBytes.subarray(0, header.bodyStart), Buffer.from(`\n${known}`)]),
  );
  const head = await headOf({ header, arrival, settings, decodeWords, bodyDigest }, { faults: ['TooLarge'] });
  return { head, words: '', enclosed: [] };
}

interface Known {
  readonly header: HeaderFields;
  readonly arrival: LetterArrival;
  readonly settings: LetterSettings;
  readonly decodeWords: (text: string) => string;
  readonly bodyDigest: string;
}

interface BodyKnown {
  readonly source?: Uint8Array;
  readonly root?: MimePart;
  readonly faults: readonly LetterFault[];
}

async function headOf(known: Known, body: BodyKnown): Promise<LetterHead> {
  const { header, arrival, settings } = known;
  const { fields } = header;
  const sender = senderOf(fields);
  const messageId = messageIdOf(fields);
  const own = new Set([settings.ownAddress, ...(settings.aliases ?? [])].map((address) => address.toLowerCase()));
  const ownDomain = settings.ownAddress.slice(settings.ownAddress.lastIndexOf('@') + 1).toLowerCase();
  const bounceOf =
    body.source === undefined || body.root === undefined ? undefined : bounceIn(body.source, body.root, ownDomain);
  const authentication = await authenticationOf(
    {
      ...(body.source === undefined ? {} : { source: body.source }),
      header,
      sender,
      receivedAtMs: arrival.receivedAtMs,
    },
    settings,
  );
  return {
    letterId: letterIdOf(messageId, known.bodyDigest),
    ...(messageId === undefined ? {} : { messageId }),
    bodyDigest: known.bodyDigest,
    place: arrival.place,
    sizeBytes: arrival.sizeBytes,
    receivedAtMs: arrival.receivedAtMs,
    ...(sender.address === undefined ? {} : { from: sender.address }),
    to: recipientsOf(fields),
    subject: subjectOf(valueOf(fields, 'subject') ?? '', known.decodeWords),
    inReplyTo: idsOf(fields, 'in-reply-to'),
    references: idsOf(fields, 'references'),
    automatic: [...automaticSigns(fields, sender.address, own)],
    hops: hopsOf(fields),
    authentication,
    faults: faultsOf(header, sender, body.faults),
    ...(bounceOf === undefined ? {} : { bounceOf }),
  };
}

/** The libraries throw on what they do not expect; a letter that they refuse has no texts. */
async function textsRead(
  source: Uint8Array,
  root: MimePart,
  { parser, settings }: { parser: Parameters<typeof textsOf>[1]['parser']; settings: LetterSettings },
): ReturnType<typeof textsOf> {
  try {
    return await textsOf(root, { source, parser, attachmentsMax: settings.attachmentsMax ?? ATTACHMENTS_MAX });
  } catch {
    return { words: '', enclosed: [], faults: ['NotMime'] };
  }
}

function faultsOf(header: HeaderFields, sender: Sender, faults: readonly LetterFault[]): LetterFault[] {
  const all = [
    ...faults,
    ...(header.isTooLarge ? ['HeaderTooLarge' as const] : []),
    ...(sender.fault === undefined ? [] : [sender.fault]),
  ];
  return [...new Set(all)];
}

function messageIdOf(fields: readonly HeaderField[]): string | undefined {
  const value = valueOf(fields, 'message-id');
  if (value === undefined) return undefined;
  const [id] = messageIdsIn(value);
  // Some programs leave the brackets out.
  const bare = (id ?? value).replaceAll(/[\s<>\p{Cc}]/gu, '').slice(0, MESSAGE_ID_CHARACTERS_MAX);
  return bare === '' ? undefined : bare;
}

function idsOf(fields: readonly HeaderField[], name: string): string[] {
  const ids = valuesOf(fields, name).flatMap((value) => messageIdsIn(value));
  return [...new Set(ids)].slice(-REFERENCES_MAX);
}

function recipientsOf(fields: readonly HeaderField[]): string[] {
  const all = ['to', 'cc'].flatMap((name) => valuesOf(fields, name)).flatMap((value) => mailboxesIn(value));
  return [...new Set(all)].slice(0, RECIPIENTS_MAX);
}

function subjectOf(value: string, decodeWords: (text: string) => string): string {
  const decoded = decodeWords(value.slice(0, 4 * SUBJECT_CHARACTERS_MAX));
  const line = visibleTextOf(
    decoded.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').replaceAll(/\p{Surrogate}/gu, '\uFFFD'),
  ).text;
  return line
    .trim()
    .slice(0, SUBJECT_CHARACTERS_MAX)
    .replace(/[\uD800-\uDBFF]$/, '');
}
