/** Addresses and ids in fields that name other people and letters. They decide nothing about the author. */
import { REFERENCES_MAX, MESSAGE_ID_CHARACTERS_MAX } from '@retainer/mind/parts/mail/letter';
import { ADDRESS_CHARACTERS_MAX, RECIPIENTS_MAX } from './limits.ts';

/** Addresses of a list, lower case, in order; names, comments and groups are left out. */
export function mailboxesIn(value: string): readonly string[] {
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"/g, ' ').replaceAll(/\([^()]*\)/g, ' ');
  const found = bare.matchAll(/(?<=^|[\s<,;:])[^\s<>,;:@"()]+@[^\s<>,;:@"()]+(?=$|[\s>,;])/g);
  const addresses = Array.from(found, ([address]) => address.toLowerCase());
  return addresses.filter((address) => address.length <= ADDRESS_CHARACTERS_MAX).slice(0, RECIPIENTS_MAX);
}

/** Message-IDs without their brackets, in order; of too many the newest, which stand last. */
export function messageIdsIn(value: string): readonly string[] {
  const ids = Array.from(value.matchAll(/<([^<>\s]+)>/g), ([, id = '']) => id);
  return ids.filter((id) => id.length <= MESSAGE_ID_CHARACTERS_MAX).slice(-REFERENCES_MAX);
}
