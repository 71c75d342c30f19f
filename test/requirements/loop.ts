import type { Requirements } from './requirement.ts';

export const loopRequirements = {
  'design 5; reliability-security 7': {
    'loop:unknown-is-flagged':
      'after a crash, an intent without a result is looked up by its key or flagged as unknown',
  },
  'reliability-security 7; springdrift 17': {
    'loop:killed-and-resumed': 'a killed process goes on from its record: no effect twice, none lost, one delivery',
  },
  'reliability-security 1, 7': {
    'loop:full-volume-waits':
      'on a full volume the agent stops without a restart, and goes on from its record when there is space',
  },
  'design 3 (the digest is stamped on every record), 5': {
    'loop:changed-character-ends-runs':
      'under onCharacterChange: Cancel a run that another character admitted ends when it is taken up, wherever it stood; what it has concluded is still delivered',
    'loop:changed-character-continues':
      'an open run goes on under a changed character from its next step, once its Task has passed the new input gate; every verdict names the character that gave it, and a replay gives the same record',
    'loop:changed-character-compared':
      'the record of a changed character, and so condition and Event of the Task, hold how many decisions in the newest runs would have been otherwise, as a replay under that character tells',
  },
  'reliability-security 4 (approvals)': {
    'loop:changed-character-asks-anew':
      'what a person was asked is asked again, allowed or refused where the rule of a changed character decides otherwise; an approval under the old rule does not count',
  },
  'design 3': {
    'loop:changed-character-holds':
      'under onCharacterChange: Hold a run waits until a person lets it go on or ends it, or the character is back',
  },
  'springdrift 17': {
    'loop:cancelled-stays-cancelled': 'a cancelled run does no more work, wherever the process died in between',
  },
  'design 3 (budgets of a Task), 5': {
    'loop:late-start':
      'a run whose time was over while no process lived gives up all its cycles: each is cancelled, and what it used counts',
  },
  'design 5; reliability-security 1': {
    'loop:stop-and-start': 'a runtime that is stopped writes nothing more, and goes on once when it is started again',
    'loop:restart-waits-for-none':
      'a restart waits for no program that still runs: the agent takes commands at once, and the files of the program come back in its turn',
  },
  'design 5 (one store per record kind)': {
    'loop:store-is-a-row':
      'Every store has a row that says how each kind of its records is folded, or why it is not; a record without a row is a bug.',
  },
  'design 7 (a fast start)': {
    'loop:read-once': 'A start reads each record at most once, however many projections its store has.',
    'loop:cache-is-versioned':
      'What a cache kept is used where version, form and record fit, and gives the same state as the whole record; else it is folded anew.',
  },
  'design 7 (a fast start); reliability-security 4 (every bound named)': {
    'loop:names-are-bounded':
      'The agent knows the newest origins, runs and spent overrides by name, as many as the bound says; open ones it always knows; a cache keeps them.',
  },
  'design 7 (no usable provider)': {
    'loop:outages-lose-nothing':
      'against a provider that fails at random no run is lost, no answer that arrived whole is paid twice, and every Task ends as it does without faults',
  },
  'design 5 (supervision)': {
    'loop:retry-anywhere':
      'a person’s retry works in every mode: before a start, while it runs, for a run that is set aside, and for one that has ended; a run that nobody drives is said to be so',
    'loop:run-set-aside':
      'A run whose decider or effect throws is set aside with a record; the agent and its other runs go on; a person or a new version tries it again, and a person can end it.',
    'loop:unread-record':
      'A record that a projection cannot take is told by a notice and sets the open run aside that it belongs to; the start and all other runs go on.',
  },
  'design 5 (supervision); reliability-security 1': {
    'loop:command-set-aside':
      'A command that throws and belongs to no run is set aside with a record and a notice; the agent and its next start go on; a person or a new version tries it again, and a person can drop it.',
  },
  'design 5': {
    'loop:secrets-stay-out': 'known secret values, and texts of their shape, never reach the agent’s disk',
    'loop:hidden-words':
      'whatever form a model writes a secret in, in whatever role: no disk, message or notice holds one of the installation, and nothing that people get holds one of memory',
  },
  'springdrift 7 (tools run in sequence)': {
    'loop:one-workspace':
      'At most one call has the workspace; calls of one run, and all calls where code has no copy of its own, follow each other in the order of their requests.',
    'loop:lanes':
      'A call waits for the workspace or for the endpoint that it asks, never for both; a slow endpoint holds up no other lane; calls of one cycle keep their order.',
    'loop:programs-beside':
      'Programs of different runs, each on a copy, run side by side up to the limit, and come back in the order of their beginnings; one that hangs holds up another for 5 s at most.',
  },
} as const satisfies Requirements;
