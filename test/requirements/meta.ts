import type { Requirements } from './requirement.ts';

export const metaRequirements = {
  'meta:detectors': {
    source: 'springdrift 2',
    behavior:
      'rate, cumulative risk, repeated rejections, repeated modifications and false positives are found by the table',
  },
  'meta:runs-are-counted': {
    source: 'springdrift 2',
    behavior:
      'what counts is the agent’s cycle, the whole work on one request, and not the cycles of its roles; a revised text counts once; a run causes each intervention once',
  },
  'meta:false-positive': {
    source: 'springdrift 2',
    behavior: 'a person may call a refusal wrong, with a reason; it feeds the observer and loosens nothing',
  },
  'meta:rate-is-of-time': {
    source: 'springdrift 2, 15',
    behavior: 'only runs that began within the last minute count as a rate, however many there were before',
  },
  'meta:virtue-drift': {
    source: 'springdrift 1, 2, 15',
    behavior: 'verdicts of the calculus, with their axioms, are looked at for drift, and a drift asks for a person',
  },
  'meta:first-match': {
    source: 'springdrift 2',
    behavior: 'what is done is the first of escalate, cooldown, tighten and caution that the findings call for',
  },
  'meta:tightening-decays': {
    source: 'springdrift 2, 15',
    behavior: 'tightened thresholds go back to the policy by a half-life and are never looser than it',
  },
  'meta:cooldown-is-a-state': {
    source: 'springdrift 2',
    behavior: 'after repeated refusals the next cycle waits for a timer, and can be cancelled and taken up meanwhile',
  },
  'meta:survives-kill': {
    source: 'springdrift 2; reliability-security 7',
    behavior: 'what the observer saw and tightened is folded from the record',
  },
  'meta:visible': {
    source: 'springdrift 2 (interventions logged)',
    behavior: 'what the observer does is a record, a figure, and a line of the story of the run',
  },
} satisfies Requirements;
