/** The list of the parts that touch the world, in the order in which a model sees their tools. */
import { approvalsPod } from './approvals/part.ts';
import { asidePod } from './aside/part.ts';
import { codePod } from './code/part.ts';
import { factsPod } from './facts/part.ts';
import { filesPod } from './files/part.ts';
import { jobsPod } from './jobs/part.ts';
import { mailPod } from './mail/part.ts';
import type { PodPart } from './pod-part.ts';
import { questionsPod } from './questions/part.ts';
import { recallPod } from './recall/part.ts';
import { selfPod } from './self/part.ts';
import { webPod } from './web/part.ts';
import { workPod } from './work/part.ts';

export const podParts: readonly PodPart[] = [
  filesPod,
  codePod,
  factsPod,
  recallPod,
  selfPod,
  webPod,
  approvalsPod,
  questionsPod,
  jobsPod,
  asidePod,
  workPod,
  mailPod,
];
