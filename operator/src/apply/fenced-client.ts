/**
 * A client that always reads, and writes only while its Lease holds.
 *
 * I1  Every write checks the Lease by this process's own clock in the turn of the event loop in which its bytes leave. A leader
 *     that was held still and goes on after another has taken over sends nothing more, wherever it stood.
 *
 * What is left is the moment between that check and the kernel: decision 0015.
 */
import { ConnectionError } from '@retainer/kube/api-error';
import type { ChangeOptions, KubeClient } from '@retainer/kube/kube-client';

/** @param isHeld  whether this process may write now */
export function fencedClient(client: KubeClient, isHeld: () => boolean): KubeClient {
  const beforeSending = (): void => {
    if (!isHeld()) throw new ConnectionError('this process does not hold the Lease, so it writes nothing');
  };
  const fenced = <Options extends ChangeOptions>(options: Options): Options => {
    // Opens no connection in vain.
    beforeSending();
    return { ...options, beforeSending };
  };
  return {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    raw: async (method, path, body, options = {}) =>
      client.raw(method, path, body, method === 'GET' ? options : fenced(options)),
    create: async (resource, object, options = {}) => client.create(resource, object, fenced(options)),
    apply: async (resource, object, options) => client.apply(resource, object, fenced(options)),
    mergePatch: async (resource, key, patch, options = {}) => client.mergePatch(resource, key, patch, fenced(options)),
    replace: async (resource, object, options = {}) => client.replace(resource, object, fenced(options)),
    delete: async (resource, key, precondition, options = {}) =>
      client.delete(resource, key, precondition, fenced(options)),
  };
}
