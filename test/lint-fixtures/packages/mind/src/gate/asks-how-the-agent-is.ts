// Violates no-restricted-imports: no verdict depends on affect.
import type { Affect } from '../parts/affect/measure.ts';

export const isStrict = (affect: Affect): boolean => affect.calm < 1;
