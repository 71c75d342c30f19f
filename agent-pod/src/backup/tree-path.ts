/**
 * Names of workspace files in the repository. Pure.
 *
 * A workspace may hold names that git gives a meaning (`.git`, `.gitmodules`, `.gitattributes`) or that another system cannot
 * have. Such signs are written as `%` and two digits, so every name comes back as it was and none is taken for git's own.
 */

const CODED = /[%~\\:*?"<>|\u0000-\u001F\u007F]|^\.|[. ]$/g;

/** @param path  relative to the workspace, with slashes */
export function codedPath(path: string): string {
  return path
    .split('/')
    .map((name) => name.replaceAll(CODED, code))
    .join('/');
}

export function decodedPath(path: string): string {
  return path.replaceAll(/%([0-9A-F]{2})/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)));
}

/** All of them are ASCII. */
function code(sign: string): string {
  return `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
}
