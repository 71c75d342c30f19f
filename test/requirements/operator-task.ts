import type { Requirements } from './requirement.ts';

export const operatorTaskRequirements = {
  'operator-task:waits-and-heals': {
    source: 'platforms 3, 6',
    behavior:
      'A Task for an Agent or a Task that does not exist waits with a reason, and goes on by itself once it does.',
  },
  'operator-task:says-next-action': {
    source: 'design 3 (conditions); platforms 6',
    behavior: 'Ready tells in one word what is happening and in one sentence what to do next, without any user text.',
  },
  'operator-task:cycle-told': {
    source: 'design 3 (dependsOn)',
    behavior: 'Tasks that wait for each other are told, with the way around.',
  },
  'operator-task:agent-ends-its-own': {
    source: 'design 3 (Task), 7 (outcomes)',
    behavior: 'The operator ends a Task only where no Agent can or does, and yields to an outcome that is there.',
  },
  'operator-task:ended-is-settled': {
    source: 'design 3 (Task), 7 (outcomes)',
    behavior: 'Of a Task that the operator ended no condition says any more that its run goes on or waits for people.',
  },
  'operator-task:other-version': {
    source: 'platforms 6',
    behavior:
      'A Task that does not fit the schema, for another version of the CRDs let it in, says so with the field; nothing else of it is lost.',
  },
  'operator-task:clock-stands-for-people': {
    source: 'design 7 (questions)',
    behavior: 'While a person is asked, the clock of the run stands still, and the deadline does not.',
  },
  'operator-task:moment-once': {
    source: 'platforms 3; reliability-security 2',
    behavior: 'A moment of a schedule is neither doubled nor lost over restarts at any instant and jumps of the clock.',
  },
  'operator-task:missed-moments': {
    source: 'design 3 (schedule)',
    behavior: 'Missed moments are made up for as catchUp says, one run at a time and within a limit.',
  },
  'operator-task:daylight-saving': {
    source: 'design 3 (schedule)',
    behavior: 'A schedule is read in its time zone, over both changes of its clock.',
  },
  'operator-task:few-writes': {
    source: 'platforms 6; reliability-security 2',
    behavior:
      'A Task costs at most eight writes over its life, all writers together, and none at rest. Of these Retainer writes four where its Agent is there: it is admitted, it runs, it has ended, and an Event.',
  },
  'operator-task:about-to-run': {
    source: 'platforms 6',
    behavior:
      'A Task whose Agent is ready and has a place for it is told to run from the first; one that has not begun ten seconds later is told to wait.',
  },
  'operator-task:kept-for-git': {
    source: 'platforms 6',
    behavior:
      'A Task that a Git controller keeps is not deleted after its time, since it would be made again and run again; Ready says so. The Tasks of a schedule are deleted.',
  },
  'operator:kstatus': {
    source: 'platforms 6',
    behavior:
      'Every kind has observedGeneration, Reconciling and Stalled by the rules of kstatus, and costs no write for them.',
  },
  'operator:argo-health': {
    source: 'platforms 6',
    behavior: 'The health scripts of the docs judge every phase of every kind in the interpreter of Argo CD.',
  },
  'operator-task:deleted-after-time': {
    source: 'design 3 (ttlSecondsAfterFinished)',
    behavior: 'A finished Task goes after its time, once everybody who waits for it has seen how it ended.',
  },
} as const satisfies Requirements;
