/**
 * The door of the record: what turns payloads of older versions into today's, before anybody reads them. So no decider, fold or
 * teller knows an older form.
 *
 * I1  A payload that has a field keeps it: programs of one day wrote records of one version with and without it.
 * I2  What is filled in says what its absence said.
 */
import { artifactKeptFrom1 } from './artifact-kept.ts';
import { commandAcceptedFrom1, commandAcceptedFrom3 } from './command-accepted.ts';
import { configuredFrom1 } from './configured.ts';
import { cycleConcludedFrom1 } from './cycle-concluded.ts';
import { cycleRequestedFrom2 } from './cycle-requested.ts';
import { cycleStartedFrom1 } from './cycle-started.ts';
import { factWrittenFrom1, factWrittenFrom2 } from './fact-written.ts';
import { placesFrom, type Upcast } from './fields.ts';
import { megramWrittenFrom1 } from './megram-written.ts';
import { messageSentFrom1 } from './message-sent.ts';
import { withPurpose } from './purpose.ts';
import { runAdmittedFrom1, runAdmittedFrom3 } from './run-admitted.ts';
import { runRememberedFrom1, runRememberedFrom2, runRememberedFrom3 } from './run-remembered.ts';
import { threadJoinedFrom1 } from './thread-joined.ts';

/** By kind: from version 1 to 2, from 2 to 3, and so on. A kind that is not here has one version. */
export const olderForms: Readonly<Record<string, readonly Upcast[]>> = {
  ArtifactKept: [artifactKeptFrom1],
  CommandAccepted: [commandAcceptedFrom1, placesFrom, commandAcceptedFrom3],
  Configured: [configuredFrom1],
  CycleConcluded: [cycleConcludedFrom1],
  CycleRequested: [withPurpose, cycleRequestedFrom2],
  CycleStarted: [cycleStartedFrom1],
  FactWritten: [factWrittenFrom1, factWrittenFrom2],
  MegramWritten: [megramWrittenFrom1],
  MessageSent: [messageSentFrom1],
  RetryScheduled: [withPurpose],
  RunAdmitted: [runAdmittedFrom1, placesFrom, runAdmittedFrom3],
  RunRemembered: [runRememberedFrom1, runRememberedFrom2, runRememberedFrom3],
  ThreadJoined: [threadJoinedFrom1],
};
