import type { Requirements } from './requirement.ts';

export const auditRequirements = {
  'reliability-security 1, 7': {
    'audit:gap-is-an-alarm': 'Records that a repair gave up are an alarm until a named person acknowledges that gap.',
  },
  'reliability-security 1': {
    'audit:head-lag': 'The auditor keeps a head every 1,000 records or 60 s, of acknowledged records only.',
  },
  'design 5': {
    'audit:reads-as-said':
      'With its own code, the auditor reads payloads whose parts stand in earlier records as the agent said them; an agent that lies makes them neither endless nor large.',
    'audit:reads-only': 'The auditor writes, creates and locks nothing below the journal that it follows.',
    'audit:rules-version':
      'A change of what the gates decide by raises the version of their rules, which every configuration is recorded with.',
    'audit:other-rules':
      'What a program of other rules of the gates recorded and this one decides otherwise is counted and told with its place, and is no mismatch.',
    'audit:other-rules-no-hiding':
      'A false version of the rules hides no tampering of what is recorded while the auditor watches, or after a record of the present rules.',
    'audit:verdicts-recomputed':
      'The auditor decides every recorded verdict anew and reports the first one of each cycle that is not what was recorded; of a right record it reports none.',
    'audit:effects-and-replies-gated':
      'A tool call or a reply in the record that no accepting verdict stands for is found, and so is a verdict that is missing.',
    'audit:verdicts-resumed':
      'An auditor that is started again in the middle of a cycle finds what one finds that never stopped, once.',
    'audit:foreign-character':
      'An agent that decides, while it is watched, under another character than it was given from outside is found.',
    'audit:runs-decided-again':
      'The auditor decides every closed run of its own deciders again, with all its cycles, and reports the first record of each that the deciders do not give; of a right record it reports none.',
    'audit:omissions-found':
      'A record of a run that was never written, or was taken out under a right chain, is found.',
    'audit:memory': 'The auditor takes at most 64 MiB at rest, and at most 160 MiB with the judge that it starts.',
    'audit:cannot-recompute':
      'Where verdicts cannot be decided anew, the auditor says so and what it lacks; it does not pass them over.',
    'audit:tells-by-its-end':
      'In its pod the auditor tells each change of its alarms once by its termination message, and starts again.',
  },
  'reliability-security 7': {
    'audit:heads-never-forgotten':
      'The auditor keeps the ends of a journal that was closed, compares every head that it ever kept, and tells again what it found.',
    'audit:forks-detected':
      'A rewritten suffix, a cut tail or a restored old copy is found whenever it changes what is older than the last head.',
    'audit:apart-from-the-agent':
      "The auditor's user cannot write the agent's data, and the agent's user cannot write or read the auditor's.",
    'audit:open-segment':
      'A change of what was read of an open segment before, in place or by another file, is found within a minute.',
  },
} as const satisfies Requirements;
