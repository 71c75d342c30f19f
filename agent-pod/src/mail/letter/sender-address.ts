/**
 * The one author of a letter. The display name is never used: it is text that anybody can choose.
 *
 * I1: an address comes out only where one From field has one mailbox and nothing beside it could be taken for another.
 *
 * Source: RFC 5322 3.4, 3.6.2; reliability-security 5 (no two addresses, no groups, no display-name tricks).
 */
import { domainToASCII } from 'node:url';
import { asciiLowerCase } from '@retainer/mind/gate/provenance/mail-address';
import type { LetterFault } from '@retainer/mind/parts/mail/letter';
import { valuesOf, type HeaderField } from './header-fields.ts';
import { ADDRESS_CHARACTERS_MAX } from './limits.ts';

export interface Sender {
  /** `local@domain`: ASCII letters in lower case, the domain in its ASCII form. Absent: there is not exactly one. */
  readonly address?: string;
  readonly fault?: Extract<LetterFault, 'NoSender' | 'SeveralSenders'>;
  /** What a reader should know of the domain, in our words. */
  readonly note?: string;
}

export function senderOf(fields: readonly HeaderField[]): Sender {
  const values = valuesOf(fields, 'from');
  const [value] = values;
  if (value === undefined) return { fault: 'NoSender' };
  if (values.length > 1) return { fault: 'SeveralSenders' };
  const tokens = tokensOf(value);
  if (tokens === undefined) return { fault: 'NoSender' };
  // Outside of quotes and comments, these separate addresses or open a group.
  if (tokens.bare.some((text) => /[,;:]/.test(text))) return { fault: 'SeveralSenders' };
  if (tokens.angles.length > 1) return { fault: 'SeveralSenders' };
  const [angle] = tokens.angles;
  const bare = tokens.bare.join(' ').trim();
  if (angle !== undefined && bare.includes('@')) return { fault: 'SeveralSenders' };
  if (angle === undefined && tokens.hasQuoted) return { fault: 'NoSender' };
  return addressOf((angle ?? bare).trim());
}

interface Tokens {
  /** Texts outside of quotes, comments and angle brackets. */
  readonly bare: readonly string[];
  readonly angles: readonly string[];
  readonly hasQuoted: boolean;
}

/** Undefined: a quote, comment or bracket does not end, or a control character stands in it. */
function tokensOf(value: string): Tokens | undefined {
  // The first fold of a field is white space of its own; anything else of this kind imitates a line.
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return undefined;
  const bare: string[] = [];
  const angles: string[] = [];
  let hasQuoted = false;
  let text = '';
  for (let index = 0; index < value.length; index += 1) {
    const character = value.charAt(index);
    const end = closingOf(value, index);
    if (end === undefined) {
      if (')>"\\'.includes(character)) return undefined;
      text += character;
      continue;
    }
    if (end === -1) return undefined;
    bare.push(text);
    text = '';
    if (character === '<') angles.push(value.slice(index + 1, end));
    hasQuoted ||= character === '"';
    index = end;
  }
  return { bare: [...bare, text].filter((it) => it.trim() !== ''), angles, hasQuoted };
}

/** Where what begins here ends; -1: nowhere; undefined: nothing begins here. */
function closingOf(value: string, start: number): number | undefined {
  const opening = value.charAt(start);
  if (opening === '<') return value.indexOf('>', start);
  if (opening !== '"' && opening !== '(') return undefined;
  let depth = 0;
  for (let index = start; index < value.length; index += 1) {
    const character = value.charAt(index);
    if (character === '\\') index += 1;
    else if (opening === '"') {
      if (character === '"' && index > start) return index;
    } else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

/** Letters of addresses that are in use. Quoted locals and routes are not: programs disagree on them. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~\u00a1-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u00a1-\u{10ffff}-]+)*$/u;
const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
/** Characters that show nothing, and half a character. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Surrogate}\p{White_Space}\p{Cc}]/u;

function addressOf(text: string): Sender {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const said = text.slice(at + 1);
  if (at < 1 || text.length > ADDRESS_CHARACTERS_MAX || UNSEEN.test(text)) return { fault: 'NoSender' };
  if (!LOCAL.test(local)) return { fault: 'NoSender' };
  const domain = asciiDomain(said);
  if (domain === undefined) return { fault: 'NoSender' };
  const note = noteOn(local, said, domain);
  return { address: `${asciiLowerCase(local)}@${domain}`, ...(note === undefined ? {} : { note }) };
}

/** Lower case and ASCII, or undefined where it is no name of the DNS with a dot. */
export function asciiDomain(text: string): string | undefined {
  const domain = /^[ -~]+$/.test(text) ? asciiLowerCase(text) : domainToASCII(text);
  return domain.length <= 253 && DOMAIN.test(domain) ? domain : undefined;
}

function noteOn(local: string, said: string, domain: string): string | undefined {
  if (domain.split('.').some((label) => label.startsWith('xn--')) || !/^[ -~]+$/.test(said)) {
    return `Its domain ${domain} has letters beyond ASCII, so it can look like another.`;
  }
  return /[^ -~]/.test(local) ? 'Its address has letters beyond ASCII, so it can look like another.' : undefined;
}
