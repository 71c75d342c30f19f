/** The world outside: an HTTP server on loopback at the end of every name, and what it and the resolver were asked. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FetchNetwork } from '../tools/fetch-page.ts';

export interface OutsideRequest {
  /** Scheme, host and path as the server saw them. */
  readonly url: string;
  /** First line and all headers, as they came. */
  readonly bytes: string;
}

export interface Outside {
  readonly network: FetchNetwork;
  readonly requests: readonly OutsideRequest[];
  /** Names that were looked up. */
  readonly names: readonly string[];
  close(): Promise<void>;
}

/** A public address, so that the guard lets it pass; what is connected to is the server here. */
const PUBLIC_ADDRESS = { address: '93.184.215.14', family: 4 } as const;

/** @param pages  texts by their address */
export async function openOutside(pages: ReadonlyMap<string, string>): Promise<Outside> {
  const requests: OutsideRequest[] = [];
  const names: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = `http://${request.headers.host ?? ''}${request.url ?? ''}`;
    requests.push({ url, bytes: [`${request.method} ${request.url}`, ...request.rawHeaders].join('\n') });
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(pages.get(url) ?? 'Nothing to see.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    names,
    network: {
      resolve: (host) => {
        names.push(host);
        return Promise.resolve([PUBLIC_ADDRESS]);
      },
      dial: () => ({ address: '127.0.0.1', family: 4, port }),
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
