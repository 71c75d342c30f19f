/** What the tasks work on: the files of the workspace before they begin, and a page on loopback. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { FetchNetwork } from '@retainer/agent-pod/tools/fetch-page';
import { officeFiles } from './seeds/office.ts';
import { tradeFiles } from './seeds/trade.ts';

/** By path below the workspace. */
export const seeds: Readonly<Record<string, string>> = { ...officeFiles, ...tradeFiles };

export async function seedFiles(workspace: string): Promise<void> {
  for (const [path, text] of Object.entries(seeds)) {
    const file = join(workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Reads files of the workspace; undefined where there is none. */
export function filesOf(workspace: string): (path: string) => string | undefined {
  return (path) => (existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : undefined);
}

/** A name that the guard takes for a public one; it leads to the page on loopback. */
export const PAGE_HOST = 'prices.example.org';
export const PAGE_URL = `http://${PAGE_HOST}/list.html`;

const PAGE = `<html><body><h1>Prices of today</h1><table>
<tr><td>Lamp</td><td>34.90</td></tr><tr><td>Chair</td><td>118.20</td></tr><tr><td>Cup</td><td>4.15</td></tr>
</table></body></html>`;

/** An address of a public range, so that the whole guard applies. */
const PUBLIC_ADDRESS = { address: '93.184.215.14', family: 4 } as const;

export interface Page {
  readonly network: FetchNetwork;
  close(): Promise<void>;
}

export async function servePage(): Promise<Page> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    network: {
      resolve: async (host) => (host === PAGE_HOST ? [PUBLIC_ADDRESS] : []),
      dial: () => ({ address: '127.0.0.1', family: 4, port }),
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
