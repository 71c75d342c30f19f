/**
 * The codes of approvals by mail.
 *
 * DATA/mail-approvals.key  32 random bytes. No copy of the agent has it: a restored agent makes a new one.
 *
 * I1  A code is made anew from the key and the mail whenever it is needed, so it is written nowhere but into the letter.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeDigestOf, codeFrom, isSameDigest } from '@retainer/mind/parts/mail/approval-code';
import { codeSeed, isPastApproval, withCode } from '@retainer/mind/parts/mail/approval-letter';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';

export const APPROVAL_KEY_FILE = 'mail-approvals.key';
const KEY_BYTES = 32;
const KEY_MODE = 0o600;
const OTHERS_BITS = 0o077;

type Seed = Parameters<typeof codeSeed>[0];

export class ApprovalCodes {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Makes a missing key. @throws when others can read it, because then they can make codes */
  static async open(dataDirectory: string): Promise<ApprovalCodes> {
    const path = join(dataDirectory, APPROVAL_KEY_FILE);
    return new ApprovalCodes((await readKey(path)) ?? (await makeKey(path)));
  }

  /** SHA-256 of the code for a mail that is to be requested, hexadecimal. */
  digestFor(seed: Seed): string {
    return codeDigestOf(this.#code(seed));
  }

  /**
   * A mail as it leaves: an approval with its code, any other as it is. Whoever hands it to a server asks for it, and keeps nothing
   * of it.
   *
   * @param nowMs  milliseconds since 1970
   * @throws for a request that must not be sent: another key made its code, or its time is over
   */
  complete(mail: Outgoing, nowMs: number): Outgoing {
    const { approval, mailId, to, text } = mail;
    if (approval === undefined) return mail;
    const { requestId, argumentsDigest, codeDigest } = approval;
    const code = this.#code({ mailId, requestId, argumentsDigest, address: to[0] ?? '' });
    if (!isSameDigest(codeDigestOf(code), codeDigest)) throw new Error(`another key made the code of ${mailId}`);
    if (isPastApproval(mail, nowMs)) throw new Error(`nobody waits for the answer to ${mailId} any more`);
    return { ...mail, text: withCode(text, code) };
  }

  #code(seed: Seed): string {
    return codeFrom(createHmac('sha256', this.#key).update(codeSeed(seed)).digest('hex'));
  }
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS_BITS) !== 0)
      throw new Error(
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)}), so approvals by mail would prove nothing: delete it, and a new one is made`,
      );
    const key = await readFile(path);
    if (key.length !== KEY_BYTES)
      throw new Error(`${path} has ${key.length} bytes in place of ${KEY_BYTES}: delete it, and a new one is made`);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeKey(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  // A crash in between leaves no half key under the real name.
  const file = await open(`${path}.tmp`, 'w', KEY_MODE);
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
  return key;
}
