/**
 * The one spelling of a path in the workspace. Every file name is normalised here before the gate sees it.
 *
 * I1  The result is relative and has no `.` or `..` part, so it names nothing outside the workspace.
 * I2  Normalising twice changes nothing.
 *
 * This module does not follow links: the code that opens a path refuses links that leave the workspace.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';

/** Where a sandboxed script sees the workspace. Models use this name in other tools, too. */
export const WORKSPACE_MOUNT = '/workspace';

export const WORKSPACE_ROOT = '.';

/** Bytes of UTF-8. Linux allows 4,096 including the directory before it; the half leaves room for that. */
export const MAX_PATH_BYTES = 2048;

/** Bytes of UTF-8 in one part; the limit of every common Linux file system. */
export const MAX_NAME_BYTES = 255;

const encoder = new TextEncoder();
const FORBIDDEN = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/**
 * Parses a path that a model or a person wrote: `a/b`, `./a//b`, `/workspace/a/b`.
 *
 * @returns  parts joined by `/` in Unicode form NFC, or `.` for the workspace itself; the error says what is allowed. It names the
 *           one entry whose name has this form in NFC, whatever its spelling on the disk is (`agent-pod/src/tools/name-on-disk.ts`).
 */
export function parseWorkspacePath(text: string): Result<string, string> {
  if (text === '') return err('is empty; give a path inside the workspace, or . for all of it');
  if (FORBIDDEN.test(text)) return err('holds a control character or half a character; use plain names');
  const relative = withoutMount(text.normalize('NFC'));
  if (relative.startsWith('/')) {
    return err(
      `is absolute; give a path inside the workspace, as in data/table.csv or ${WORKSPACE_MOUNT}/data/table.csv`,
    );
  }
  if (encoder.encode(relative).length > MAX_PATH_BYTES) return err(`is longer than ${MAX_PATH_BYTES} bytes`);
  return joinedParts(relative);
}

function withoutMount(path: string): string {
  if (path === WORKSPACE_MOUNT) return WORKSPACE_ROOT;
  const prefix = `${WORKSPACE_MOUNT}/`;
  return path.startsWith(prefix) ? `./${path.slice(prefix.length)}` : path;
}

function joinedParts(path: string): Result<string, string> {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return err('leaves the workspace through ..; stay inside it');
      continue;
    }
    if (encoder.encode(part).length > MAX_NAME_BYTES) return err(`has a part longer than ${MAX_NAME_BYTES} bytes`);
    parts.push(part);
  }
  return ok(parts.length === 0 ? WORKSPACE_ROOT : parts.join('/'));
}
