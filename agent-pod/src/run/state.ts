/** Where a run stands. A projection of its events; never stored. */
import type { Usage } from '../assemble/model-request.ts';
import type { CycleSpec } from '../cycle/event.ts';
import type { CriterionVerdict, RunEventOf, RunSpec } from './event.ts';

type Concluded = RunEventOf<'CycleConcluded'>;

export interface RunState {
  readonly spec: RunSpec;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly pendingCycle: CycleSpec | undefined;
  readonly execution: Concluded | undefined;
  readonly validation: Concluded | undefined;
  readonly criteria: readonly CriterionVerdict[];
  readonly usage: Usage;
  readonly costUsd: number;
  readonly isCostComplete: boolean;
  readonly concluded: RunEventOf<'RunConcluded'> | undefined;
  readonly pendingDelivery: RunEventOf<'DeliveryRequested'> | undefined;
  readonly pendingArchive: boolean;
  readonly closed: boolean;
}
