/** The tools that make jobs: the general one, and one for each of the three that happen once. */
import type { ArgumentRole } from '@retainer/mind/gate/tool-facts';
import { JOB_KINDS, type JobKind } from '@retainer/mind/parts/jobs/job';
import { nameOfWords } from '@retainer/mind/parts/jobs/job-names';
import type { FieldsOfJob, GivenJob } from '@retainer/mind/parts/jobs/read-job';
import { z } from 'zod';
import {
  at,
  duration,
  forWhom,
  inSoLong,
  JOB_ROLES,
  name,
  recurring,
  rolesOf,
  tags,
  timeZone,
  words,
} from './job-fields.ts';
import { aroundJobs, madeBy, makeJob, writingTool } from './job-tool.ts';

type Said = FieldsOfJob & Pick<GivenJob, 'words'>;

interface Making<Input extends Said> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly verb: string;
  readonly roles: Readonly<Record<string, ArgumentRole>>;
  /** Unless it is given. */
  readonly kind: JobKind;
  readonly for: GivenJob['for'];
}

function makingTool<Input extends Said>({ kind, for: whom, ...making }: Making<Input>) {
  return writingTool<Input>({
    ...making,
    object: 'words',
    act: (input, call) => {
      const name = input.name ?? nameOfWords(input.words, aroundJobs(call).lasting);
      return makeJob({ kind, for: whom, catchUp: 'Once', ...given(input), name }, call);
    },
    found: (_input, call) => madeBy(call),
  });
}

/** Members that are there. */
function given(input: Said): Partial<GivenJob> & Pick<GivenJob, 'words'> {
  const there = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(there) as Partial<GivenJob>), words: input.words };
}

export const scheduleReminder = makingTool({
  name: 'schedule_reminder',
  description:
    'Keeps a reminder for one moment. For a Person, the words are delivered then as they are; for the Agent, you get them as work. Give at or in.',
  input: z.strictObject({
    words: words.describe('What the person reads, or what you are to do.'),
    at,
    in: inSoLong,
    timeZone,
    for: forWhom.optional().describe('Person if absent.'),
    name,
  }),
  verb: 'keeps a reminder:',
  roles: rolesOf('words', 'at', 'in', 'timeZone', 'for', 'name'),
  kind: 'Reminder',
  for: 'Person',
});

export const addTodo = makingTool({
  name: 'add_todo',
  description: 'Keeps something to do that begins by itself at no time. Give at or in where it has a due date.',
  input: z.strictObject({ words: words.describe('What is to be done.'), at, in: inSoLong, timeZone, name, tags }),
  verb: 'adds to the list of things to do:',
  roles: rolesOf('words', 'at', 'in', 'timeZone', 'name', 'tags'),
  kind: 'Todo',
  for: 'Agent',
});

export const addAppointment = makingTool({
  name: 'add_appointment',
  description: 'Keeps an appointment: a moment with a duration. The words are delivered at its beginning.',
  input: z.strictObject({
    words: words.describe('What it is, and where.'),
    at,
    in: inSoLong,
    duration,
    timeZone,
    for: forWhom.optional().describe('Who is told at its beginning; Person if absent.'),
    name,
    tags,
  }),
  verb: 'keeps an appointment:',
  roles: rolesOf('words', 'at', 'in', 'duration', 'timeZone', 'for', 'name', 'tags'),
  kind: 'Appointment',
  for: 'Person',
});

export const scheduleFromSpec = makingTool({
  name: 'schedule_from_spec',
  description:
    'Makes a job from all its fields. With cron it is Recurring, and you begin it by yourself at each moment; a run that you ask for now comes back only in its result.',
  input: z.strictObject({
    kind: z.enum(JOB_KINDS).optional().describe('Recurring if absent.'),
    words: words.describe('The work in words, or what a person reads.'),
    name,
    for: forWhom.optional().describe('Agent if absent: you do the work.'),
    at,
    in: inSoLong,
    timeZone,
    duration: duration.optional(),
    tags,
    ...recurring,
  }),
  verb: 'makes a job:',
  roles: JOB_ROLES,
  kind: 'Recurring',
  for: 'Agent',
});
