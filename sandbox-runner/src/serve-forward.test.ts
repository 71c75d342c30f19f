import { once } from 'node:events';
import { createServer as createHttpServer, get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { forwardRequest } from './serve-forward.ts';

describe('forwardRequest', () => {
  verifies(
    'sandbox-runner:contains-abuse',
    'answers for code that answers with not an HTTP status',
    async () => {
      const code = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('HTTP/1.1 099 no\r\ncontent-length: 0\r\n\r\n'));
      }).listen(0, '127.0.0.1');
      await once(code, 'listening');
      const { port } = code.address() as AddressInfo;
      const runner = createHttpServer((request, response) => {
        forwardRequest({ request, response, body: Buffer.alloc(0) }, { port, path: '/' }, ({ status }) =>
          response.writeHead(status).end(),
        );
      }).listen(0, '127.0.0.1');
      await once(runner, 'listening');
      const [answer] = (await once(get({ port: (runner.address() as AddressInfo).port }), 'response')) as [
        IncomingMessage,
      ];
      answer.resume();
      expect(answer.statusCode).toBe(502);
      code.close();
      runner.close();
    },
    3000,
  );
});
