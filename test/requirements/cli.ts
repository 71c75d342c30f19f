import type { Requirements } from './requirement.ts';

export const cliRequirements = {
  'cli:exit-code-tells-outcome': {
    source: 'design 6',
    behavior: 'The exit code of a run tells how its Tasks ended; a refusal is an outcome and not an error.',
  },
  'cli:auditor-beside-agent': {
    source: 'design 5',
    behavior:
      'An agent on this machine has an auditor beside it, in its own process and directory, unless told otherwise; it tells its findings and ends with the command, however that ends.',
  },
  'cli:memory-told': {
    source: 'artoo C; design 7',
    behavior:
      'retainer memory lists, finds and traces what an agent remembers; a change is left for the agent, and an unknown id is named with exit code 1',
  },
  'cli:files-told': {
    source: 'reliability-security 4',
    behavior:
      'The files of the workspace are listed and traced with whom the agent believes and why; a person trusts exactly the bytes that stand there, in the record.',
  },
  'cli:same-manifest-errors': {
    source: 'design 3',
    behavior:
      'Every fault of every manifest is told at once, with file, line, field path, what was found and what is allowed.',
  },
  'cli:references-resolved': {
    source: 'platforms 2',
    behavior: 'A reference to an object that is not among the manifests is an error that names what there is.',
  },
  'cli:dependencies-first': {
    source: 'design 3',
    behavior:
      'A Task starts when those it depends on succeeded, the higher priority first, never more at once than the Agent allows.',
  },
  'cli:none-left-out': {
    source: 'design 1',
    behavior: 'Every Task of the manifests has a result at the end; one that cannot start says why.',
  },
  'cli:ends-after-an-error': {
    source: 'reliability-security 1',
    behavior: 'After an error in its work a run closes its record, releases the lock and ends with that error.',
  },
  'cli:watch-beside-work': {
    source: 'design 6',
    behavior:
      'While a run is under way, decisions, cancellations and edited Tasks of changed manifests are taken up; an edited Task is new work.',
  },
  'cli:says-what-has-no-effect': {
    source: 'design 1',
    behavior: 'A field that is set and has no effect yet is named, with what happens instead.',
  },
  'cli:awaits-nobody': {
    source: 'reliability-security 4',
    behavior:
      'With nobody at a terminal, a run that waits for a person ends with the command to type, and goes on with the decision at the next start; at a terminal it asks there.',
  },
  'cli:says-who-answers': {
    source: 'design 6',
    behavior: 'Whether a script or Claude answers is said plainly, with the reason.',
  },
  'cli:nothing-canned': {
    source: 'design 6',
    behavior: 'What the example replies comes from its data: other data, another reply.',
  },
  'cli:refusal-by-rule': {
    source: 'platforms 5',
    behavior:
      'A refused Task ends Refused with the rule of the character and a way to appeal; without the rule it is not refused.',
  },
  'cli:not-run-again': {
    source: 'design 5',
    behavior: 'A Task that ended is told from the record and not run again.',
  },
  'cli:one-writer': {
    source: 'reliability-security 1',
    behavior: 'A second process on the same data directory is turned away with a clear message and exit code 75.',
  },
  'cli:explain-every-decision': {
    source: 'design 1',
    behavior:
      'The story of a run names every gate verdict with its rule, every call with its numbers, every criterion with its evidence.',
  },
  'cli:explain-memory': {
    source: 'springdrift 3 (report what was dropped), 5; design 1',
    behavior:
      'The story of a run names each memory that was recalled with its id, score, signals and matched words, and what a cycle was told of the agent itself and what did not fit.',
  },
  'cli:explain-rounds': {
    source: 'artoo A.9',
    behavior:
      'The story of a run ends with its rounds: each with its loss terms, gradient, cell, directive, what was blocked and what changed.',
  },
  'cli:cost-by-role-and-purpose': {
    source: 'design 1',
    behavior:
      'The cost of a run is told by role and by purpose, tokens and money, with the cached share and what other models would have cost; the parts add up to the whole.',
  },
  'cli:answer-question': {
    source: 'design 7 (questions)',
    behavior: 'A person answers exactly the question that is open, with name and moment in the record.',
  },
  'cli:replay-changed-control': {
    source: 'design 5; artoo A.9',
    behavior:
      'Under changed settings of the control loop each recorded round is steered anew and the differences are shown; a wrong setting names what there is.',
  },
  'cli:replay-byte-equal': {
    source: 'design 5',
    behavior:
      'Recorded answers fed to the deciders give byte-equal decisions; with one answer altered the first divergence is named.',
  },
  'cli:replay-changed-character': {
    source: 'design 5',
    behavior: 'Under a changed CharacterSpec the gate decisions that would differ are shown.',
  },
  'cli:verify-locates-damage': {
    source: 'reliability-security 1',
    behavior: 'One flipped byte of the record is found and located by file, line and sequence.',
  },
  'cli:damage-has-its-words': {
    source: 'reliability-security 1, 7',
    behavior: 'Each part of the record that is taken away is told by its own words and exit code.',
  },
  'cli:repair-only-when-told': {
    source: 'reliability-security 1',
    behavior: 'Repair shows what it would do and acts only with --yes.',
  },
  'cli:approve-exact-arguments': {
    source: 'design 5',
    behavior: 'A person approves exactly the arguments that were shown, with name, time and reason in the record.',
  },
  'cli:offline': {
    source: 'design 7 (offline)',
    behavior: 'Explain, replay and verify work on a copied data directory with no agent running, and write nothing.',
  },
} as const satisfies Requirements;
