// Violates no-restricted-imports: the gate knows no port.
import type { ModelPort } from '../loop/ports.ts';

export const ask = (model: ModelPort): string => model.name;
