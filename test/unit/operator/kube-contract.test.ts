/** The contract suite on the API server of the tests. */
import { describe } from 'vitest';
import { kubeContract } from '../../api-server/kube-contract.ts';
import type { ContractTarget } from '../../api-server/contract-case.ts';
import { startFakeApiServer } from '../../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../support/fake-api-server/fake-kube-client.ts';

async function startFake(): Promise<ContractTarget> {
  const server = await startFakeApiServer({ bookmarkPeriodMs: 500 });
  const client = fakeKubeClient(server);
  return {
    client,
    namespace: 'contract',
    bookmarkSeconds: 5,
    expiredRevision: () => {
      server.compact();
      return '1';
    },
    stop: async () => {
      client.close();
      await server.stop();
    },
  };
}

describe('the API server of the tests', () => kubeContract(startFake));
