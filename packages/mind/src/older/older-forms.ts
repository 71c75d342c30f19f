/**
 * The door of the record: what turns payloads of older versions into today's, before anybody reads them. So no decider, fold or
 * teller knows an older form.
 *
 * I1  A payload that has a field keeps it: programs of one day wrote records of one version with and without it.
 * I2  What is filled in says what its absence said.
 */
import { artifactKeptFrom1 } from './artifact-kept.ts';
import { commandAcceptedFrom1, commandAcceptedFrom3, commandAcceptedFrom4 } from './command-accepted.ts';
import { configuredFrom1 } from './configured.ts';
import { cycleConcludedFrom1 } from './cycle-concluded.ts';
import { cycleRequestedFrom2 } from './cycle-requested.ts';
import { cycleStartedFrom1 } from './cycle-started.ts';
import { factWrittenFrom1, factWrittenFrom2 } from './fact-written.ts';
import { placesFrom, type Upcast } from './fields.ts';
import { megramWrittenFrom1 } from './megram-written.ts';
import { messageSentFrom1 } from './message-sent.ts';
import { withPurpose } from './purpose.ts';
import { labelsAt, ownReaders } from './readers.ts';
import { runAdmittedFrom1, runAdmittedFrom3 } from './run-admitted.ts';
import { runRememberedFrom1, runRememberedFrom2, runRememberedFrom3 } from './run-remembered.ts';
import { threadJoinedFrom1 } from './thread-joined.ts';

const ofCycle = labelsAt(['spec', 'handedOn', '*', 'label']);
const ofLabel = labelsAt(['label']);

/** Of an account, and of what code says of a run. */
const ofArchive = labelsAt(['account', 'label'], ['fallback', 'reflected', 'label'], ['fallback', 'case', 'label']);

/** Words of work, each with the label of whoever wrote them. */
const workKinds = [
  ...['ItemCreated', 'StepCompleted', 'ItemEnded', 'ItemEdited', 'StepAdded', 'RiskFlagged', 'PreMortemAdded'],
  ...['EndeavourCreated', 'EndeavourEdited', 'PhaseAdded', 'PhaseAdvanced', 'SessionScheduled', 'SessionEnded'],
  ...['BlockerReported', 'BlockerResolved', 'PostMortemAdded'],
];

/** By kind: from version 1 to 2, from 2 to 3, and so on. A kind that is not here has one version. */
export const olderForms: Readonly<Record<string, readonly Upcast[]>> = {
  ArchiveConcluded: [labelsAt(['reflected', 'label'], ['case', 'label'])],
  ArchiveOpened: [ofArchive],
  ArtifactKept: [artifactKeptFrom1, ofLabel],
  CaseWritten: [ofLabel],
  CommandAccepted: [commandAcceptedFrom1, placesFrom, commandAcceptedFrom3, commandAcceptedFrom4],
  Configured: [configuredFrom1],
  CycleConcluded: [cycleConcludedFrom1, ofLabel],
  CycleRequested: [withPurpose, cycleRequestedFrom2, placesFrom, ofCycle],
  CycleStarted: [cycleStartedFrom1, placesFrom, ofCycle],
  FactWritten: [factWrittenFrom1, factWrittenFrom2, ofLabel],
  FileRecorded: [ownReaders],
  JobChanged: [ofLabel],
  JobCreated: [ofLabel],
  MegramWritten: [megramWrittenFrom1, ofLabel],
  MessageSent: [messageSentFrom1],
  RetryScheduled: [withPurpose],
  RunAdmitted: [runAdmittedFrom1, placesFrom, runAdmittedFrom3, labelsAt(['spec', 'label'])],
  RunImported: [ofLabel],
  RunReflected: [ofLabel],
  RunRemembered: [runRememberedFrom1, runRememberedFrom2, runRememberedFrom3, ofLabel],
  ThreadJoined: [threadJoinedFrom1, ofLabel],
  ThreadNamed: [ofLabel],
  ToolFinished: [placesFrom, labelsAt(['outcome', 'label'])],
  ...Object.fromEntries(workKinds.map((kind) => [kind, [ofLabel]])),
};
