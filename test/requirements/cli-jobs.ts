import type { Requirements } from './requirement.ts';

export const cliJobsRequirements = {
  'springdrift 9; design 1, 7': {
    'cli-jobs:told':
      'retainer jobs lists what an agent begins by itself, each with its next moment in its own zone and in UTC, its last outcome, its maker and what it waits for; show tells the whole story of one, and an unknown id is named with what there is.',
    'cli-jobs:word':
      'A person pauses, resumes, cancels or runs a job by a durable command with who and why; a job that is over, or as it is wanted already, is refused in a sentence, and nothing is left.',
    'cli-jobs:explained':
      'The story of a run of a job names the job, its moment, its maker and the label of its words.',
    'cli-jobs:accountable':
      'In the accountability map, every effect of a run of a job is wanted by its job and the maker of that; a maker that the record lacks is a finding.',
    'cli-jobs:at-work':
      'retainer run tells what jobs do, what reaches people and what is next; it waits for what was due when its Tasks had ended and for nothing later, and no end of a job changes its exit code.',
    'cli-jobs:schedule-of-task':
      'Without a cluster, the schedule of a Task is a job that follows the manifest: the same Task changes nothing, another one changes the job, and without schedule or with cancel it ends.',
    'cli-jobs:work-told':
      'retainer work lists what an agent plans for itself and tells one item or endeavour with its history; a person abandons or deletes it by a durable command with who and why, and a word that means nothing is refused.',
  },
} satisfies Requirements;
