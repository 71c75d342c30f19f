/**
 * Limits of reading one letter. Reaching one is a fault in its head, never an exception.
 *
 * Source: reliability-security 5 (10 MiB message, 100 parts, depth 10, header 64 KiB, 20 attachments).
 */

/** Bytes of one letter. Providers take 20 to 50 MiB; nobody's command is longer, and reading it must fit in 64 MB. */
export const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
/** Bytes of the header of a letter or of one of its parts. Servers refuse longer ones at 100 KiB or less. */
export const HEADER_BYTES_MAX = 64 * 1024;
/** Lines of one header: letters of long ways have 200. More makes the time of joining folded lines grow with its square. */
export const HEADER_LINES_MAX = 2000;
/** Parts of one letter, those of forwarded ones included: a person's has ten. */
export const PARTS_MAX = 100;
/** Multiparts and messages around a part. A forward of a forward with pictures has six. */
export const DEPTH_MAX = 10;
/** Attachments that are told of, where the settings say no other number. */
export const ATTACHMENTS_MAX = 20;
/** Characters of the name of an attachment: it is shown in a list. */
export const NAME_CHARACTERS_MAX = 120;
/** Bytes of one part that are decoded as text: more than `ENCLOSED_CHARACTERS_MAX` in any encoding of a European language. */
export const TEXT_BYTES_MAX = 1024 * 1024;
/** Lines of one part that are decoded as text. The library holds an object for each. */
export const TEXT_LINES_MAX = 20_000;
/** Lines of one body that are sorted into words and quotes. A discussion of a month has 3,000; each line costs some patterns. */
export const SORTED_LINES_MAX = 10_000;
/** Lines of one multipart that begin like its boundary and are none. Honest boundaries are random. */
export const FALSE_BOUNDARIES_MAX = 1000;
/** Bytes of an attachment that tell its type. All known signatures end earlier. */
export const SNIFF_BYTES = 4096;
/** Tags of one HTML part. The time of parsing can grow with their square. */
export const HTML_TAGS_MAX = 20_000;
/** Elements around a text of an HTML part. Honest mail has 60; each is a call on the stack. */
export const HTML_DEPTH_MAX = 256;
/** Lines of a body whose signature is verified. A letter of 10 MiB in base64 has 140,000. */
export const SIGNED_LINES_MAX = 200_000;
/** Of them, lines that end with white space: the library copies each, and holds 0.5 KB for each that is nothing else. */
export const SIGNED_BLANKS_MAX = 50_000;
/** Signatures of one letter that are verified: its author's, and those of the services that it went through. */
export const SIGNATURES_MAX = 5;
/** Header names that one signature may list. Long ones have 40. */
export const SIGNED_NAMES_MAX = 200;
/** DNS look-ups for one letter: a key for each signature, and two for the DMARC record. */
export const LOOKUPS_MAX = 8;
/** Milliseconds that one DNS look-up may take. Resolvers of a cluster answer or fail within 5 s. */
export const LOOKUP_TIMEOUT_MS = 5000;
/** Addresses of To and Cc that are told of. */
export const RECIPIENTS_MAX = 50;
/** Characters of an address. Source: RFC 5321 4.5.3.1.3. */
export const ADDRESS_CHARACTERS_MAX = 254;
/** Hops that are told of; a loop header that is no number counts as so many. */
export const HOPS_CEILING = 1000;

/** TXT records of a name, each as its strings. Rejects with the `code` of `node:dns`: `ENOTFOUND` and `ENODATA` mean that there is none. */
export type DnsResolver = (name: string, type: 'TXT') => Promise<readonly (readonly string[])[]>;

export interface LetterSettings {
  /** The agent's own address. */
  readonly ownAddress: string;
  /** Other addresses whose letters arrive in the same mailbox. */
  readonly aliases?: readonly string[];
  /** The service id in `Authentication-Results` of the provider, which must remove forged ones. Absent: none is believed. */
  readonly trustedAuthenticationService?: string;
  /** Bytes; absent: `MESSAGE_BYTES_MAX`. */
  readonly messageBytesMax?: number;
  /** Absent: `ATTACHMENTS_MAX`. */
  readonly attachmentsMax?: number;
  readonly resolve: DnsResolver;
}
