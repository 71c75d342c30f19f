/** What is wrong with the settings of a model before any request leaves. Pure; no fault contains a key. */
import type { ProxySettings } from '@retainer/contract/std/proxies';
import { DEFAULT_BASE_URL } from './anthropic-failure.ts';
import type { SettingNames } from './model-symptoms.ts';
import { wayFault } from './model-wire.ts';

interface Given {
  /** Without white space around it. */
  readonly apiKey: string;
  readonly baseURL: string | undefined;
  readonly names: SettingNames;
  readonly proxies: ProxySettings;
}

/** What a header takes of a key: letters, digits and signs of ASCII, on one line. */
const NOT_IN_KEY = /[^\x20-\x7e]/u;

/** @returns one sentence per fault, which names its setting */
export function settingFaults({ apiKey, baseURL, names, proxies }: Given): readonly string[] {
  const faults = [keyFault(apiKey, names.key), addressFault(baseURL ?? DEFAULT_BASE_URL, names.address, proxies)];
  return faults.filter((fault) => fault !== undefined);
}

function keyFault(apiKey: string, name: string): string | undefined {
  if (apiKey === '') return `the API key of the Anthropic model is empty: set ${name}`;
  const at = apiKey.search(NOT_IN_KEY);
  if (at < 0) return undefined;
  const code = (apiKey.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const what = /[\r\n]/.test(apiKey[at] ?? '') ? 'a line end' : `the character U+${code}`;
  return `the API key holds ${what} at place ${at + 1} of ${apiKey.length}, which no header takes: set ${name} to the key alone`;
}

function addressFault(baseURL: string, name: string, proxies: ProxySettings): string | undefined {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return `the model's base URL must be an http or https URL${url?.username === '' ? `, not ${JSON.stringify(baseURL)}` : ''}: set ${name}`;
  if (url.username !== '' || url.password !== '')
    return `the model's base URL must hold no name and no password: correct ${name}`;
  if (url.search !== '' || url.hash !== '') return `the model's base URL must hold no ? and no #: correct ${name}`;
  const fault = wayFault(url, proxies);
  return fault === undefined ? undefined : `${fault} (${name})`;
}
