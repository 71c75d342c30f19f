import type { Requirements } from './requirement.ts';

export const approvalRequirements = {
  'approvals:effect-by-code': {
    source: 'reliability-security 4',
    behavior:
      'A person is shown what a call would do in words of ours, whom it reaches first; the model’s reason is shown as its own.',
  },
  'approvals:nothing-hidden': {
    source: 'reliability-security 4',
    behavior: 'No character of an argument drives the terminal, turns the text, or passes for another unseen.',
  },
  'approvals:one-write': {
    source: 'reliability-security 4',
    behavior:
      'An approved call makes nothing free: the next change of the same file, by any call of the run, is asked about.',
  },
  'approvals:what-stands-there': {
    source: 'reliability-security 4',
    behavior:
      'An approval is bound to what stands where the call writes, too: if that changed since the question, a person is asked again.',
  },
  'approvals:known-by': {
    source: 'reliability-security 4',
    behavior:
      'A local decision records how the agent knows who decided: the owner of the file or terminal, not the name in it; nobody else can write there.',
  },
  'approvals:grouped': {
    source: 'reliability-security 4',
    behavior: 'Equal calls of one answer are one question; its answer serves each of them once, on the record.',
  },
  'approvals:breaker': {
    source: 'reliability-security 4',
    behavior:
      'After so many refusals, or so many requests in all, the Task is stopped: Refused, by a rule that says which.',
  },
  'approvals:limits-of-agent': {
    source: 'reliability-security 4; design 3',
    behavior:
      'How long, how often and up to how many refusals people are asked stands in budgets.approvals of the Agent.',
  },
  'approvals:mean-something': {
    source: 'reliability-security 7',
    behavior:
      'Of 1,000 mutated, replayed, late, cross-task and cross-user approvals none runs a call; a time-out is always a denial.',
  },
  'approvals:rare': {
    source: 'reliability-security 7',
    behavior: 'An ordinary Task asks a person once at the most, in the median of the shipped examples.',
  },
  'approvals:planted-bad': {
    source: 'reliability-security 7',
    behavior: 'A person who reads only the effect tells every planted bad request from the good one beside it.',
  },
  'approvals:no-notice-remembered': {
    source: 'springdrift 15',
    behavior: 'What a gate says is no turn of a later cycle: memory, narrative and session hold the outcome alone.',
  },
  'approvals:override-bound': {
    source: 'design 3 (override), 5',
    behavior: 'A principal overrules one rule on exactly what it refused; the verdict says who, why and of which Task.',
  },
  'approvals:override-limits': {
    source: 'design 3 (override), 5',
    behavior: 'What is never done, denials, leave for effects, budgets, probes and secrets are never overruled.',
  },
  'approvals:override-heuristic': {
    source: 'springdrift 2; design 5',
    behavior:
      'A heuristic is no law: a principal overrules a shipped rule of texts, a probe or a score, for that exact text.',
  },
  'approvals:override-once': {
    source: 'design 3 (override), 5',
    behavior:
      'An override passes once: whatever Task carries it again, the run is judged without it, and the record says so.',
  },
  'approvals:override-by-command': {
    source: 'platforms 5; design 3 (override)',
    behavior: 'A refusal says how to appeal; the command prints the Task that overrules, and applying it does so once.',
  },
  'approvals:output-breaker': {
    source: 'springdrift 15',
    behavior:
      'After three rejected outgoing texts in a row none is revised any more: it is held in the record, and a person is told.',
  },
  'approvals:metrics': {
    source: 'reliability-security 4',
    behavior: 'Questions per run, time until a decision and outcomes are measured, with labels that hold no text.',
  },
} as const satisfies Requirements;
