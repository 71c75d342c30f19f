// Violates no-restricted-imports: an agent knows nothing of the operator.
import { desiredAgent } from '@retainer/operator/desired/agent';

export const desired: unknown = desiredAgent;
