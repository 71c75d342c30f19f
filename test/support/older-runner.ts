/** In front of a runner: refuses archives with links, as runners did that did not know them. */
import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { RUNNER_PATHS } from '@retainer/contract/wire/runner';

export interface OlderRunner {
  /** Archives that it refused. */
  refused: number;
  readonly server: Server;
  readonly port: number;
}

/** @param runnerPort  of the runner behind it, on loopback */
export async function olderRunner(runnerPort: number): Promise<OlderRunner> {
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await buffer(incoming);
      const { method, url, headers } = incoming;
      if (method === 'POST' && url === RUNNER_PATHS.files && body.includes('{"type":"Link"')) {
        older.refused += 1;
        const error = { reason: 'ArchiveMalformed', message: 'a header has the wrong form' };
        response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error));
        return;
      }
      const forwarded = send({ host: '127.0.0.1', port: runnerPort, method, path: url, headers });
      forwarded.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      forwarded.end(body);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const older = { refused: 0, server, port: (server.address() as AddressInfo).port };
  return older;
}
