/** What `--from` means: a directory of this machine, or the address of a git remote. Pure. */
import { forGit } from '@retainer/agent-pod/backup/remote-access';
import { ENV } from '@retainer/contract/api/names';
import { err, ok, type Result } from '@retainer/contract/std/result';

export type RestoreSource =
  | { readonly kind: 'Directory'; readonly path: string }
  | { readonly kind: 'Remote'; readonly url: string };

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
/** As git writes addresses of SSH: `git@host:path`. */
const SHORT_SSH = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s]+$/;

/** @returns why it can be neither, in a sentence for people */
export function restoreSource(from: string): Result<RestoreSource, string> {
  if (SHORT_SSH.test(from)) return ok({ kind: 'Remote', url: from });
  if (!ADDRESS.test(from)) return ok({ kind: 'Directory', path: from });
  const url = URL.canParse(from) && !/\s/.test(from) ? new URL(from) : undefined;
  if (url === undefined) return err('--from is no address: give one such as https://git.example.com/ada.git');
  // Of a name alone, nobody knows whether it is a token.
  const hasSecret = url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:');
  if (hasSecret)
    return err(
      `--from must hold no name and no password, because others see what is typed: set ${ENV.gitUsername} and ${ENV.gitPassword}`,
    );
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return err(
      '--from is an address of http, on which others can read and change what comes: give one of https or ssh',
    );
  if (!PROTOCOLS.has(url.protocol))
    return err(`--from takes a directory or an address of https, ssh or file, and not one of ${url.protocol}`);
  return ok({ kind: 'Remote', url: forGit(from) });
}

const PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'ssh:', 'file:', 'http:']);
/** What goes there stays on this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
