/** Whom a git trusts that reaches a remote over HTTPS: Node's authorities, as the calls of the model do, and further ones. */
import { writeFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

/**
 * @param authorities  PEM; undefined: git trusts whom the system trusts
 * @param file  is written anew each time: git reads authorities from a file only
 * @returns settings for git
 */
export async function authoritySettings(authorities: string | undefined, file: string): Promise<readonly string[]> {
  if (authorities === undefined) return [];
  await writeFile(file, `${[...rootCertificates, authorities].join('\n')}\n`);
  return [`http.sslCAInfo=${file}`];
}
