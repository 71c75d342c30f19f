/** System errors in words that a model can act on. They reveal no path of this machine. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it exists already',
  EACCES: 'the permissions do not allow it',
  EPERM: 'the system does not allow it',
  EROFS: 'it is read-only',
  ENOSPC: 'no space is left on the volume',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a link, or links lead in a circle',
  EMFILE: 'too many files are open; try again',
  ENFILE: 'too many files are open; try again',
  EIO: 'the storage failed',
  ECONNREFUSED: 'the other machine refuses the connection',
  ECONNRESET: 'the other machine broke the connection off',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name could not be resolved just now; try again later',
  ETIMEDOUT: 'the other machine does not answer',
  EHOSTUNREACH: 'there is no way to the other machine',
  ENETUNREACH: 'there is no way to the other machine',
};

/** Any thrown value, as the end of a sentence. */
export function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return 'for a reason that it did not name';
  const code = 'code' in cause ? cause.code : undefined;
  if (typeof code !== 'string') return cause.message;
  return WORDS[code] ?? `the system says ${code}`;
}
