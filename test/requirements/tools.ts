import type { Requirements } from './requirement.ts';

export const toolsRequirements = {
  'aesthetics 3; design 4': {
    'parts:two-folders':
      'A feature is one folder of thinking, one of effects, and a line in each list: store, command, tool, component, what a cycle is told, story, metric and manifest field follow.',
  },
  'reliability-security 7; design 5': {
    'tools:permit-binds-arguments': 'Nothing runs but the very arguments that were permitted.',
  },
  'springdrift 2; design 5': {
    'tools:gate-asked-again': 'The one chokepoint asks the gate at the time of the call, approvals included.',
  },
  'design 5; springdrift 15': {
    'tools:hanging-tool-never-blocks': 'A tool that hangs is cut off at its time limit, obeys or not.',
  },
  'artoo A.5': {
    'tools:head-and-tail':
      'Long output is shown head and tail; the whole is kept as an artifact and can be read in pages.',
    'tools:files-written-listed': 'The files that a script wrote are listed with their size and hash.',
  },
  'design 5': {
    'tools:lookup-after-crash': 'After a crash a call is looked up in the world and never silently repeated.',
  },
  'design 3; reliability-security 5': {
    'tools:fetch-off-by-default': 'Nothing is fetched unless it was enabled.',
  },
  'aesthetics 3': {
    'tools:arguments-validated': 'Wrong arguments are answered with the field, what was found and what is allowed.',
    'tools:search-bounded': 'A search is bounded in files, bytes, lines and time, and says where it stopped.',
    'tools:edit-nearest':
      'An edit that cannot be made is answered with the number of places, the nearest one and the difference, bounded.',
    'tools:find-bounded': 'Files are found by name or glob, sorted and bounded, and the answer says where it stopped.',
  },
  'springdrift 15; reliability-security 7': {
    'tools:workspace-confined': 'No file tool reads or writes outside the workspace, whatever paths or links say.',
  },
  'design 4 (sandbox)': {
    'tools:no-sandbox-no-code': 'Where nothing isolates, code tools refuse with the hint how to change that.',
  },
  'design 4 (tools)': {
    'tools:edit-all-or-none':
      'A patch replaces exactly the old texts that it names, all of them, or leaves the file as it was.',
    'tools:one-descriptor':
      'A tool is one descriptor: gate, cycle, chokepoint, validator and story know nothing else of it.',
  },
  'reliability-security 5, 7': {
    'tools:fetch-hostile-urls': 'No spelling of an address reaches a machine that is not public.',
    'tools:fetch-checked-address':
      'Every address of a name is checked and the connection made to a checked one, at each redirect anew.',
  },
  'reliability-security 5': {
    'tools:fetch-capped': 'Size, compression, redirects and type of what is fetched are limited.',
    'tools:fetch-visible-text': 'A page is shown without what is hidden on it, and with a note of what was removed.',
  },
  'reliability-security 4; springdrift 2': {
    'tools:undeclared-is-worst':
      'What a descriptor does not declare counts as the worst case, and so does a tool that nobody knows.',
  },
} as const satisfies Requirements;
