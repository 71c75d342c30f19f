// Violates no-restricted-imports: the loop knows ports, not adapters.
import { anthropicModel } from '../infer/anthropic-model.ts';

export const model = (): unknown => anthropicModel;
