// Violates no-restricted-imports: the gate knows no port.
import type { ModelPort } from '@retainer/agent-pod/ports/ports';

export const ask = (model: ModelPort): string => model.name;
