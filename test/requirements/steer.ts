import type { Requirements } from './requirement.ts';

export const steerRequirements = {
  'design 5': {
    'steer:evidence':
      'profile Evidence weighs for each open part what its tries make probable, and goes on while the chance is worth what it costs; every choice tells its numbers',
    'steer:part-rules':
      'besides in Spec, each open part is told the same again after a time-out, another target where nothing was there, another tool after a wrong result; a pair that failed by itself is refused for that part alone',
    'steer:parts-stay':
      'the distance is the open share of the first plan and of the people; it rises only where a proof is taken back',
  },
  'design 5; artoo A.6': {
    'steer:corrections-that-change':
      'besides in Spec, a failed attempt is corrected after a time-out, or while corrections mostly lead to other calls',
  },
  'artoo A.9 (test vectors)': {
    'steer:vectors': 'loss, gradient and directive of every published vector come out to six digits',
  },
  'artoo A.9 (D)': {
    'steer:no-outcomes-is-full-distance': 'where there is no outcome to judge, D is 1 and P is 0.5',
    'steer:outcome-without-verdicts':
      'an outcome that nobody judged by criteria counts as one criterion, failed if it failed',
  },
  'artoo A.8': {
    'steer:task-criteria-in-distance':
      'D is the greater of subtasks and whole; no success while a verifiable criterion of the whole failed',
    'steer:replans-executed':
      'maxReplans plans are made anew; one failing round more ends the run, whatever the validator recommends',
    'steer:plausible-weight':
      'a failed plausible criterion weighs k of N attempts; the denominator is the number of criteria',
  },
  'artoo A.8, A.15': {
    'steer:unmet-always-listed': 'every result lists every criterion that is not met',
  },
  'artoo A.15 (law 0)': {
    'steer:unjudged-says-why':
      'a criterion that was not judged says what kept it from being judged, as the summary does',
  },
  'artoo A.6': {
    'steer:infrastructure-excluded':
      'failures of the machinery enter neither D nor P and allow no success; what stays unverified counts in D only',
    'steer:policy-ends-the-round':
      'a refused deed never enters P; it ends the run with cause Policy and without a new plan',
  },
  'artoo A.7': {
    'steer:not-started-counts-in-distance': 'a subtask that was not started counts in D and not in P',
  },
  'artoo A.9 (P)': {
    'steer:implausibility-by-class-then-words':
      'classes of failed criteria decide P, then the words of the reasons, then 0.5',
  },
  'artoo A.9': {
    'steer:permission-is-not-logical': 'an error of permission does not vote for logical',
    'steer:threshold-tolerance': 'every threshold is compared with a tolerance of 1e-9',
    'steer:deadline-shortens-budget':
      'a deadline nearer than the time budget replaces it; tokens count in Hardened only, weights scaled',
    'steer:quality-gradient': 'both gradients are reported; Spec decides by L, Hardened by Q',
    'steer:partial-delivery':
      'an abandoned run delivers what matched, marked partial; near but over budget is said, or delivered if so set',
    'steer:last-tool-spared':
      'the last able tool is not blocked; where it fails again while tools stay blocked, the run is abandoned',
    'steer:abandon-text-by-code': 'an abandoned run says by code what is done, what is not, the gap and what to do',
  },
  'artoo A.9 (L)': {
    'steer:loss-monotonic': 'L rises with D, P and Ω, and stays within 0 and 1',
  },
  'artoo A.9 (decision)': {
    'steer:decision-table': 'cascade and printed table agree in all 24 cells and on every boundary',
  },
  'artoo A.17': {
    'steer:abandon-when-spent': 'Ω at its threshold abandons, whatever the other signs',
    'steer:success-when-near':
      'budget left and D at most its threshold is a success, whatever P and the gradient; nothing overrides it',
    'steer:targets-accumulate': 'blocked targets accumulate over rounds, each once, in order',
    'steer:final-directives': 'a run ends with Accept, Success or Abandon, from here only',
    'steer:previous-directive': 'the previous directive is Init in the first round, then that of the round before',
    'steer:kill-switch': 'rounds in a row that get worse abandon the run; any other round starts the count anew',
    'steer:never-both-blocked': 'blocked tools and blocked targets are never both filled',
  },
  'artoo A.17, A.10': {
    'steer:one-megram-per-target':
      'a failing round writes one memory for each tool and target, an end writes one for the intent',
  },
  'artoo A.9, A.15 (law 0)': {
    'steer:last-words-tell-the-cause':
      'every way in which a run ends without acceptance has its own words: the cause, the rounds before, what to do',
  },
  'artoo A.10': {
    'steer:break-symmetry-valence':
      'Hardened blames what it blocks, and praises the new tools only once they brought the success',
    'steer:quantisation': 'each state writes the strength, valence and decay of the table',
  },
  'artoo A.11': {
    'steer:advice-is-blamed':
      'an abandoned run whose planner was shown a rule, and that used the tool which the rule advises, leaves a memory against that rule, once',
  },
  'artoo A.4': {
    'steer:salvage': 'Hardened hands matched subtasks of earlier rounds to the next plan; Spec does not',
    'steer:plan-failure': 'a plan that could not be made abandons the run with D 1 and P 0.5',
  },
  'artoo A.2': {
    'steer:watchdog-end': 'past the deadline the run is abandoned with the outcomes known so far',
  },
  'artoo A.3': {
    'steer:fast-path': 'a direct answer is an acceptance without replans, marked as fast path',
  },
  'artoo A.19': {
    'steer:urgency-selects-nothing': 'the sign of the gradient is reported and never changes the directive',
    'steer:urgency':
      'where it is set, a falling loss grants one correction more and keeps what matched, a rising one drops what the failing plan brought and has the stronger model plan; unset, nothing of it happens',
  },
  'artoo A.9; design 5': {
    'steer:total': 'whatever the round says, every number is between 0 and 1 and no plan follows the last allowed one',
  },
  'artoo A.6, A.8': {
    'steer:no-false-acceptance':
      'an acceptance with a required criterion unproven or a failed subtask is steered as a failed round',
  },
} as const satisfies Requirements;
