// Violates no-restricted-imports: the client library is behind packages/kube.
import { KubeConfig } from '@kubernetes/client-node';

export const config = (): KubeConfig => new KubeConfig();
