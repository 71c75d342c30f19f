// Violates no-restricted-imports: of the operator, an agent knows kube and resources.
import { desiredAgent } from '@retainer/operator/desired/agent';

export const desired: unknown = desiredAgent;
