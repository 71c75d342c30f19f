import type { Requirements } from './requirement.ts';

export const metaRequirements = {
  'springdrift 2': {
    'gates:agents-own-note':
      'The agent itself may note that a refusal looks wrong: it is told as its view, loosens nothing, and only its Observer has the tool.',
    'meta:detectors':
      'rate, cumulative risk, repeated rejections, repeated modifications and false positives are found by the table',
    'meta:runs-are-counted':
      'what counts is the agent’s cycle, the whole work on one request, and not the cycles of its roles; a revised text counts once; a run causes each intervention once',
    'meta:false-positive':
      'a person may call a refusal wrong, with a reason; it feeds the observer and loosens nothing',
    'meta:first-match':
      'what is done is the first of escalate, cooldown, tighten and caution that the findings call for',
    'meta:cooldown-is-a-state':
      'after repeated refusals the next cycle waits for a timer, and can be cancelled and taken up meanwhile',
  },
  'springdrift 2, 15': {
    'meta:rate-is-of-time':
      'only runs that began within the last minute count as a rate, however many there were before',
    'meta:tightening-decays': 'tightened thresholds go back to the policy by a half-life and are never looser than it',
  },
  'springdrift 1, 2, 15': {
    'meta:virtue-drift':
      'verdicts of the calculus, with their axioms, are looked at for drift, and a drift asks for a person',
  },
  'springdrift 2; reliability-security 7': {
    'meta:survives-kill': 'what the observer saw and tightened is folded from the record',
  },
  'springdrift 2 (interventions logged)': {
    'meta:visible': 'what the observer does is a record, a figure, and a line of the story of the run',
  },
} satisfies Requirements;
