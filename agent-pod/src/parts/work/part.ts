/** Tools by which the agent plans its own work, in the order of the table of roles. */
import { WORK_TOOLS } from '@retainer/contract/api/roles';
import { invariant } from '@retainer/contract/std/invariant';
import type { ToolDescriptor } from '../../tools/tool.ts';
import type { PodPart } from '../pod-part.ts';
import { appraiser } from './appraiser.ts';
import { detailTools } from './detail-tools.ts';
import { endeavourTools } from './endeavour-tools.ts';
import { forecaster } from './forecaster.ts';
import { itemTools } from './item-tools.ts';
import { sessionTools } from './session-tools.ts';

const made = [...endeavourTools, ...itemTools, ...sessionTools, ...detailTools];

function named(name: string): ToolDescriptor {
  const tool = made.find(({ facts }) => facts.name === name);
  invariant(tool !== undefined, `the tool ${name} of the table of roles has a descriptor`);
  return tool;
}

export const workPod: PodPart = {
  name: 'work',
  tools: WORK_TOOLS.map(named),
  components: (tended) => [...forecaster(tended), appraiser(tended)],
};
