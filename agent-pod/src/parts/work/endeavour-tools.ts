/** Tools that make, change and end endeavours. Which changes need a person first follows from the endeavour (`endeavour-asks.ts`). */
import { err } from '@retainer/contract/std/result';
import { Approvals, DEFAULT_APPROVALS as DEFAULTS } from '@retainer/mind/parts/work/approvals';
import * as endeavours from '@retainer/mind/parts/work/decide-endeavour';
import {
  ENDEAVOUR_STATUSES,
  NewPhase,
  PHASE_STATUSES,
  SessionLimits,
  Stakeholder,
} from '@retainer/mind/parts/work/endeavour';
import { whyChangeAsks, whyMilder, type EndeavourEdit } from '@retainer/mind/parts/work/endeavour-asks';
import { FeatureOverrides } from '@retainer/mind/parts/work/forecast';
import { CRITERIA_MAX, PHASES_MAX, STAKEHOLDERS_MAX } from '@retainer/mind/parts/work/limits';
import { LongText, Sentence, Title } from '@retainer/mind/parts/work/texts';
import { endeavourOf, type Work } from '@retainer/mind/parts/work/work-state';
import { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';
import { changing, EndeavourId, momentOf, MomentText, present } from './work-tool.ts';

const PhaseInput = z.strictObject({
  name: NewPhase.shape.name.describe('One line; other phases name it by this.'),
  description: NewPhase.shape.description,
  dependsOn: z.array(Title).max(PHASES_MAX).optional().describe('Names of phases before it that must be over first.'),
  milestone: Sentence.optional().describe('What is there at its end.'),
  estimatedSessions: z.int().min(0).max(60).describe('Work sessions that it takes.'),
});

const PartialApprovals = Approvals.partial().describe(
  'Auto: nobody is asked. Notify: people are told. Require: a person must allow it first. Only a person makes one milder.',
);

const words = {
  title: Title.describe('One line.'),
  description: LongText.describe('What it is about, so that it can be understood alone.'),
  goal: LongText.describe('What is to be reached.'),
};
const settings = {
  successCriteria: z
    .array(Sentence)
    .max(CRITERIA_MAX)
    .optional()
    .describe('By which one sees that the goal is reached.'),
  stakeholders: z
    .array(Stakeholder)
    .max(STAKEHOLDERS_MAX)
    .optional()
    .describe('Who has a stake in it. Nobody is told by this.'),
  sessionLimits: SessionLimits.optional().describe('Tokens of one work session.'),
  approvals: PartialApprovals.optional(),
};

/** What each of `words`, `settings` and the forecast's fields is to the gate, whether it is said first or changed. */
const saidArguments = {
  title: 'Name',
  description: 'Content',
  goal: 'Content',
  successCriteria: 'Content',
  stakeholders: 'Destination',
  sessionLimits: 'Target',
  approvals: 'Target',
  deadline: 'Target',
  featureOverrides: 'Target',
  thresholdOverride: 'Target',
} as const;

/** Numbers and ids of ours. */
export function stateOf(work: Work, id: string): string {
  const endeavour = endeavourOf(work, id);
  if (endeavour === undefined) return `${id} is deleted`;
  const phases = endeavour.phases.map((it) => `${it.phaseId} ${it.status}`).join(', ');
  return `${id} is ${endeavour.status}; phases: ${phases === '' ? 'none' : phases}`;
}

/** The approvals that an endeavour has then: those that it had, with the modes that the model names. */
function merged(before: Approvals, modes: z.infer<typeof PartialApprovals> | undefined): Approvals {
  return { ...before, ...present(modes ?? {}) };
}

const createEndeavour = changing({
  name: 'create_endeavour',
  description:
    'Plans an endeavour: work of days or weeks towards one goal, in phases. It is a draft until its first phase begins; it starts nothing.',
  input: z.strictObject({
    ...words,
    ...settings,
    deadline: MomentText.optional().describe('A moment, as 2030-01-31T08:00.'),
    phases: z.array(PhaseInput).max(PHASES_MAX).optional().describe('In their order; more can be added.'),
    featureOverrides: FeatureOverrides.optional().describe('Importance of features in its forecast, 1 to 3.'),
    thresholdOverride: z.number().min(0).max(1).optional().describe('Score of a forecast that asks for a new plan.'),
  }),
  arguments: { ...saidArguments, phases: 'Content' },
  verb: { verb: 'plans the endeavour', object: 'title', text: 'goal' },
  asks: ({ approvals }) => whyMilder(undefined, merged(DEFAULTS, approvals)),
  make: ({ deadline, approvals, phases, ...said }, { making, jobs }) => {
    const until = deadline === undefined ? undefined : momentOf('deadline', deadline, jobs);
    if (until?.ok === false) return err(until.error);
    return endeavours.createEndeavour(making, {
      ...present(said),
      approvals: merged(DEFAULTS, approvals),
      phases: (phases ?? []).map((phase) => present(phase)),
      ...(until === undefined ? {} : { deadlineMs: until.value }),
    });
  },
  told: (_input, work, id) => `planned ${stateOf(work, id)}`,
});

const addPhase = changing({
  name: 'add_phase',
  description: 'Adds a phase to an endeavour, after the others. After the work began, that is a change of its plan.',
  input: z.strictObject({ endeavourId: EndeavourId, phase: PhaseInput.describe('The phase.') }),
  arguments: { endeavourId: 'Target', phase: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'adds a phase to the endeavour', object: 'endeavourId', text: 'phase' },
  asks: ({ endeavourId, phase }, work) => whyChangeAsks(work, endeavourId, { kind: 'AddPhase', phase }),
  make: ({ endeavourId, phase }, { making }) => endeavours.addPhase(making, endeavourId, present(phase)),
  told: (_input, work, id) => stateOf(work, id),
});

const advancePhase = changing({
  name: 'advance_phase',
  description:
    'Moves an endeavour on: a phase in progress is completed and the next one begins; without one, the next one begins. With `to`, one phase gets that status.',
  input: z.strictObject({
    endeavourId: EndeavourId,
    phaseId: z.string().max(20).optional().describe('As p1. Absent: the one in progress, or the next one.'),
    to: z.enum(PHASE_STATUSES).exclude(['NotStarted']).optional().describe('The status of that phase.'),
    reason: Sentence.optional().describe('Of a phase that is blocked or skipped.'),
  }),
  arguments: { endeavourId: 'Target', phaseId: 'Target', to: 'Target', reason: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'moves on the endeavour', object: 'endeavourId', text: 'reason' },
  asks: ({ endeavourId }, work) => whyChangeAsks(work, endeavourId, { kind: 'AdvancePhase' }),
  make: (step, { making }) => endeavours.advancePhase(making, present(step)),
  told: (_input, work, id) => stateOf(work, id),
});

const reportBlocker = changing({
  name: 'report_blocker',
  description: 'Notes what holds an endeavour up, and how it is to be overcome.',
  input: z.strictObject({
    endeavourId: EndeavourId,
    description: Sentence.describe('What holds it up.'),
    strategy: Sentence.describe('How it is to be overcome.'),
    requiresHuman: z.boolean().describe('Whether only a person can overcome it.'),
  }),
  arguments: { endeavourId: 'Target', description: 'Content', strategy: 'Content', requiresHuman: 'Target' },
  target: 'endeavourId',
  verb: { verb: 'reports a blocker of the endeavour', object: 'endeavourId', text: 'description' },
  make: ({ endeavourId, ...said }, { making }) => endeavours.reportBlocker(making, endeavourId, said),
  told: (_input, work, id) => `${stateOf(work, id)}; its blocker is b${endeavourOf(work, id)?.blockersMade ?? 0}`,
});

const resolveBlocker = changing({
  name: 'resolve_blocker',
  description: 'Notes that a blocker does not hold the endeavour up any more, and why.',
  input: z.strictObject({
    endeavourId: EndeavourId,
    blockerId: z.string().max(20).describe('As b1.'),
    resolution: Sentence.describe('What became of it.'),
  }),
  arguments: { endeavourId: 'Target', blockerId: 'Target', resolution: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'resolves a blocker of the endeavour', object: 'endeavourId', text: 'resolution' },
  make: (said, { making }) => endeavours.resolveBlocker(making, said),
  told: (_input, work, id) => stateOf(work, id),
});

const UpdateInput = z.strictObject({
  endeavourId: EndeavourId,
  title: words.title.optional().describe('One line.'),
  description: words.description.optional().describe('What it is about.'),
  goal: words.goal.optional().describe('What is to be reached.'),
  ...settings,
  deadline: MomentText.nullable().optional().describe('A moment, as 2030-01-31T08:00.'),
  featureOverrides: FeatureOverrides.nullable().optional().describe('Importance of features in its forecast, 1 to 3.'),
  thresholdOverride: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe('Score of a forecast that asks for a new plan.'),
  status: z.enum(ENDEAVOUR_STATUSES).exclude(['Draft']).optional().describe('Complete: its phases and items are over.'),
  reason: Sentence.optional().describe('Why it is on hold, failed or is abandoned.'),
});
type UpdateInput = z.infer<typeof UpdateInput>;

/** Whatever the deadline is, it asks nobody: the gate judges the rest. */
function editOf({ endeavourId, deadline: _deadline, approvals, ...said }: UpdateInput, work: Work): EndeavourEdit {
  const before = endeavourOf(work, endeavourId)?.approvals ?? DEFAULTS;
  const modes = approvals === undefined ? {} : { approvals: merged(before, approvals) };
  return { ...present(said), ...modes };
}

const updateEndeavour = changing({
  name: 'update_endeavour',
  description:
    'Changes fields of an endeavour, or its status; the others stay. null takes a deadline or an override away.',
  input: UpdateInput,
  arguments: { endeavourId: 'Target', ...saidArguments, status: 'Target', reason: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'changes the endeavour', object: 'endeavourId', text: 'goal' },
  asks: (input, work) => whyChangeAsks(work, input.endeavourId, { kind: 'Edit', edit: editOf(input, work) }),
  make: (input, { making, jobs }) => {
    const { deadline, endeavourId } = input;
    const edit = editOf(input, making.work);
    if (deadline === undefined) return endeavours.editEndeavour(making, endeavourId, edit);
    if (deadline === null) return endeavours.editEndeavour(making, endeavourId, { ...edit, deadlineMs: null });
    const until = momentOf('deadline', deadline, jobs);
    if (!until.ok) return err(until.error);
    return endeavours.editEndeavour(making, endeavourId, { ...edit, deadlineMs: until.value });
  },
  told: (_input, work, id) => `changed ${stateOf(work, id)}`,
});

const deleteEndeavour = changing({
  name: 'delete_endeavour',
  description:
    'Deletes an endeavour without open items, with the reason. The record keeps it; no list shows it any more.',
  input: z.strictObject({ endeavourId: EndeavourId, reason: Sentence.describe('Why.') }),
  arguments: { endeavourId: 'Target', reason: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'deletes the endeavour', object: 'endeavourId', text: 'reason' },
  make: ({ endeavourId, reason }, { making }) => endeavours.deleteEndeavour(making, endeavourId, reason),
  told: (_input, work, id) => stateOf(work, id),
});

export const endeavourTools: readonly ToolDescriptor[] = [
  createEndeavour,
  addPhase,
  advancePhase,
  reportBlocker,
  resolveBlocker,
  updateEndeavour,
  deleteEndeavour,
];
