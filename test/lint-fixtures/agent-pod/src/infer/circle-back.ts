// Violates import(no-cycle): the other half of circle-there.ts.
import { there } from './circle-there.ts';

export const back = (): number => there() - 1;
