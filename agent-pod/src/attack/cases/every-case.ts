/** All attacks that need a world of their own. */
import type { Pair } from '../pairs.ts';
import { approvalCases } from './approval-cases.ts';
import { choiceCases } from './choice-cases.ts';
import { laterCases } from './later-cases.ts';
import { linkCases } from './link-cases.ts';
import { mailCases } from './mail-cases.ts';
import { outwardCases } from './outward-cases.ts';
import { plantedCode } from './planted-code.ts';
import { refusedCases } from './refused-cases.ts';
import { spellingCases } from './spelling-cases.ts';

export const everyCase: readonly Pair[] = [
  ...plantedCode,
  ...linkCases,
  ...choiceCases,
  ...spellingCases,
  ...approvalCases,
  ...laterCases,
  ...outwardCases,
  ...mailCases,
  ...refusedCases,
];
