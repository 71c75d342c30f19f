import type { Requirements } from './requirement.ts';

export const cliRequirements = {
  'design 6': {
    'cli:exit-code-tells-outcome':
      'The exit code of a run tells how its Tasks ended; a refusal is an outcome and not an error.',
    'cli:watch-beside-work':
      'While a run is under way, decisions, cancellations and edited Tasks of changed manifests are taken up; an edited Task is new work.',
    'cli:says-who-answers': 'Whether a script or Claude answers is said plainly, with the reason.',
    'cli:nothing-canned': 'What the example replies comes from its data: other data, another reply.',
  },
  'design 5': {
    'cli:auditor-beside-agent':
      'An agent on this machine has an auditor beside it, in its own process and directory, unless told otherwise; it tells its findings and ends with the command, however that ends.',
    'cli:exit-codes-as-told': 'Every page and every help names the exit codes that the programs have.',
    'cli:acknowledge-at-work':
      'A person acknowledges a gap by its place while the auditor is at work, here and on a cluster; a place that is none is named as such and nothing is recorded.',
    'cli:not-run-again': 'A Task that ended is told from the record and not run again.',
    'cli:replay-byte-equal':
      'Recorded answers fed to the deciders give byte-equal decisions; with one answer altered the first divergence is named.',
    'cli:replay-changed-character': 'Under a changed CharacterSpec the gate decisions that would differ are shown.',
    'cli:approve-exact-arguments':
      'A person approves exactly the arguments that were shown, with name, time and reason in the record.',
  },
  'springdrift 3 (sensorium); artoo C (context, sensorium)': {
    'cli:state-as-told':
      'what the record tells a person of the agent itself is what its next cycle is told, line by line; read beside the agent or from a copy, and again whenever it changes',
  },
  'artoo C; design 7': {
    'cli:memory-told':
      'retainer memory lists, finds and traces what an agent remembers; a change is left for the agent, and an unknown id is named with exit code 1',
  },
  'reliability-security 4': {
    'cli:files-told':
      'The files of the workspace are listed and traced with whom the agent believes and why; a person trusts exactly the bytes that stand there, in the record.',
    'cli:awaits-nobody':
      'With nobody at a terminal, a run that waits for a person ends with the command to type, and goes on with the decision at the next start; at a terminal it asks there.',
  },
  'design 3': {
    'cli:same-manifest-errors':
      'Every fault of every manifest is told at once, with file, line, field path, what was found and what is allowed.',
    'cli:dependencies-first':
      'A Task starts when those it depends on ended as it wants, the higher priority first, never more at once than the Agent allows.',
  },
  'platforms 2': {
    'cli:references-resolved':
      'A reference to an object that is not among the manifests is an error that names what there is.',
  },
  'design 1': {
    'cli:none-left-out': 'Every Task of the manifests has a result at the end; one that cannot start says why.',
    'cli:says-what-has-no-effect': 'A field that is set and has no effect yet is named, with what happens instead.',
    'cli:explain-every-decision':
      'The story of a run names every gate verdict with its rule, every call with its numbers, every criterion with its evidence.',
    'cli:cost-by-role-and-purpose':
      'The cost of a run is told by role and by purpose, tokens and money, with the cached share and what other models would have cost; the parts add up to the whole.',
  },
  'reliability-security 1': {
    'cli:ends-after-an-error':
      'After an error in its work a run closes its record, releases the lock and ends with that error.',
    'cli:one-writer':
      'A second process on the same data directory is turned away with a clear message and exit code 75.',
    'cli:verify-locates-damage': 'One flipped byte of the record is found and located by file, line and sequence.',
    'cli:repair-only-when-told': 'Repair shows what it would do and acts only with --yes.',
  },
  'platforms 5': {
    'cli:refusal-by-rule':
      'A refused Task ends Refused with the rule of the character and a way to appeal; without the rule it is not refused.',
  },
  'springdrift 3 (report what was dropped), 5; design 1': {
    'cli:explain-memory':
      'The story of a run names each memory that was recalled with its id, score, signals and matched words, and what a cycle was told of the agent itself and what did not fit.',
  },
  'artoo A.9': {
    'cli:explain-rounds':
      'The story of a run ends with its rounds: each with its loss terms, gradient, cell, directive, what was blocked and what changed.',
  },
  'design 7 (questions)': {
    'cli:answer-question': 'A person answers exactly the question that is open, with name and moment in the record.',
  },
  'design 5; artoo A.9': {
    'cli:replay-changed-control':
      'Under changed settings of the control loop each recorded round is steered anew and the differences are shown; a wrong setting names what there is.',
  },
  'reliability-security 1, 7': {
    'cli:damage-has-its-words': 'Each part of the record that is taken away is told by its own words and exit code.',
  },
  'design 7 (offline)': {
    'cli:offline':
      'Explain, replay and verify work on a copied data directory with no agent running, and write nothing.',
  },
} as const satisfies Requirements;
