// Violates no-restricted-imports: the same holds for a folder inside a layer.
import { openAgent } from '../../open-agent.ts';

export const agent = (): unknown => openAgent;
