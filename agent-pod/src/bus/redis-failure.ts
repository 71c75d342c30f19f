/**
 * Describes failures of Redis by codes only: errors of client and server quote arguments, such as a password or a message.
 */

/** Advice by the first word of the server's error. */
const ADVICE: Readonly<Record<string, string>> = {
  WRONGPASS: 'Redis refuses the user or password of its URL',
  NOAUTH: 'Redis requires a password: add it to the Redis URL',
  NOPERM:
    'the user of the Redis URL may not use streams: it needs XADD, XGROUP, XREADGROUP, XACK, XCLAIM, XAUTOCLAIM, XINFO',
  OOM: 'Redis has no memory left: raise maxmemory',
  READONLY: 'this Redis is a replica: the URL must name the primary',
  MISCONF: 'Redis cannot save to its disk',
  LOADING: 'Redis is loading its data',
  WRONGTYPE: 'the key of the stream holds another type: delete the key, or use another database',
};

/** Codes of the server, of Node's sockets and of TLS. Anything else may quote arguments. */
const CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

export function redisFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'Redis failed';
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && CODE.test(code)) return `Redis cannot be reached: ${code}`;
  const word = serverWord(error);
  if (word !== undefined) return ADVICE[word] ?? `Redis refused with ${word}`;
  return 'the connection to Redis broke';
}

export function isGroupMissing(error: unknown): boolean {
  return error instanceof Error && serverWord(error) === 'NOGROUP';
}

export function isGroupThere(error: unknown): boolean {
  return error instanceof Error && serverWord(error) === 'BUSYGROUP';
}

function serverWord(error: Error): string | undefined {
  if (error.name !== 'ReplyError') return undefined;
  const [word = ''] = error.message.split(' ', 1);
  return CODE.test(word) ? word : undefined;
}
