// Violates no-restricted-imports: an adapter may use the words of the core, not its judgement.
import { decide } from '@retainer/mind/cycle/decide';

export const judge = (): unknown => decide;
