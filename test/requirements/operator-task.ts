import type { Requirements } from './requirement.ts';

export const operatorTaskRequirements = {
  'platforms 3, 6': {
    'operator-task:waits-and-heals':
      'A Task for an Agent or a Task that does not exist waits with a reason, and goes on by itself once it does.',
  },
  'design 3 (conditions); platforms 6': {
    'operator-task:says-next-action':
      'Ready tells in one word what is happening and in one sentence what to do next, without any user text.',
  },
  'design 3 (dependsOn)': {
    'operator-task:cycle-told': 'Tasks that wait for each other are told, with the way around.',
  },
  'design 3 (Task), 7 (outcomes)': {
    'operator-task:agent-ends-its-own':
      'The operator ends a Task only where no Agent can or does, and yields to an outcome that is there.',
    'operator-task:ended-is-settled':
      'Of a Task that the operator ended no condition says any more that its run goes on or waits for people.',
  },
  'platforms 6': {
    'operator-task:other-version':
      'A Task that does not fit the schema, for another version of the CRDs let it in, says so with the field; nothing else of it is lost.',
    'operator-task:about-to-run':
      'A Task whose Agent is ready and has a place for it is told to run from the first; one that has not begun ten seconds later is told to wait.',
    'operator-task:kept-for-git':
      'A Task that a Git controller keeps is not deleted after its time, since it would be made again and run again; Ready says so. The Tasks of a schedule are deleted.',
    'operator:kstatus':
      'Every kind has observedGeneration, Reconciling and Stalled by the rules of kstatus, and costs no write for them.',
    'operator:argo-health':
      'The health scripts of the docs judge every phase of every kind in the interpreter of Argo CD.',
  },
  'design 7 (questions)': {
    'operator-task:clock-stands-for-people':
      'While a person is asked, the clock of the run stands still, and the deadline does not.',
  },
  'platforms 3; reliability-security 2': {
    'operator-task:moment-once':
      'A moment of a schedule is neither doubled nor lost over restarts at any instant and jumps of the clock.',
  },
  'design 3 (schedule)': {
    'operator-task:missed-moments':
      'Missed moments are made up for as catchUp says, one run at a time and within a limit.',
    'operator-task:daylight-saving': 'A schedule is read in its time zone, over both changes of its clock.',
  },
  'platforms 6; reliability-security 2': {
    'operator-task:few-writes':
      'A Task costs at most eight writes over its life, all writers together, and none at rest. Of these Retainer writes four where its Agent is there: it is admitted, it runs, it has ended, and an Event.',
  },
  'design 3 (ttlSecondsAfterFinished)': {
    'operator-task:deleted-after-time':
      'A finished Task goes after its time, once everybody who waits for it has seen how it ended.',
  },
} as const satisfies Requirements;
