/** What the steering keeps between rounds, and what it is told. Source: artoo A.9. */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import { DIRECTIVES } from '@retainer/contract/api/task-status';
import { Salvage } from '@retainer/contract/wire/bus/payloads';
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import type { MegramPair } from '../../memory/megram-space.ts';

/** Of one run. Part of the record: read back as it was written. */
export const SteerState = z.object({
  /** Last directive; `Init` before the first. Source: artoo A.17. */
  previous: z.enum([...DIRECTIVES, 'Init']),
  /** Failing rounds so far: plans made anew, as long as the run goes on. */
  rounds: z.number(),
  /** Of the round before; absent in the first. */
  lPrevious: z.number().exactOptional(),
  qPrevious: z.number().exactOptional(),
  /** Rounds in a row that got worse, the last one included. */
  worsening: z.number(),
  /** In the order in which they failed, each once. Source: artoo A.17. */
  blockedTargets: z.array(z.string()),
  /** Filled only where tools stay blocked for the whole run. */
  blockedTools: z.array(z.string()),
  /** The tool that stayed open because it was the last one. Source: artoo A.9. */
  sparedTool: z.string().exactOptional(),
  /** Tools of all failing rounds. Source: artoo A.10. */
  triedTools: z.array(z.string()),
  /** Matched subtasks of failing rounds. Source: artoo A.4. */
  salvage: z.array(Salvage),
  /** The newest plan was given what was kept, so that it is part of the result. */
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

/** What holds while one message is handled. */
export interface SteerContext {
  readonly control: AgentControl;
  readonly nowMs: number;
  readonly deadlineMs?: number;
  /** Of the run so far; absent where the Task has no budget of tokens. */
  readonly tokens?: { readonly used: number; readonly budget: number };
  readonly intent: string;
  /** The whole task in people's words. */
  readonly given: string;
  /** Of the whole task, in the order of its verdicts. Empty before the first plan. */
  readonly criteria: readonly BusCriterion[];
  /** Tools that are able to serve the task; empty where nobody knows. */
  readonly candidateTools: readonly string[];
  /** Where it is remembered how the run ended. Source: artoo A.10. */
  readonly taskPair: MegramPair;
}
