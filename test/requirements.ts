/** Every rule of the sources that the code implements, as data. Tests cite the ids; `requirements.test.ts` fails on an uncited one. */
import { inferRequirements } from './requirements/infer.ts';
import type { Requirements } from './requirements/requirement.ts';

export const areas: readonly Requirements[] = [inferRequirements];

export const requirements: Requirements = Object.assign({}, ...areas);
