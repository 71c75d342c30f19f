// Violates no-restricted-imports: the command line uses agent-pod's published modules only.
import { decide } from '@retainer/agent-pod/cycle/decide';

export const next = (): unknown => decide;
