import type { Requirements } from './requirement.ts';

export const runMemoryRequirements = {
  'memory:success-is-repeated': {
    source: 'artoo D, A.10',
    behavior:
      'after one accepted run, the planner of a second one with the same intent is told the tool and the argument that won',
  },
  'memory:keeps-label': {
    source: 'reliability-security 4 (ASI06, memory poisoning)',
    behavior:
      'no word of a run that had read untrusted text reaches a later planner through memory; of what it taught, only the direction remains',
  },
  'memory:ask-first': {
    source: 'artoo A.10 (PolicyBlock)',
    behavior: 'after a refusal by policy, the next planner is told to ask a person first',
  },
  'memory:failure-is-avoided': {
    source: 'artoo A.11 (MUST NOT)',
    behavior: 'after an abandoned run, the next planner must not repeat what led to it',
  },
  'memory:session': {
    source: 'artoo A.16, A.3',
    behavior:
      'the perceiver is told the five newest runs of the agent, with how each ended, and what is known of the user; a restart loses none of it',
  },
  'memory:session-as-data': {
    source: 'artoo A.16; reliability-security 4',
    behavior:
      'of an earlier run that had read untrusted text prompts hold its outcome, its tools and the words of its Task; what was said in it is read by a tool, between marks, with its label on all that follows, until a person endorses it',
  },
  'memory:case-learns': {
    source: 'springdrift 4, 5; artoo C',
    behavior:
      'what a run that was given up teaches reaches a run of other words by its meaning: it is told the lesson, cites and follows it, and goes there again once a person has forgotten the case; an unrelated run is told nothing',
  },
  'memory:continuity': {
    source: 'springdrift 3, 4',
    behavior:
      'what was learnt in one run is in the prompt of a later one that it is for, after restarts and however old, and the start of its cycle records why',
  },
  'self:record-row-by-row': {
    source: 'springdrift 7',
    behavior: 'what the agent says of its last cycles, runs, tools, patterns and affect equals its record, row by row',
  },
  'self:up-to-the-call': {
    source: 'springdrift 7',
    behavior: 'a running cycle is shown up to, not including, the call that asks',
  },
  'self:labels': {
    source: 'reliability-security 4',
    behavior: 'what an agent is told of itself carries the joined label of all that it shows',
  },
  'self:patterns': {
    source: 'springdrift 7',
    behavior: 'the five patterns are found by their thresholds, and told with their runs and how many were looked at',
  },
  'self:unknown-id': {
    source: 'springdrift 6',
    behavior: 'an unknown id is named in the error of the tool',
  },
  'self:changes-nothing': {
    source: 'springdrift 7',
    behavior: 'asking for itself writes nothing but the call, and only the Observer may ask',
  },
  'memory:asked-by-few': {
    source: 'artoo A.10 (executors never query memory), C; springdrift 6 (memory tools)',
    behavior:
      'tools that read memory are in the hands of the Executor and the Observer, and of a worker whose Agent says so; whoever plans or judges has none, and no search shows a lesson',
  },
  'memory:recall-tool': {
    source: 'artoo C; reliability-security 4',
    behavior:
      'a tool finds runs, cases, facts, threads and kept outputs about a question, one line each, with the worst label of what it shows',
  },
  'memory:recall-is-recorded': {
    source: 'artoo A.11, A.17',
    behavior: 'a rule that was recalled for a plan fades from that moment, by an event of the record',
  },
  'memory:one-writer': {
    source: 'artoo C, A.11',
    behavior:
      'a kind of record that the table of writers does not name for its writer is a type error and is refused; nothing of the same call is written',
  },
  'memory:bad-fact': {
    source: 'springdrift 4 (facts)',
    behavior:
      'a fact with a confidence outside 0 to 1, a value that is too long, or an unknown scope, derivation or field is an error that names the field, and nothing is written',
  },
  'memory:facts-decay': {
    source: 'springdrift 17 (M1), 4; artoo C',
    behavior: 'the confidence of a fact halves at each half-life, when it is read; the stored number never changes',
  },
  'memory:synthesis-guard': {
    source: 'springdrift 4 (synthesis guard)',
    behavior:
      'a fact that cites nothing which a call of its cycle read is unknown, and at most as sure as its contrary; what memory says is no evidence',
  },
  'memory:newest-holds': {
    source: 'springdrift 4 (fact conflicts: a stale 0.9 beats a fresh 0.8)',
    behavior:
      'the newest value of a key holds, unless nobody saw it and the older one is surer after decay; what a person said holds until a person says otherwise',
  },
  'memory:fact-scopes': {
    source: 'springdrift 4 (facts)',
    behavior: 'a fact of a run or a cycle is shown to that run or cycle only',
  },
  'memory:shown-is-not-cited': {
    source: 'artoo A.11 (credit by the memories that a plan names)',
    behavior:
      'what memory recalls is shown to whoever works: the planner, or the worker of a single step; a plan names the lines that it follows, its workers see these, and only these can be blamed',
  },
  'memory:person-changes': {
    source: 'artoo C (commands of people, recorded); springdrift 4 (facts)',
    behavior:
      'a person tells, corrects, forgets and endorses facts, lessons and runs by commands with who and why; each holds after a restart',
  },
  'memory:change-once': {
    source: 'springdrift 17; design 5',
    behavior: 'a command of a person changes memory once, wherever the process dies, and again when it is given again',
  },
  'memory:search': {
    source: 'libraries 3; springdrift 5',
    behavior:
      'a person finds what the agent remembers by words and by meaning, the best first, each with its score and why; what is neither named nor meant is left out',
  },
  'memory:affect-told': {
    source: 'springdrift 4 (affect)',
    behavior: 'a person is told the newest measurements of how the agent was, with the signals of each',
  },
  'memory:lessons': {
    source: 'artoo A.11 (lessons with tags and category; what a user declares is a rule at once)',
    behavior:
      'a person teaches a lesson with two to five tags: every plan is told it, a constraint binds, and those whose tags the Task names come first',
  },
  'memory:threads': {
    source: 'springdrift 4 (threading score), 17 (M2)',
    behavior:
      'a run joins the thread with which it shares most, 3 for a place, 2 for the domain, 1 for a keyword, from 4 on; what a thread attracts halves with each month that it lies idle',
  },
  'memory:threads-labelled': {
    source: 'reliability-security 4 (memory poisoning)',
    behavior:
      'the name of a thread has the label of the run that began it, and all that it is known by the label of all its runs',
  },
  'memory:cases': {
    source: 'springdrift 4 (cases)',
    behavior: 'the category of a case follows from its outcome by rule; only a person takes a case out of use',
  },
  'memory:entry-is-telemetry': {
    source: 'springdrift 4 (metrics and delegations from telemetry, not from a model)',
    behavior:
      'the entry of a run is what code counted; what is thought of it comes after, under the label of all that the run had read; entries of version 1 are read with their words',
  },
  'memory:artifacts': {
    source: 'springdrift 4 (artifacts); design 7',
    behavior:
      'a kept output tells its tool, run, cycle, page and first words, with the label of the output; the newest are indexed, and older ones are read when somebody asks',
  },
  'memory:archive-replays': {
    source: 'design 5',
    behavior: 'the archiving of a run is decided again from its record, to the same bytes',
  },
  'memory:archive-holds-up-nothing': {
    source: 'springdrift 4 (after the reply); design 5',
    behavior:
      'a run is delivered and closed before any model is asked what to remember of it; runs are archived one after the other, and new runs wait for none of it',
  },
  'memory:archive-falls-back': {
    source: 'springdrift 4 (deterministic entry)',
    behavior:
      'where the model of the Archivist fails, is silent, answers without the form or may not be paid, a run is remembered as code has it, and the record says why',
  },
  'memory:claims-beyond-calls': {
    source: 'springdrift 4 (the list of calls is believed)',
    behavior:
      'a sentence that names a tool, a file or an address that no call of the run shows is left out of what is remembered, and the entry says so',
  },
  'memory:cycle-nodes': {
    source: 'springdrift 4 (cycle nodes)',
    behavior:
      'a run is a tree of its cycles with calls, gates and outcomes; totals are sums over all answers, what runs is Pending, and midnight divides nothing',
  },
  'memory:archived-once': {
    source: 'springdrift 4 (lessons of the Archivist); design 5',
    behavior: 'an ended run has one entry, one thread and one case at most, the same wherever the process dies',
  },
} as const satisfies Requirements;
