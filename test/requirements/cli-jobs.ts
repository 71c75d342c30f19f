import type { Requirements } from './requirement.ts';

export const cliJobsRequirements = {
  'springdrift 9; design 1, 7': {
    'cli-jobs:told':
      'retainer jobs lists what an agent begins by itself, each with its next moment in its own zone and in UTC, its last outcome, its maker and what it waits for; show tells the whole story of one, and an unknown id is named with what there is.',
    'cli-jobs:word':
      'A person pauses, resumes, cancels or runs a job by a durable command with who and why; a job that is over, or as it is wanted already, is refused in a sentence, and nothing is left.',
  },
} satisfies Requirements;
