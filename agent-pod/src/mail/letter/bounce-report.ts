/**
 * What a report says of a letter of ours that did not arrive.
 *
 * Source: RFC 3464 2.2, 2.3; RFC 6522.
 */
import type { LetterHead } from '@retainer/mind/parts/mail/letter';
import { headerFieldsOf, valueOf, type HeaderField } from './header-fields.ts';
import { partsBelow, type MimePart } from './mime-tree.ts';
import { messageIdsIn } from './recipients.ts';

/** Recipients of a report that are looked at. */
const RECIPIENT_GROUPS_MAX = 20;
/** A status without a number of its class means no more than that something went wrong. */
const UNKNOWN_STATUS = '0.0.0';

/** @param ownDomain  Message-IDs of ours end with it */
export function bounceIn(source: Uint8Array, root: MimePart, ownDomain: string): LetterHead['bounceOf'] {
  const parts = root.type === 'multipart/report' ? partsBelow(root) : [];
  const status = parts.find(
    ({ type }) => type === 'message/delivery-status' || type === 'message/global-delivery-status',
  );
  if (status === undefined) return undefined;
  const returned = returnedFields(source, parts);
  const [messageId] = messageIdsIn(valueOf(returned, 'message-id') ?? '');
  if (messageId === undefined || !messageId.toLowerCase().endsWith(`@${ownDomain}`)) return undefined;
  return { messageId, ...statusIn(groupsOf(source, status)) };
}

/** Of the recipient that the letter did not reach, else of the last one. */
function statusIn(groups: readonly (readonly HeaderField[])[]): { status: string; isPermanent: boolean } {
  const hasFailed = (fields: readonly HeaderField[]): boolean => /^failed\b/i.test(valueOf(fields, 'action') ?? '');
  const recipient = groups.find(hasFailed) ?? groups.at(-1) ?? [];
  const status = /\b([245])\.\d{1,3}\.\d{1,3}\b/.exec(valueOf(recipient, 'status') ?? '')?.[0] ?? UNKNOWN_STATUS;
  return { status, isPermanent: status.startsWith('5') && hasFailed(recipient) };
}

/** The header of the letter that came back, whole or alone. */
function returnedFields(source: Uint8Array, parts: readonly MimePart[]): readonly HeaderField[] {
  const whole = parts.find(({ type }) => type === 'message/rfc822' || type === 'message/global')?.children[0];
  if (whole !== undefined) return whole.fields;
  const alone = parts.find(({ type }) => type === 'text/rfc822-headers' || type === 'message/global-headers');
  return alone === undefined ? [] : headerFieldsOf(source, alone).fields;
}

/** Fields of the letter, then those of each recipient. */
function groupsOf(source: Uint8Array, part: MimePart): readonly (readonly HeaderField[])[] {
  const groups: (readonly HeaderField[])[] = [];
  let start = part.start;
  while (start < part.end && groups.length < RECIPIENT_GROUPS_MAX) {
    const group = headerFieldsOf(source, { start, end: part.end });
    if (group.bodyStart <= start) break;
    groups.push(group.fields);
    start = group.bodyStart;
  }
  return groups.filter((fields) => fields.length > 0);
}
