import type { Clock } from '@retainer/contract/std/clock';
import { HttpsClient } from '@retainer/kube/https-client';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { FakeApiServer } from './fake-api-server.ts';

export interface FakeKubeClientOptions {
  /** Bearer token, which is the user's name unless the server was told otherwise. */
  readonly user?: string;
  /** Of deadlines. */
  readonly clock?: Clock;
}

/** The real client, connected to a server of this process. Close it before the server is stopped. */
export function fakeKubeClient(server: FakeApiServer, options: FakeKubeClientOptions = {}): HttpsClient {
  const { user = 'tester', clock = systemClock } = options;
  return new HttpsClient({
    connection: {
      server: new URL(server.url),
      namespace: 'default',
      credentials: async () => ({ headers: { authorization: `Bearer ${user}` }, tls: {} }),
    },
    clock,
    userAgent: `${user}/test`,
  });
}
