/** The client against a server that does what servers and networks do, real sockets in between. */
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { ApiError, ConnectionError } from './api-error.ts';
import { HttpsClient, type AnsweredRequest } from './https-client.ts';
import { METADATA_ONLY, type WatchEvent, type WatchOptions } from './kube-client.ts';
import { systemClock } from '@retainer/contract/std/system-clock';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true };
const key = { namespace: 'one', name: 'a' };
const object = { metadata: { ...key, uid: 'u1', resourceVersion: '7' } };

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly body: unknown;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

type Answer = (response: ServerResponse, request: Asked, index: number) => void;

async function serve(answer: Answer): Promise<{ readonly url: URL; readonly asked: Asked[]; readonly server: Server }> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { method = '', url = '', headers } = request;
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      asked.push({ method, url, contentType: headers['content-type'], accept: headers.accept, body });
      answer(response, asked.at(-1) as Asked, asked.length - 1);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked, server };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function client(url: URL, clock = systemClock, onAnswer?: (request: AnsweredRequest) => void): HttpsClient {
  const connection = { server: url, namespace: 'default', credentials: async () => ({ headers: {}, tls: {} }) };
  const opened = new HttpsClient({ connection, clock, userAgent: 'test/0', ...(onAnswer && { onAnswer }) });
  ends.push(() => opened.close());
  return opened;
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );

const watchOptions: WatchOptions = { resourceVersion: '5', timeoutSeconds: 300, readDeadlineMs: 75_000 };

const line = (type: string, of: object): string => `${JSON.stringify({ type, object: of })}\n`;

/** Everything that one watch tells, and how it ends. */
async function watched(write: (response: ServerResponse) => void): Promise<{
  readonly events: readonly WatchEvent[];
  readonly error: Error | undefined;
}> {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    write(response);
  });
  const events: WatchEvent[] = [];
  const error = await client(url)
    .watch(configMaps, watchOptions, (event) => events.push(event))
    .then(
      () => undefined,
      (reason: Error) => reason,
    );
  return { events, error };
}

describe('a call', () => {
  it('asks for the metadata of an object alone where that is wanted', async () => {
    const { url, asked } = await serve((response) => json(response, 200, object));
    await client(url).raw('GET', '/api/v1/namespaces/one/secrets/a', undefined, { accept: METADATA_ONLY });
    await client(url).raw('GET', '/version');
    expect(asked.map(({ accept }) => accept)).toEqual([METADATA_ONLY, 'application/json']);
  });

  it('about a Lease waits behind no other call, however many are unanswered', async () => {
    const leases = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', isNamespaced: true };
    const { url, asked } = await serve((response, { url: path }) => {
      if (path.includes('/leases/')) json(response, 200, object);
    });
    const api = client(url);
    const stop = new AbortController();
    // Each call listens once and lets go at its end: a hundred at once are no leak.
    setMaxListeners(0, stop.signal);
    const held = Array.from({ length: 100 }, () => failure(api.get(configMaps, key, { signal: stop.signal })));
    expect(await api.get(leases, key)).toMatchObject(object);
    expect(asked.filter((it) => it.url.includes('/configmaps/')).length).toBeLessThan(held.length);
    stop.abort();
    await Promise.all(held);
  });

  verifies('kube:two-errors', 'asks as the API server documents it', async () => {
    const { url, asked } = await serve((response) => json(response, 200, object));
    const api = client(url);
    await api.get(configMaps, key);
    await api.apply(configMaps, object, { fieldManager: 'm', force: true, subresource: 'status' });
    await api.mergePatch(configMaps, key, { data: {} }, { isDryRun: true });
    await api.replace(configMaps, object);
    await api.create(configMaps, object, { fieldManager: 'm' });
    await api.delete(configMaps, key, { uid: 'u1', resourceVersion: '7' }, { gracePeriodSeconds: 0 });
    const path = '/api/v1/namespaces/one/configmaps';
    expect(asked.map(({ method, url: asks, contentType }) => [method, asks, contentType])).toEqual([
      ['GET', `${path}/a`, undefined],
      ['PATCH', `${path}/a/status?fieldManager=m&force=true`, 'application/apply-patch+yaml'],
      ['PATCH', `${path}/a?dryRun=All`, 'application/merge-patch+json'],
      ['PUT', `${path}/a`, 'application/json'],
      ['POST', `${path}?fieldManager=m`, 'application/json'],
      ['DELETE', `${path}/a`, 'application/json'],
    ]);
    expect(asked[1]?.body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(asked[5]?.body).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1', resourceVersion: '7' },
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    });
  });

  verifies('kube:list-replaces', 'takes one page and says where the next begins', async () => {
    const { url, asked } = await serve((response) =>
      json(response, 200, { metadata: { resourceVersion: '9', continue: 'more' }, items: [object] }),
    );
    const page = await client(url).list(configMaps, {
      namespace: 'one',
      labelSelector: 'a=b',
      limit: 1,
      continue: 'x',
    });
    expect(page).toEqual({
      items: [{ ...object, apiVersion: 'v1', kind: 'ConfigMap' }],
      resourceVersion: '9',
      continue: 'more',
    });
    expect(asked[0]?.url).toBe('/api/v1/namespaces/one/configmaps?labelSelector=a%3Db&limit=1&continue=x');
  });

  verifies('kube:two-errors', 'rejects with what the server said', async () => {
    const status = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'later, please' };
    const { url } = await serve((response) => json(response, 429, status, { 'retry-after': '3' }));
    const error = await failure(client(url).create(configMaps, object));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, reason: 'TooManyRequests', retryAfterMs: 3000 });
    expect(error.message).toBe('failed to POST /api/v1/namespaces/one/configmaps: 429 TooManyRequests: later, please');
  });

  verifies('kube:two-errors', 'rejects with what a proxy said instead', async () => {
    const { url } = await serve((response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<b>bad gateway</b>');
    });
    const error = await failure(client(url).get(configMaps, key));
    expect(error).toMatchObject({ status: 502, reason: '', retryAfterMs: undefined });
  });

  const broken: readonly (readonly [string, Answer])[] = [
    ['a connection that is reset', (response) => response.socket?.resetAndDestroy()],
    [
      'an answer that is cut',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"metadata":');
        setImmediate(() => response.destroy());
      },
    ],
    [
      'an answer that is no JSON',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    ],
  ];
  for (const [name, answer] of broken)
    verifies('kube:two-errors', `rejects with a ConnectionError after ${name}`, async () => {
      const { url } = await serve(answer);
      expect(await failure(client(url).get(configMaps, key))).toBeInstanceOf(ConnectionError);
    });

  verifies('kube:two-errors', 'rejects with a ConnectionError where nobody listens, or nobody lets it in', async () => {
    const { url, server } = await serve(() => undefined);
    await new Promise((resolve) => {
      server.close(resolve);
    });
    expect(await failure(client(url).get(configMaps, key))).toBeInstanceOf(ConnectionError);
    const credentials = async (): Promise<never> => {
      throw new Error('no token');
    };
    const connection = { server: url, namespace: 'default', credentials };
    const api = new HttpsClient({ connection, clock: systemClock, userAgent: 'test/0' });
    expect(await failure(api.get(configMaps, key))).toMatchObject({
      name: 'ConnectionError',
      message: 'failed to GET /api/v1/namespaces/one/configmaps/a: no token',
    });
  });

  const slow: readonly (readonly [string, Answer])[] = [
    ['never answers', () => undefined],
    [
      'stops after the head',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
    ],
    ['stops in the middle', (response) => void response.writeHead(200, { 'content-length': '50' }).write('{"met')],
  ];
  for (const [name, answer] of slow)
    verifies('kube:every-call-ends', `ends at its deadline where the server ${name}`, async () => {
      const clock = manualClock();
      const { url } = await serve(answer);
      const error = failure(client(url, clock).get(configMaps, key));
      await clock.untilSleeping(30_000);
      clock.advance(30_000);
      expect(await error).toMatchObject({ name: 'ConnectionError' });
      expect((await error).message).toContain('nothing came within 30000 ms');
      expect(clock.sleeping()).toEqual([]);
    });

  verifies('kube:every-call-ends', 'ends at once when it is told to', async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort(new Error('enough')));
    const error = await failure(client(url).get(configMaps, key, { signal: stop.signal }));
    expect(error).toMatchObject({ name: 'ConnectionError', cause: { message: 'enough' } });
  });

  verifies('kube:two-errors', 'goes on with other connections after one broke', async () => {
    const { url } = await serve((response, _, index) =>
      index === 1 ? response.socket?.destroy() : json(response, 200, object),
    );
    const api = client(url);
    expect(await api.get(configMaps, key)).toEqual(object);
    expect(await failure(api.get(configMaps, key))).toBeInstanceOf(ConnectionError);
    expect(await api.get(configMaps, key)).toEqual(object);
  });

  verifies('kube:metrics-as-dashboards-expect', 'is counted, with or without an answer', async () => {
    const counted: AnsweredRequest[] = [];
    const { url } = await serve((response, _, index) =>
      index === 0 ? json(response, 404, {}) : response.socket?.destroy(),
    );
    const api = client(url, systemClock, (request) => counted.push(request));
    expect(await api.get(configMaps, key)).toBeUndefined();
    await failure(api.get(configMaps, key));
    const { host } = url;
    expect(counted).toEqual([
      { method: 'GET', host, code: '404' },
      { method: 'GET', host, code: '<error>' },
    ]);
  });

  it('that its caller stopped is no word about the server', async () => {
    const counted: AnsweredRequest[] = [];
    const { url } = await serve(() => undefined);
    const stop = new AbortController();
    const stopped = failure(
      client(url, systemClock, (request) => counted.push(request)).get(configMaps, key, { signal: stop.signal }),
    );
    setImmediate(() => stop.abort());
    await stopped;
    expect(counted).toEqual([]);
  });
});

describe('a delete', () => {
  const refusals: readonly (readonly [string, number, object | undefined, boolean | 'Conflict'])[] = [
    ['is false where the object is gone', 404, undefined, false],
    ['is false where it went meanwhile', 409, undefined, false],
    ['is false where another has its name', 409, { metadata: { ...object.metadata, uid: 'u2' } }, false],
    ['is a conflict where it has changed', 409, { metadata: { ...object.metadata, resourceVersion: '8' } }, 'Conflict'],
  ];
  for (const [name, status, live, outcome] of refusals)
    verifies('kube:delete-names-what-was-judged', name, async () => {
      const { url } = await serve((response, { method }) => {
        if (method === 'DELETE') json(response, status, { reason: status === 404 ? 'NotFound' : 'Conflict' });
        else json(response, live === undefined ? 404 : 200, live ?? {});
      });
      const result = await client(url)
        .delete(configMaps, key, { uid: 'u1', resourceVersion: '7' })
        .catch((error: ApiError) => error.reason);
      expect(result).toBe(outcome);
    });
});

describe('a watch', () => {
  verifies(
    'kube:watch-resumes',
    'tells events and bookmarks in their order, however they are cut into packets',
    async () => {
      const text = line('ADDED', object) + line('MODIFIED', object) + line('DELETED', object);
      const bookmark = line('BOOKMARK', { metadata: { resourceVersion: '99' } });
      const bytes = Buffer.from(text + bookmark.replace('{}', '{"é":"日本"}'));
      const { events, error } = await watched((response) => {
        void (async () => {
          for (let at = 0; at < bytes.length; at += 7) {
            response.write(bytes.subarray(at, at + 7));
            await new Promise(setImmediate);
          }
          response.end();
        })();
      });
      expect(error).toBeUndefined();
      expect(events).toEqual([
        { type: 'Added', object },
        { type: 'Modified', object },
        { type: 'Deleted', object },
        { type: 'Bookmark', resourceVersion: '99' },
      ]);
    },
  );

  verifies('kube:watch-resumes', 'asks for bookmarks and an end', async () => {
    const { url, asked } = await serve((response) => response.writeHead(200).end());
    let opened = 0;
    const onOpen = (): void => {
      opened += 1;
    };
    await client(url).watch(configMaps, { ...watchOptions, onOpen }, () => undefined);
    expect(opened).toBe(1);
    expect(asked[0]?.url).toBe(
      '/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300',
    );
  });

  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  verifies('kube:watch-gone', 'is 410 in the status', async () => {
    const { url } = await serve((response) => json(response, 410, gone));
    const error = await failure(client(url).watch(configMaps, watchOptions, () => undefined));
    expect(error).toMatchObject({ name: 'ApiError', status: 410, reason: 'Expired' });
  });

  verifies('kube:watch-gone', 'is 410 inside the stream, after what came before it', async () => {
    const { events, error } = await watched((response) => response.write(line('ADDED', object) + line('ERROR', gone)));
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ name: 'ApiError', status: 410 });
  });

  const garbage: readonly (readonly [string, string])[] = [
    ['half a line at the end', '{"type":"MODI'],
    ['a line that is no JSON', '{"type":"MODI\n'],
    ['a line of another shape', '[1]\n'],
    ['an unknown type', line('RENAMED', object)],
    ['a type that every object has', line('constructor', object)],
    ['an object without a version', line('ADDED', { metadata: { name: 'a' } })],
    ['an object without a name', line('ADDED', { metadata: { resourceVersion: '1' } })],
    ['a line without an end', 'x'.repeat(9 * 1024 * 1024)],
  ];
  for (const [name, text] of garbage)
    verifies('kube:watch-garbage', `ends with ${name}`, async () => {
      const { events, error } = await watched((response) => {
        response.write(line('ADDED', object));
        response.end(text.endsWith('\n') ? text + line('ADDED', object) : text);
      });
      expect(events.map(({ type }) => type)).toEqual(['Added', 'Garbage']);
      expect(error).toBeUndefined();
    });

  verifies('kube:watch-garbage', 'that breaks inside a line is a broken connection', async () => {
    const { events, error } = await watched((response) => {
      response.write(line('ADDED', object));
      response.write('{"type":');
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
    expect(events.map(({ type }) => type)).toEqual(['Added']);
    expect(error).toBeInstanceOf(ConnectionError);
  });

  verifies('kube:silence-ends', 'is given up after silence, counted from the last line', async () => {
    const clock = manualClock();
    const { url } = await serve((response) => {
      response.writeHead(200);
      response.write(line('ADDED', object));
    });
    let tell: () => void = () => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const error = failure(client(url, clock).watch(configMaps, watchOptions, () => tell()));
    await clock.untilSleeping(75_000);
    clock.advance(40_000);
    await told;
    clock.advance(35_000);
    await clock.untilSleeping(40_000);
    clock.advance(40_000);
    expect(await error).toMatchObject({ name: 'ConnectionError' });
  });
});
