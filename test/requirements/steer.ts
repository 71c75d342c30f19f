import type { Requirements } from './requirement.ts';

export const steerRequirements = {
  'steer:evidence': {
    source: 'design 5',
    behavior:
      'profile Evidence weighs for each open part what its tries make probable, and goes on while the chance is worth what it costs; every choice tells its numbers',
  },
  'steer:part-rules': {
    source: 'design 5',
    behavior:
      'besides in Spec, each open part is told the same again after a time-out, another target where nothing was there, another tool after a wrong result; a pair that failed by itself is refused for that part alone',
  },
  'steer:parts-stay': {
    source: 'design 5',
    behavior:
      'the distance is the open share of the first plan and of the people; it rises only where a proof is taken back',
  },
  'steer:corrections-that-change': {
    source: 'design 5; artoo A.6',
    behavior:
      'besides in Spec, a failed attempt is corrected after a time-out, or while corrections mostly lead to other calls',
  },
  'steer:vectors': {
    source: 'artoo A.9 (test vectors)',
    behavior: 'loss, gradient and directive of every published vector come out to six digits',
  },
  'steer:no-outcomes-is-full-distance': {
    source: 'artoo A.9 (D)',
    behavior: 'where there is no outcome to judge, D is 1 and P is 0.5',
  },
  'steer:outcome-without-verdicts': {
    source: 'artoo A.9 (D)',
    behavior: 'an outcome that nobody judged by criteria counts as one criterion, failed if it failed',
  },
  'steer:task-criteria-in-distance': {
    source: 'artoo A.8',
    behavior: 'D is the greater of subtasks and whole; no success while a verifiable criterion of the whole failed',
  },
  'steer:replans-executed': {
    source: 'artoo A.8',
    behavior: 'maxReplans plans are made anew; one failing round more ends the run, whatever the validator recommends',
  },
  'steer:plausible-weight': {
    source: 'artoo A.8',
    behavior: 'a failed plausible criterion weighs k of N attempts; the denominator is the number of criteria',
  },
  'steer:unmet-always-listed': {
    source: 'artoo A.8, A.15',
    behavior: 'every result lists every criterion that is not met',
  },
  'steer:unjudged-says-why': {
    source: 'artoo A.15 (law 0)',
    behavior: 'a criterion that was not judged says what kept it from being judged, as the summary does',
  },
  'steer:infrastructure-excluded': {
    source: 'artoo A.6',
    behavior:
      'failures of the machinery enter neither D nor P and allow no success; what stays unverified counts in D only',
  },
  'steer:policy-ends-the-round': {
    source: 'artoo A.6',
    behavior: 'a refused deed never enters P; it ends the run with cause Policy and without a new plan',
  },
  'steer:not-started-counts-in-distance': {
    source: 'artoo A.7',
    behavior: 'a subtask that was not started counts in D and not in P',
  },
  'steer:implausibility-by-class-then-words': {
    source: 'artoo A.9 (P)',
    behavior: 'classes of failed criteria decide P, then the words of the reasons, then 0.5',
  },
  'steer:permission-is-not-logical': {
    source: 'artoo A.9',
    behavior: 'an error of permission does not vote for logical',
  },
  'steer:threshold-tolerance': {
    source: 'artoo A.9',
    behavior: 'every threshold is compared with a tolerance of 1e-9',
  },
  'steer:deadline-shortens-budget': {
    source: 'artoo A.9',
    behavior: 'a deadline nearer than the time budget replaces it; tokens count in Hardened only, weights scaled',
  },
  'steer:quality-gradient': {
    source: 'artoo A.9',
    behavior: 'both gradients are reported; Spec decides by L, Hardened by Q',
  },
  'steer:loss-monotonic': {
    source: 'artoo A.9 (L)',
    behavior: 'L rises with D, P and Ω, and stays within 0 and 1',
  },
  'steer:decision-table': {
    source: 'artoo A.9 (decision)',
    behavior: 'cascade and printed table agree in all 24 cells and on every boundary',
  },
  'steer:abandon-when-spent': {
    source: 'artoo A.17',
    behavior: 'Ω at its threshold abandons, whatever the other signs',
  },
  'steer:success-when-near': {
    source: 'artoo A.17',
    behavior: 'budget left and D at most its threshold is a success, whatever P and the gradient; nothing overrides it',
  },
  'steer:targets-accumulate': {
    source: 'artoo A.17',
    behavior: 'blocked targets accumulate over rounds, each once, in order',
  },
  'steer:final-directives': {
    source: 'artoo A.17',
    behavior: 'a run ends with Accept, Success or Abandon, from here only',
  },
  'steer:one-megram-per-target': {
    source: 'artoo A.17, A.10',
    behavior: 'a failing round writes one memory for each tool and target, an end writes one for the intent',
  },
  'steer:previous-directive': {
    source: 'artoo A.17',
    behavior: 'the previous directive is Init in the first round, then that of the round before',
  },
  'steer:kill-switch': {
    source: 'artoo A.17',
    behavior: 'rounds in a row that get worse abandon the run; any other round starts the count anew',
  },
  'steer:never-both-blocked': {
    source: 'artoo A.17',
    behavior: 'blocked tools and blocked targets are never both filled',
  },
  'steer:partial-delivery': {
    source: 'artoo A.9',
    behavior:
      'an abandoned run delivers what matched, marked partial; near but over budget is said, or delivered if so set',
  },
  'steer:last-tool-spared': {
    source: 'artoo A.9',
    behavior: 'the last able tool is not blocked; where it fails again while tools stay blocked, the run is abandoned',
  },
  'steer:abandon-text-by-code': {
    source: 'artoo A.9',
    behavior: 'an abandoned run says by code what is done, what is not, the gap and what to do',
  },
  'steer:last-words-tell-the-cause': {
    source: 'artoo A.9, A.15 (law 0)',
    behavior:
      'every way in which a run ends without acceptance has its own words: the cause, the rounds before, what to do',
  },
  'steer:break-symmetry-valence': {
    source: 'artoo A.10',
    behavior: 'Hardened blames what it blocks, and praises the new tools only once they brought the success',
  },
  'steer:advice-is-blamed': {
    source: 'artoo A.11',
    behavior:
      'an abandoned run whose planner was shown a rule, and that used the tool which the rule advises, leaves a memory against that rule, once',
  },
  'steer:quantisation': {
    source: 'artoo A.10',
    behavior: 'each state writes the strength, valence and decay of the table',
  },
  'steer:salvage': {
    source: 'artoo A.4',
    behavior: 'Hardened hands matched subtasks of earlier rounds to the next plan; Spec does not',
  },
  'steer:watchdog-end': {
    source: 'artoo A.2',
    behavior: 'past the deadline the run is abandoned with the outcomes known so far',
  },
  'steer:fast-path': {
    source: 'artoo A.3',
    behavior: 'a direct answer is an acceptance without replans, marked as fast path',
  },
  'steer:plan-failure': {
    source: 'artoo A.4',
    behavior: 'a plan that could not be made abandons the run with D 1 and P 0.5',
  },
  'steer:urgency-selects-nothing': {
    source: 'artoo A.19',
    behavior: 'the sign of the gradient is reported and never changes the directive',
  },
  'steer:urgency': {
    source: 'artoo A.19',
    behavior:
      'where it is set, a falling loss grants one correction more and keeps what matched, a rising one drops what the failing plan brought and has the stronger model plan; unset, nothing of it happens',
  },
  'steer:total': {
    source: 'artoo A.9; design 5',
    behavior: 'whatever the round says, every number is between 0 and 1 and no plan follows the last allowed one',
  },
  'steer:no-false-acceptance': {
    source: 'artoo A.6, A.8',
    behavior: 'an acceptance with a required criterion unproven or a failed subtask is steered as a failed round',
  },
} as const satisfies Requirements;
