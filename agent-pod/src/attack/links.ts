/** The hosts that a text leads its readers to, as browsers and mail programs read it. Knows nothing of how the gate reads addresses. */

const ENTITIES: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  Tab: '\t',
  NewLine: '\n',
  commat: '@',
  amp: '&',
};

function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi, (whole, hex?: string, decimal?: string, name = '') => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(decimal));
  });
}

/** What browsers take for the start of an address, and all that may belong to it. */
const ADDRESS = /(?:(?:https?|ftp|wss?|file):[\\/]*|[a-z][a-z0-9+.-]+:[\\/]{2}|[\\/]{2}|(?=www\.))([^\s"'<>()`]+)/g;
const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u;

/** Lower-case names of hosts. An address whose host is written with brackets leads nowhere. */
export function hostsIn(text: string): readonly string[] {
  const meant = withoutEntities(text).normalize('NFKC').replaceAll('。', '.').replaceAll('\t', '').toLowerCase();
  const spellings = new Set([meant, meant.replaceAll(/[\r\n]/g, '')]);
  return [...spellings]
    .flatMap((it) => [...it.matchAll(ADDRESS)].map((match) => hostOf(match[1] ?? '')))
    .filter(isHost);
}

function hostOf(address: string): string {
  const authority = address.split(/[\\/?#]/, 1)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

function isHost(host: string): boolean {
  return HOST.test(host);
}

/** The texts in a document of JSON; the text itself where it is none. */
export function textsIn(document: string): readonly string[] {
  try {
    return stringsOf(JSON.parse(document));
  } catch {
    return [document];
  }
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
