// Violates no-restricted-imports: no budget depends on affect, though the room of the loop may know it.
import { AFFECT_BASELINE } from '@retainer/mind/parts/affect/measure';

export const budget = AFFECT_BASELINE.calm;
