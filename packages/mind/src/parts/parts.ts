/** The list of parts: what the agent has of features. Each is a folder here and, where it touches the world, one of the agent pod. */
import { affectPart } from './affect/part.ts';
import { approvalsPart } from './approvals/part.ts';
import { artifactsPart } from './artifacts/part.ts';
import { asidePart } from './aside/part.ts';
import { backupPart } from './backup/part.ts';
import { casesPart } from './cases/part.ts';
import { choicesPart } from './choices/part.ts';
import { factsPart } from './facts/part.ts';
import { falsePositivesPart } from './false-positives/part.ts';
import { filesPart } from './files/part.ts';
import { interventionsPart } from './interventions/part.ts';
import { jobsPart } from './jobs/part.ts';
import { mailPart } from './mail/part.ts';
import { megramsPart } from './megrams/part.ts';
import { narrativePart } from './narrative/part.ts';
import { questionsPart } from './questions/part.ts';
import { threadsPart } from './threads/part.ts';
import { workPart } from './work/part.ts';

export const parts = [
  factsPart,
  filesPart,
  artifactsPart,
  megramsPart,
  narrativePart,
  affectPart,
  threadsPart,
  casesPart,
  asidePart,
  choicesPart,
  falsePositivesPart,
  interventionsPart,
  approvalsPart,
  questionsPart,
  backupPart,
  jobsPart,
  workPart,
  mailPart,
] as const;
