/**
 * A client that always reads, and writes only while its Lease holds.
 *
 * I1  Every write checks the Lease by this process's own clock right before it is sent. A leader that was stopped and resumes
 *     after another has taken over writes nothing.
 */
import { ConnectionError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';

/** @param isHeld  whether this process may write now */
export function fencedClient(client: KubeClient, isHeld: () => boolean): KubeClient {
  const fence = <Arguments extends readonly unknown[], Answer>(
    write: (...args: Arguments) => Promise<Answer>,
  ): ((...args: Arguments) => Promise<Answer>) => {
    return async (...args) => {
      if (!isHeld()) throw new ConnectionError('this process does not hold the Lease, so it writes nothing');
      return write(...args);
    };
  };
  const post = fence((...args: Parameters<KubeClient['raw']>) => client.raw(...args));
  return {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    raw: (method, ...rest) => (method === 'GET' ? client.raw(method, ...rest) : post(method, ...rest)),
    create: fence((...args: Parameters<KubeClient['create']>) => client.create(...args)),
    apply: fence((...args: Parameters<KubeClient['apply']>) => client.apply(...args)),
    mergePatch: fence((...args: Parameters<KubeClient['mergePatch']>) => client.mergePatch(...args)),
    replace: fence((...args: Parameters<KubeClient['replace']>) => client.replace(...args)),
    delete: fence((...args: Parameters<KubeClient['delete']>) => client.delete(...args)),
  };
}
