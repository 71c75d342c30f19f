/** Mail addresses, as lists of a manifest name them. */

/** As people read it. A sign of another alphabet that looks like one of ours shows as its number. */
export function shownAddress(address: string): string {
  return address.replace(/[^ -~]/gu, (it) => `\\u{${(it.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Letters of ASCII in lower case. `toLowerCase` makes `k` of the Kelvin sign: two addresses would become one. */
export function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The domain, lower case; empty for what has none. */
export function domainOf(address: string): string {
  return asciiLowerCase(address.slice(address.lastIndexOf('@') + 1));
}

/** @param patterns  addresses, or `*@` and a domain for all its addresses; no subdomain counts */
export function isListedAddress(address: string, patterns: readonly string[]): boolean {
  const own = asciiLowerCase(address);
  return patterns.some((pattern) => {
    const listed = asciiLowerCase(pattern);
    return listed === own || (listed.startsWith('*@') && own.includes('@') && domainOf(own) === listed.slice(2));
  });
}
