import type { Requirements } from './requirement.ts';

export const loopRequirements = {
  'loop:unknown-is-flagged': {
    source: 'design 5; reliability-security 7',
    behavior: 'after a crash, an intent without a result is looked up by its key or flagged as unknown',
  },
  'loop:killed-and-resumed': {
    source: 'reliability-security 7; springdrift 17',
    behavior: 'a killed process goes on from its record: no effect twice, none lost, one delivery',
  },
  'loop:full-volume-waits': {
    source: 'reliability-security 1, 7',
    behavior: 'on a full volume the agent stops without a restart, and goes on from its record when there is space',
  },
  'loop:changed-character-ends-runs': {
    source: 'design 3 (the digest is stamped on every record), 5',
    behavior:
      'a run that another character admitted ends when it is taken up, wherever it stood; what it has concluded is still delivered',
  },
  'loop:cancelled-stays-cancelled': {
    source: 'springdrift 17',
    behavior: 'a cancelled run does no more work, wherever the process died in between',
  },
  'loop:late-start': {
    source: 'design 3 (budgets of a Task), 5',
    behavior:
      'a run whose time was over while no process lived gives up all its cycles: each is cancelled, and what it used counts',
  },
  'loop:stop-and-start': {
    source: 'design 5; reliability-security 1',
    behavior: 'a runtime that is stopped writes nothing more, and goes on once when it is started again',
  },
  'loop:store-is-a-row': {
    source: 'design 5 (one store per record kind)',
    behavior:
      'Every store has a row that says how each kind of its records is folded, or why it is not; a record without a row is a bug.',
  },
  'loop:read-once': {
    source: 'design 7 (a fast start)',
    behavior: 'A start reads each record at most once, however many projections its store has.',
  },
  'loop:cache-is-versioned': {
    source: 'design 7 (a fast start)',
    behavior:
      'What a cache kept is used where version, form and record fit, and gives the same state as the whole record; else it is folded anew.',
  },
  'loop:run-set-aside': {
    source: 'design 5 (supervision)',
    behavior:
      'A run whose decider or effect throws is set aside with a record; the agent and its other runs go on; a person or a new version tries it again, and a person can end it.',
  },
  'loop:secrets-stay-out': {
    source: 'design 5',
    behavior: 'known secret values, and texts of their shape, never reach the agent’s disk',
  },
} as const satisfies Requirements;
