/**
 * A work item: a piece of work with steps, which the agent plans for itself. (A *Task* is what people give it.)
 *
 * I1  An item has a step. What has none is no plan.
 * I2  An ended item does not change any more, except for what is thought of it.
 *
 * Source: springdrift 8 (planner task), 15 (7: tasks without steps).
 */
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { PostMortem, PreMortem } from './appraisal.ts';
import { Forecast } from './forecast.ts';
import { CYCLE_IDS_KEPT, DEPENDENCIES_MAX, RISKS_MAX } from './limits.ts';
import { LongText, Moment, Sentence, Title } from './texts.ts';

export const ITEM_STATUSES = ['Pending', 'Active', 'Complete', 'Failed', 'Abandoned'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const COMPLEXITIES = ['Simple', 'Medium', 'Complex'] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

export const NewStep = z.strictObject({
  description: Sentence,
  /** How one sees that it is done. */
  verification: Sentence.exactOptional(),
});
export type NewStep = Readonly<z.infer<typeof NewStep>>;

export const Step = NewStep.extend({
  /** From 1, for the life of the item: a removed step takes its number with it. */
  number: z.int().min(1),
  completedAtMs: Moment.exactOptional(),
});
export type Step = Readonly<z.infer<typeof Step>>;

export const Risk = z.strictObject({ risk: Sentence, hasMaterialised: z.boolean() });

export const WorkItem = z.strictObject({
  itemId: z.string(),
  endeavourId: z.string().exactOptional(),
  phaseId: z.string().exactOptional(),
  origin: z.enum(['Agent', 'Person']),
  title: Title,
  description: LongText,
  status: z.enum(ITEM_STATUSES),
  steps: z.array(Step),
  /** Steps that it ever had. */
  stepsMade: z.int(),
  /** Items that must be complete first. */
  dependsOn: z.array(z.string()).max(DEPENDENCIES_MAX),
  /** Absent: unknown, which counts as `Medium`. */
  complexity: z.enum(COMPLEXITIES).exactOptional(),
  deadlineMs: Moment.exactOptional(),
  risks: z.array(Risk).max(RISKS_MAX),
  createdAtMs: Moment,
  updatedAtMs: Moment,
  endedAtMs: Moment.exactOptional(),
  /** Why it failed or was abandoned. */
  reason: Sentence.exactOptional(),
  /** The run that activated it last: its cycles count as work on it. */
  runId: z.string().exactOptional(),
  cycles: z.int(),
  tokens: z.int(),
  cycleIds: z.array(z.string()).max(CYCLE_IDS_KEPT),
  forecast: Forecast.exactOptional(),
  preMortem: PreMortem.exactOptional(),
  postMortem: PostMortem.exactOptional(),
  /** Of everything that its writers had read. */
  label: Label,
});
export type WorkItem = Readonly<z.infer<typeof WorkItem>>;

export const isEnded = ({ status }: Pick<WorkItem, 'status'>): boolean => status !== 'Pending' && status !== 'Active';

export const complexityOf = ({ complexity }: Pick<WorkItem, 'complexity'>): Complexity => complexity ?? 'Medium';

export const stepsDone = ({ steps }: Pick<WorkItem, 'steps'>): number =>
  steps.filter(({ completedAtMs }) => completedAtMs !== undefined).length;
