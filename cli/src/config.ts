/** The only reader of the environment. */
import { userInfo } from 'node:os';

export interface Environment {
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  /** Values that must not reach the record, by the name of their variable. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** undefined: a terminal decides. Source: no-color.org; FORCE_COLOR as in Node. */
  readonly colour: boolean | undefined;
  /** Who decides and cancels: the name of the user at the operating system. */
  readonly userName: string;
}

/** Names of variables that hold secrets by the customs of their programs. */
const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

export function readEnvironment(): Environment {
  const { env } = process;
  return {
    apiKey: nonEmpty(env['ANTHROPIC_API_KEY']),
    baseURL: nonEmpty(env['ANTHROPIC_BASE_URL']),
    secrets: Object.entries(env).flatMap(([name, value = '']) => (secretName.test(name) ? [{ name, value }] : [])),
    colour: colourOf(env['NO_COLOR'], env['FORCE_COLOR']),
    userName: userName(),
  };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function colourOf(noColour: string | undefined, forced: string | undefined): boolean | undefined {
  if (noColour !== undefined && noColour !== '') return false;
  return forced === undefined ? undefined : forced !== '0';
}

/** A container may run under a uid that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
