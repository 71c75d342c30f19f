import type { Requirements } from './requirement.ts';

export const toolsRequirements = {
  'tools:permit-binds-arguments': {
    source: 'reliability-security 7; design 5',
    behavior: 'Nothing runs but the very arguments that were permitted.',
  },
  'tools:gate-asked-again': {
    source: 'springdrift 2; design 5',
    behavior: 'The one chokepoint asks the gate at the time of the call, approvals included.',
  },
  'tools:hanging-tool-never-blocks': {
    source: 'design 5; springdrift 15',
    behavior: 'A tool that hangs is cut off at its time limit, obeys or not.',
  },
  'tools:head-and-tail': {
    source: 'artoo A.5',
    behavior: 'Long output is shown head and tail; the whole is kept as an artifact and can be read in pages.',
  },
  'tools:lookup-after-crash': {
    source: 'design 5',
    behavior: 'After a crash a call is looked up in the world and never silently repeated.',
  },
  'tools:fetch-off-by-default': {
    source: 'design 3; reliability-security 5',
    behavior: 'Nothing is fetched unless it was enabled.',
  },
  'tools:arguments-validated': {
    source: 'aesthetics 3',
    behavior: 'Wrong arguments are answered with the field, what was found and what is allowed.',
  },
  'tools:workspace-confined': {
    source: 'springdrift 15; reliability-security 7',
    behavior: 'No file tool reads or writes outside the workspace, whatever paths or links say.',
  },
  'tools:no-sandbox-no-code': {
    source: 'design 4 (sandbox)',
    behavior: 'Where nothing isolates, code tools refuse with the hint how to change that.',
  },
  'tools:files-written-listed': {
    source: 'artoo A.5',
    behavior: 'The files that a script wrote are listed with their size and hash.',
  },
  'tools:search-bounded': {
    source: 'aesthetics 3',
    behavior: 'A search is bounded in files, bytes, lines and time, and says where it stopped.',
  },
  'tools:edit-all-or-none': {
    source: 'design 4 (tools)',
    behavior: 'A patch replaces exactly the old texts that it names, all of them, or leaves the file as it was.',
  },
  'tools:edit-nearest': {
    source: 'aesthetics 3',
    behavior:
      'An edit that cannot be made is answered with the number of places, the nearest one and the difference, bounded.',
  },
  'tools:find-bounded': {
    source: 'aesthetics 3',
    behavior: 'Files are found by name or glob, sorted and bounded, and the answer says where it stopped.',
  },
  'tools:fetch-hostile-urls': {
    source: 'reliability-security 5, 7',
    behavior: 'No spelling of an address reaches a machine that is not public.',
  },
  'tools:fetch-checked-address': {
    source: 'reliability-security 5, 7',
    behavior: 'Every address of a name is checked and the connection made to a checked one, at each redirect anew.',
  },
  'tools:fetch-capped': {
    source: 'reliability-security 5',
    behavior: 'Size, compression, redirects and type of what is fetched are limited.',
  },
  'tools:fetch-visible-text': {
    source: 'reliability-security 5',
    behavior: 'A page is shown without what is hidden on it, and with a note of what was removed.',
  },
  'parts:two-folders': {
    source: 'aesthetics 3; design 4',
    behavior:
      'A feature is one folder of thinking, one of effects, and a line in each list: store, command, tool, component, what a cycle is told, story, metric and manifest field follow.',
  },
  'tools:one-descriptor': {
    source: 'design 4 (tools)',
    behavior: 'A tool is one descriptor: gate, cycle, chokepoint, validator and story know nothing else of it.',
  },
  'tools:undeclared-is-worst': {
    source: 'reliability-security 4; springdrift 2',
    behavior: 'What a descriptor does not declare counts as the worst case, and so does a tool that nobody knows.',
  },
} as const satisfies Requirements;
