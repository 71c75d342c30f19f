import { readFileSync } from 'node:fs';

/** Version of this program, shared by chart, operator, agent and command line. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
