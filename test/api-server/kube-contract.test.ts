/** The contract suite on a real API server: the one that KUBECONFIG names, or our own. */
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { GROUP, KINDS } from '@retainer/contract/api/names';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { connectKubeconfig } from '@retainer/kube/connect-kubeconfig';
import { HttpsClient } from '@retainer/kube/https-client';
import { systemClock } from '@retainer/contract/std/system-clock';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startApiServer } from './api-server.ts';
import { kubeContract } from './kube-contract.ts';
import type { ContractTarget } from './contract-case.ts';

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url));
const NAMESPACE = 'retainer-contract-test';
/** An API server has its store forget old revisions every five minutes, from the second time on. */
const COMPACTED_AFTER_MS = 900_000;
const crdNames = KINDS.map((kind) => `${KIND_DEFINITIONS[kind].plural}.${GROUP}`);

async function startRealServer(): Promise<ContractTarget> {
  const { KUBECONFIG } = process.env;
  const api = await startApiServer(KUBECONFIG);
  const before = new Set((await api.kubectl('get', 'crd', '-o', 'name')).split('\n'));
  await api.kubectl('apply', '--server-side', '-f', CRDS);
  await api.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', ...crdNames);
  await api.kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=60s');
  await api.kubectl('create', 'namespace', NAMESPACE);
  const born = await api.kubectl('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.creationTimestamp}');
  const ageMs = Date.now() - Date.parse(born);
  const directory = temporaryDirectory();
  const file = path.join(directory.path, 'kubeconfig');
  await writeFile(file, await api.kubectl('config', 'view', '--raw', '--minify', '-o', 'json'), { mode: 0o600 });
  const connection = await connectKubeconfig({ paths: [file] });
  const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'retainer-contract-test' });
  return {
    client,
    namespace: NAMESPACE,
    bookmarkSeconds: 90,
    expiredRevision: () => (ageMs > COMPACTED_AFTER_MS ? '1' : undefined),
    stop: async () => {
      client.close();
      await api.kubectl('delete', 'namespace', NAMESPACE, '--wait=false');
      const ours = crdNames.filter((name) => !before.has(`customresourcedefinition.apiextensions.k8s.io/${name}`));
      if (ours.length > 0) await api.kubectl('delete', 'crd', ...ours, '--wait=false');
      await api.stop();
      await directory.remove();
    },
  };
}

describe('the real API server', () => kubeContract(startRealServer));
