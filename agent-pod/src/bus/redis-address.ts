/** Parses the URL of a Redis. The client's own parser would accept any of its options in the query. */
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** Number of the database; 0 if the URL names none. */
  readonly db: number;
  readonly isTls: boolean;
}

const DEFAULT_PORT = 6379;
const FORM = 'redis://USER:PASSWORD@HOST:PORT/DATABASE, or rediss:// for TLS';

/** @returns  errors quote nothing of the URL, which contains a password */
export function redisAddress(url: string): Result<RedisAddress, string> {
  if (!URL.canParse(url)) return err(`the URL of Redis must have the form ${FORM}`);
  const parsed = new URL(url);
  if (!/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '') {
    return err(`the URL of Redis must have the form ${FORM}`);
  }
  if (parsed.search !== '' || parsed.hash !== '')
    return err(`the URL of Redis takes no query and no fragment: ${FORM}`);
  const database = /^\/?(\d{0,4})$/.exec(parsed.pathname)?.[1];
  if (database === undefined) return err(`the path of the URL of Redis must be the number of a database: ${FORM}`);
  const login = loginOf(parsed);
  if (login === undefined) {
    return err('user or password in the URL of Redis are not percent-encoded: write %25 for a per cent sign');
  }
  return ok({
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? DEFAULT_PORT : Number(parsed.port),
    ...login,
    db: Number(database),
    isTls: parsed.protocol === 'rediss:',
  });
}

/** Undefined if they cannot be decoded. */
function loginOf(url: URL): Pick<RedisAddress, 'username' | 'password'> | undefined {
  try {
    const username = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
  } catch {
    return undefined;
  }
}
