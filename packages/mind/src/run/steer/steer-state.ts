/** The steerer's state between rounds, and its inputs. Source: artoo A.9. */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import { DIRECTIVES } from '@retainer/contract/api/task-status';
import { Salvage } from '@retainer/contract/wire/bus/payloads';
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import type { MegramPair } from '../../parts/megrams/megram-space.ts';
import type { Trend } from './decision-table.ts';
import type { RunSoFar } from './last-words.ts';
import type { RunHistory } from './parts.ts';

/** Of one run. Part of the record: read back as it was written. */
export const SteerState = z.object({
  /** Last directive; `Init` before the first. Source: artoo A.17. */
  previous: z.enum([...DIRECTIVES, 'Init']),
  /** Failed rounds so far: the number of new plans, as long as the run continues. */
  rounds: z.number(),
  /** Of the previous round; absent in the first. */
  lPrevious: z.number().exactOptional(),
  qPrevious: z.number().exactOptional(),
  /** Consecutive worsening rounds, including the last one. */
  worsening: z.number(),
  /** In the order of their failures, each once. Source: artoo A.17. */
  blockedTargets: z.array(z.string()),
  /** Filled only when tools stay blocked for the whole run. */
  blockedTools: z.array(z.string()),
  /** The tool that was spared because it was the last one. Source: artoo A.9. */
  sparedTool: z.string().exactOptional(),
  /** Tools of all failed rounds. Source: artoo A.10. */
  triedTools: z.array(z.string()),
  /** Matched subtasks of failed rounds. Source: artoo A.4. */
  salvage: z.array(Salvage),
  /** The newest plan received the salvage, so the salvage is part of the result. */
  isSalvageHanded: z.boolean().exactOptional(),
});
export type SteerState = Readonly<z.infer<typeof SteerState>>;

export const initialSteerState: SteerState = {
  previous: 'Init',
  rounds: 0,
  worsening: 0,
  blockedTargets: [],
  blockedTools: [],
  triedTools: [],
  salvage: [],
};

/** The facts for the handling of one message. */
export interface SteerContext {
  readonly control: AgentControl;
  readonly nowMs: number;
  readonly deadlineMs?: number;
  /** Of the run so far; absent when the Task has no token budget. */
  readonly tokens?: { readonly used: number; readonly budget: number };
  readonly intent: string;
  /** The whole task in the people's words. */
  readonly given: string;
  /** Of the whole task, in the order of its verdicts. Empty before the first plan. */
  readonly criteria: readonly BusCriterion[];
  /** Absent before the first plan. */
  readonly history?: RunHistory;
  /** Tools that can serve the task; empty when unknown. */
  readonly candidateTools: readonly string[];
  /** The pair under which memory keeps the run's end. Source: artoo A.10. */
  readonly taskPair: MegramPair;
  /** For the last words. */
  readonly soFar: RunSoFar;
}

/** Consecutive worsening rounds, including the one of this trend. */
export function worseningRounds({ worsening }: Pick<SteerState, 'worsening'>, trend: Trend): number {
  return trend === 'Worsening' ? worsening + 1 : 0;
}
