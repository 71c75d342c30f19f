// Violates import(no-cycle): what needs each other is one module.
import { back } from './circle-back.ts';

export const there = (): number => back() + 1;
