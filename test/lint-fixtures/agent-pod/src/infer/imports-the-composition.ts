// Violates no-restricted-imports: modules directly below src put the parts together; no part imports them.
import { openAgent } from '../open-agent.ts';

export const agent = (): unknown => openAgent;
