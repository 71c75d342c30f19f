/** What the tools share that write one text file of the workspace. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ToolOutput } from './tool.ts';
import { openNamedFile } from './workspace-file.ts';
import { ownWords } from './workspace-labels.ts';

/** Characters of a file that a model writes or edits. Larger contents are made by code, not dictated by a model. */
export const TEXT_CHARACTERS_MAX = 1024 * 1024;

/** Most bytes of UTF-8 for each unit of a string's length. */
const BYTES_PER_CHARACTER = 3;

/** @returns the whole text, byte for byte as UTF-8; the error is the end of a sentence */
export async function readTextFile(workspaceDirectory: string, path: string): Promise<Result<string, string>> {
  const opened = await openNamedFile(workspaceDirectory, path);
  if (!opened.ok) return opened;
  const { handle, sizeBytes } = opened.value;
  try {
    if (sizeBytes > TEXT_CHARACTERS_MAX * BYTES_PER_CHARACTER) return err(tooLarge);
    const bytes = await handle.readFile();
    if (!isUtf8(bytes) || bytes.includes(0)) return err('is not text; use code to change it');
    const text = bytes.toString('utf8');
    return text.length > TEXT_CHARACTERS_MAX ? err(tooLarge) : ok(text);
  } finally {
    await handle.close();
  }
}

const tooLarge = `is longer than ${TEXT_CHARACTERS_MAX} characters; use code to change it`;

/**
 * @param text   what the model reads; the record holds size and digest of the file besides
 * @param label  of the file as it stands now
 */
export function wroteFile(path: string, bytes: Buffer, text: string, label: Label): ToolOutput {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ path, sizeBytes: bytes.length, sha256 }];
  return { isError: false, text, files, label: ownWords, changes: { files, gone: [], label, why: 'Write' } };
}
