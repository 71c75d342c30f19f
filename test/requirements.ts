/** Every rule of the sources that the code implements, as data. Tests cite the ids; `requirements.test.ts` fails on an uncited one. */
import { apiRequirements } from './requirements/api.ts';
import { auditRequirements } from './requirements/audit.ts';
import { cliRequirements } from './requirements/cli.ts';
import { cycleRequirements } from './requirements/cycle.ts';
import { inferRequirements } from './requirements/infer.ts';
import { gateRequirements } from './requirements/gate.ts';
import { journalRequirements } from './requirements/journal.ts';
import type { Requirements } from './requirements/requirement.ts';
import { loopRequirements } from './requirements/loop.ts';
import { runRequirements } from './requirements/run.ts';
import { sandboxRequirements } from './requirements/sandbox.ts';
import { upkeepRequirements } from './requirements/upkeep.ts';
import { toolsRequirements } from './requirements/tools.ts';

export const areas: readonly Requirements[] = [
  apiRequirements,
  auditRequirements,
  cliRequirements,
  cycleRequirements,
  inferRequirements,
  journalRequirements,
  loopRequirements,
  runRequirements,
  sandboxRequirements,
  upkeepRequirements,
  gateRequirements,
  toolsRequirements,
];

export const requirements: Requirements = Object.assign({}, ...areas);
