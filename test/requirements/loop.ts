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
      'under onCharacterChange: Cancel a run that another character admitted ends when it is taken up, wherever it stood; what it has concluded is still delivered',
  },
  'loop:changed-character-continues': {
    source: 'design 3 (the digest is stamped on every record), 5',
    behavior:
      'an open run goes on under a changed character from its next step, once its Task has passed the new input gate; every verdict names the character that gave it, and a replay gives the same record',
  },
  'loop:changed-character-asks-anew': {
    source: 'reliability-security 4 (approvals)',
    behavior:
      'what a person was asked is asked again, allowed or refused where the rule of a changed character decides otherwise; an approval under the old rule does not count',
  },
  'loop:changed-character-holds': {
    source: 'design 3',
    behavior:
      'under onCharacterChange: Hold a run waits until a person lets it go on or ends it, or the character is back',
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
  'loop:names-are-bounded': {
    source: 'design 7 (a fast start); reliability-security 4 (every bound named)',
    behavior:
      'The agent knows the newest origins, runs and spent overrides by name, as many as the bound says; open ones it always knows; a cache keeps them.',
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
  'loop:command-set-aside': {
    source: 'design 5 (supervision); reliability-security 1',
    behavior:
      'A command that throws and belongs to no run is set aside with a record and a notice; the agent and its next start go on; a person or a new version tries it again, and a person can drop it.',
  },
  'loop:unread-record': {
    source: 'design 5 (supervision)',
    behavior:
      'A record that a projection cannot take is told by a notice and sets the open run aside that it belongs to; the start and all other runs go on.',
  },
  'loop:secrets-stay-out': {
    source: 'design 5',
    behavior: 'known secret values, and texts of their shape, never reach the agent’s disk',
  },
  'loop:one-workspace': {
    source: 'springdrift 7 (tools run in sequence)',
    behavior:
      'At most one call has the workspace; calls of one run, and all calls where code has no copy of its own, follow each other in the order of their requests.',
  },
  'loop:lanes': {
    source: 'springdrift 7 (tools run in sequence)',
    behavior:
      'A call waits for the workspace or for the endpoint that it asks, never for both; a slow endpoint holds up no other lane; calls of one cycle keep their order.',
  },
  'loop:programs-beside': {
    source: 'springdrift 7 (tools run in sequence)',
    behavior:
      'Programs of different runs, each on a copy, run side by side up to the limit, and come back in the order of their beginnings; one that hangs holds up another for 5 s at most.',
  },
  'loop:restart-waits-for-none': {
    source: 'design 5; reliability-security 1',
    behavior:
      'a restart waits for no program that still runs: the agent takes commands at once, and the files of the program come back in its turn',
  },
} as const satisfies Requirements;
