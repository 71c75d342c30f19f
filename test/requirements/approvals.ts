import type { Requirements } from './requirement.ts';

export const approvalRequirements = {
  'reliability-security 4': {
    'approvals:effect-by-code':
      'A person is shown what a call would do in words of ours, whom it reaches first; the model’s reason is shown as its own.',
    'approvals:nothing-hidden':
      'No character of an argument drives the terminal, turns the text, or passes for another unseen.',
    'approvals:one-write':
      'An approved call makes nothing free: the next change of the same file, by any call of the run, is asked about.',
    'approvals:what-stands-there':
      'An approval is bound to what stands where the call writes, too: if that changed since the question, a person is asked again.',
    'approvals:named-files':
      'An approval covers the files that the call names: their paths and digests are shown, and it does not run, or is asked about again, if one changed.',
    'approvals:known-by':
      'A local decision records how the agent knows who decided: the owner of the file or terminal, not the name in it; nobody else can write there.',
    'approvals:tool-asks':
      'A tool may want a person for a call because of what is recorded: code asks it at the answer and again before the call runs.',
    'approvals:grouped':
      'Equal calls of one answer are one question; its answer serves each of them once, on the record.',
    'approvals:breaker':
      'After so many refusals, or so many requests in all, the Task is stopped: Refused, by a rule that says which.',
    'approvals:metrics':
      'Questions per run, time until a decision and outcomes are measured, with labels that hold no text.',
  },
  'reliability-security 4; design 3': {
    'approvals:limits-of-agent':
      'How long, how often and up to how many refusals people are asked stands in budgets.approvals of the Agent.',
  },
  'reliability-security 7': {
    'approvals:mean-something':
      'Of 1,000 mutated, replayed, late, cross-task and cross-user approvals none runs a call; a time-out is always a denial.',
    'approvals:rare': 'An ordinary Task asks a person once at the most, in the median of the shipped examples.',
    'approvals:planted-bad':
      'A person who reads only the effect tells every planted bad request from the good one beside it.',
  },
  'springdrift 15': {
    'approvals:no-notice-remembered':
      'What a gate says is no turn of a later cycle: memory, narrative and session hold the outcome alone.',
    'approvals:output-breaker':
      'After three rejected outgoing texts in a row none is revised any more: it is held in the record, and a person is told.',
  },
  'design 3 (override), 5': {
    'approvals:override-bound':
      'A principal overrules one rule on exactly what it refused; the verdict says who, why and of which Task.',
    'approvals:override-limits':
      'What is never done, denials, leave for effects, budgets, probes and secrets are never overruled.',
    'approvals:override-once':
      'An override passes once: whatever Task carries it again, the run is judged without it, and the record says so.',
  },
  'springdrift 2; design 5': {
    'approvals:override-heuristic':
      'A heuristic is no law: a principal overrules a shipped rule of texts, a probe or a score, for that exact text.',
  },
  'platforms 5; design 3 (override)': {
    'approvals:override-by-command':
      'A refusal says how to appeal; the command prints the Task that overrules, and applying it does so once.',
  },
} as const satisfies Requirements;
