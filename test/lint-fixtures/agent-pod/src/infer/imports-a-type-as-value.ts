// Violates typescript(consistent-type-imports): what vanishes at run time says so.
import { Stats } from 'node:fs';

export const name = (stats: Stats): number => stats.size;
