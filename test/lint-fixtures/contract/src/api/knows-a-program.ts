// Violates no-restricted-imports: contract/ imports none of the programs that share it.
import { openAgent } from '@retainer/agent-pod/open-agent';

export const program = (): unknown => openAgent;
