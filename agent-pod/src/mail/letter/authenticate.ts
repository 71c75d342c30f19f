/**
 * By what it is known that the domain of the From address sent a letter.
 *
 * The provider's results come first, where one is trusted; else a DKIM signature. ARC alone never authenticates: no sealer can be named
 * whose word would count. SPF cannot be known from a mailbox.
 *
 * Whatever makes programs disagree on what a letter says makes it unauthenticated: fields that stand twice, lines that are none.
 *
 * Source: reliability-security 5 (mail); RFC 7489 3.1, 6.6.1.
 */
import type { Authentication } from '@retainer/mind/parts/mail/letter';
import { LookUpFailed, lookUpsWith, type LookUps } from './alignment.ts';
import { signatureVerdict } from './dkim.ts';
import { repeatedNames, valueOf, valuesOf, type HeaderFields } from './header-fields.ts';
import type { LetterSettings } from './limits.ts';
import { mailboxesIn } from './recipients.ts';
import type { Sender } from './sender-address.ts';
import { providerVerdict } from './trusted-results.ts';

/** The last sentence of the evidence where the same letter can come out otherwise later. */
export const TRY_AGAIN = 'This passes; it can be tried again.';

export interface ReceivedLetter {
  /** Undefined: only its header was read, so no signature can be verified. */
  readonly source?: Uint8Array;
  readonly header: HeaderFields;
  readonly sender: Sender;
  readonly receivedAtMs: number;
}

export async function authenticationOf(letter: ReceivedLetter, settings: LetterSettings): Promise<Authentication> {
  const address = letter.sender.address;
  if (address === undefined) return none('It has not exactly one author, so nothing is known of who wrote it.');
  const oddity = oddityOf(letter.header);
  if (oddity !== undefined) return none(oddity);
  const lookUps = lookUpsWith(settings.resolve);
  try {
    return noted(await judged(letter, { settings, lookUps, fromDomain: domainOf(address) }), letter);
  } catch (cause) {
    // Look-ups fail, and the libraries throw on what they do not expect: both leave the author unknown.
    const isPassing = cause instanceof LookUpFailed || lookUps.hasFailed();
    return none(
      isPassing
        ? `What decides on its author could not be looked up. ${TRY_AGAIN}`
        : 'Its author cannot be verified: it is of a form that no honest program writes.',
    );
  }
}

interface Question {
  readonly settings: LetterSettings;
  readonly lookUps: LookUps;
  readonly fromDomain: string;
}

async function judged(letter: ReceivedLetter, { settings, lookUps, fromDomain }: Question): Promise<Authentication> {
  const service = settings.trustedAuthenticationService;
  let before = '';
  if (service !== undefined) {
    const verdict = await providerVerdict(letter.header.fields, { service, fromDomain }, lookUps);
    const named = `The results of ${shown(service)}`;
    if (verdict.kind === 'Refused')
      return { method: 'Results', isAligned: false, evidence: `${named} ${verdict.reason}.` };
    if (verdict.kind === 'Passed') {
      if (!isAddressee(letter.header, settings, undefined)) return notAddressed('Results', verdict.domain);
      const evidence = `${named} say that ${verdict.by.toUpperCase()} passed for ${verdict.domain}, the domain of its author.`;
      return { method: 'Results', isAligned: true, domain: verdict.domain, evidence };
    }
    before = `${named} ${verdict.reason}, and `;
  }
  const { authentication } = await bySignature(letter, { settings, lookUps, fromDomain });
  return {
    ...authentication,
    evidence: before === '' ? authentication.evidence : before + lowerFirst(authentication.evidence),
  };
}

async function bySignature(
  letter: ReceivedLetter,
  { settings, lookUps, fromDomain }: Question,
): Promise<{ authentication: Authentication }> {
  if (letter.source === undefined)
    return { authentication: none('Its body was not read, so no signature can be verified.') };
  const signed = { source: letter.source, header: letter.header, fromDomain, receivedAtMs: letter.receivedAtMs };
  const verdict = await signatureVerdict(signed, lookUps);
  if (verdict.kind === 'Failed') {
    const again = lookUps.hasFailed() ? ` ${TRY_AGAIN}` : '';
    return { authentication: none(`It ${verdict.reason}${arcNote(letter.header)}.${again}`) };
  }
  const unsigned = ['subject', 'message-id'].find(
    (name) => valueOf(letter.header.fields, name) !== undefined && !verdict.signedNames.has(name),
  );
  if (unsigned !== undefined) {
    return {
      authentication: {
        method: 'Dkim',
        isAligned: false,
        domain: verdict.domain,
        evidence: `It is signed by ${verdict.domain}, but its ${unsigned === 'subject' ? 'Subject' : 'Message-ID'} is not, so an old letter could come again as a new one.`,
      },
    };
  }
  if (!isAddressee(letter.header, settings, verdict.signedNames))
    return { authentication: notAddressed('Dkim', verdict.domain) };
  const evidence = `It has a valid DKIM signature of ${verdict.domain}, the domain of its author or one of the same organisation.`;
  return { authentication: { method: 'Dkim', isAligned: true, domain: verdict.domain, evidence } };
}

/** A letter to somebody else that is sent on as it was stays valid, and asks the wrong agent. */
function notAddressed(method: 'Results' | 'Dkim', domain: string): Authentication {
  const evidence = `${domain} sent it, but to somebody else: no address of this agent stands in what counts of To and Cc, so it may be a copy of a letter to another.`;
  return { method, isAligned: false, domain, evidence };
}

/** @param signedNames  fields that count; undefined: all */
function isAddressee(
  header: HeaderFields,
  settings: LetterSettings,
  signedNames: ReadonlySet<string> | undefined,
): boolean {
  const own = new Set([settings.ownAddress, ...(settings.aliases ?? [])].map(withoutTag));
  const counting = ['to', 'cc'].filter((name) => signedNames === undefined || signedNames.has(name));
  return counting
    .flatMap((name) => valuesOf(header.fields, name))
    .flatMap(mailboxesIn)
    .some((address) => own.has(withoutTag(address)));
}

/** `agent+task@example.org` arrives where `agent@example.org` does. */
function withoutTag(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*@/, '@');
}

function oddityOf(header: HeaderFields): string | undefined {
  if (header.isTooLarge) return 'Its header is longer than the limit, so nothing in it counts.';
  if (header.isOdd)
    return 'Its header has lines or characters that no header may have, so programs disagree on what it says.';
  const [repeated] = repeatedNames(header.fields);
  return repeated === undefined
    ? undefined
    : `Its field ${repeated} stands twice, so programs disagree on what it says.`;
}

function arcNote(header: HeaderFields): string {
  return header.fields.some(({ name }) => name === 'arc-seal')
    ? '; its ARC chain counts for nothing, because no sealer is trusted'
    : '';
}

function noted(authentication: Authentication, letter: ReceivedLetter): Authentication {
  const note = letter.sender.note;
  return note === undefined ? authentication : { ...authentication, evidence: `${authentication.evidence} ${note}` };
}

function none(evidence: string): Authentication {
  return { method: 'None', isAligned: false, evidence };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** The service id is of the settings; all the same it is shown as a name and no more. */
function shown(service: string): string {
  return service.replaceAll(/[^\w.-]/g, '').slice(0, 253);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
