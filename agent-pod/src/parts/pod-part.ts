/**
 * The half of a part that touches the world: its tools, the commands that address a machine, supervised work, metrics with a memory.
 * The pure half, of the same name, is in the package `mind`.
 */
import type { Agent } from '@retainer/contract/api/agent';
import type { Clock } from '@retainer/contract/std/clock';
import type { Registry } from 'prom-client';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { Recorded } from '@retainer/mind/part/projection';
import type { PartCommand } from '@retainer/mind/parts/derived';
import type { AppraisingPort } from '../ports/appraising.ts';
import type { Component } from '../ports/component.ts';
import type { JobRunsPort } from '../ports/job-runs.ts';
import type { TendedMail } from '../ports/mail.ts';
import type { PartsPort } from '../ports/tool.ts';
import type { ToolDescriptor } from '../tools/tool.ts';

type CommandOf<Type extends PartCommand['type']> = Extract<PartCommand, { readonly type: Type }>;

/** The machines that a command may address. Each resolves when the command is in the record. */
export interface Machines {
  /** Open cycles. */
  cycles(): readonly CycleState[];
  /** The run of the cycle that asked for an approval. */
  runOf(requestId: string): string | undefined;
  /** `Answer`: to a question that the cycle asks. */
  decideApproval(
    decision: Omit<Extract<CycleEvent, { readonly kind: 'ApprovalDecided' }>, 'kind' | 'atMs'>,
  ): Promise<unknown>;
  /** A question of the run itself. */
  answer(command: CommandOf<'AnswerQuestion'>): Promise<unknown>;
  /** Tries a run again that is set aside. */
  tryAgain(runId: string, by: string): Promise<void>;
  /** Sets the run aside if the work fails. */
  guarded(runId: string, work: () => Promise<unknown>): Promise<void>;
}

type Carries = {
  readonly [Type in PartCommand['type']]?: (machines: Machines, command: CommandOf<Type>) => Promise<void>;
};

/** What supervised work of a part may use. */
export interface Tended {
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** The Agent's manifest. */
  readonly agent: Agent['spec'];
  readonly parts: PartsPort;
  readonly jobs: JobRunsPort;
  readonly appraising: AppraisingPort;
  /** Absent: the agent has no mail. */
  readonly mail?: TendedMail;
  readonly onNotice?: (notice: string) => void;
}

export interface PodPart {
  readonly name: string;
  /** In the order that a model sees. */
  readonly tools?: readonly ToolDescriptor[];
  /** Commands of the pure half without `decide`. */
  readonly carries?: Carries;
  readonly components?: (tended: Tended) => readonly Component[];
  /** Metrics that remember something between records. The pure half declares the others. @returns what counts each durable record */
  readonly metrics?: (registry: Registry) => (record: Recorded) => void;
}
