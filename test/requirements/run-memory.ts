import type { Requirements } from './requirement.ts';

export const runMemoryRequirements = {
  'artoo D, A.10': {
    'memory:success-is-repeated':
      'after one accepted run, the planner of a second one with the same intent is told the tool and the argument that won',
  },
  'reliability-security 4 (ASI06, memory poisoning)': {
    'memory:keeps-label':
      'no word of a run that had read untrusted text reaches a later planner through memory; of what it taught, only the direction remains',
  },
  'artoo A.10 (PolicyBlock)': {
    'memory:ask-first': 'after a refusal by policy, the next planner is told to ask a person first',
  },
  'artoo A.11 (MUST NOT)': {
    'memory:failure-is-avoided': 'after an abandoned run, the next planner must not repeat what led to it',
  },
  'artoo A.16, A.3': {
    'memory:session':
      'the perceiver is told the five newest runs of the agent, with how each ended, and what is known of the user; a restart loses none of it',
  },
  'artoo A.16; reliability-security 4': {
    'memory:session-as-data':
      'of an earlier run that had read untrusted text prompts hold its outcome, its tools and the words of its Task; what was said in it is read by a tool, between marks, with its label on all that follows, until a person endorses it',
  },
  'springdrift 4, 5; artoo C': {
    'memory:case-learns':
      'what a run that was given up teaches reaches a run of other words by its meaning: it is told the lesson, cites and follows it, and goes there again once a person has forgotten the case; an unrelated run is told nothing',
  },
  'springdrift 3, 4': {
    'memory:continuity':
      'what was learnt in one run is in the prompt of a later one that it is for, after restarts and however old, and the start of its cycle records why',
  },
  'springdrift 7': {
    'self:record-row-by-row':
      'what the agent says of its last cycles, runs, tools, patterns and affect equals its record, row by row',
    'self:up-to-the-call': 'a running cycle is shown up to, not including, the call that asks',
    'self:patterns':
      'the five patterns are found by their thresholds, and told with their runs and how many were looked at',
    'self:changes-nothing': 'asking for itself writes nothing but the call, and only the Observer may ask',
  },
  'reliability-security 4': {
    'self:labels': 'what an agent is told of itself carries the joined label of all that it shows',
  },
  'springdrift 6': {
    'self:unknown-id': 'an unknown id is named in the error of the tool',
  },
  'artoo A.10 (executors never query memory), C; springdrift 6 (memory tools)': {
    'memory:asked-by-few':
      'tools that read memory are in the hands of the Executor and the Observer, and of a worker whose Agent says so; whoever plans or judges has none, and no search shows a lesson',
  },
  'artoo C; reliability-security 4': {
    'memory:recall-tool':
      'a tool finds runs, cases, facts, threads and kept outputs about a question, one line each, with the worst label of what it shows',
  },
  'artoo A.11, A.17': {
    'memory:recall-is-recorded':
      'a rule that was recalled for a plan fades from that moment, by an event of the record',
  },
  'artoo C, A.11': {
    'memory:one-writer':
      'a kind of record that the table of writers does not name for its writer is a type error and is refused; nothing of the same call is written',
  },
  'springdrift 4 (facts)': {
    'memory:bad-fact':
      'a fact with a confidence outside 0 to 1, a value that is too long, or an unknown scope, derivation or field is an error that names the field, and nothing is written',
    'memory:fact-scopes': 'a fact of a run or a cycle is shown to that run or cycle only',
  },
  'springdrift 17 (M1), 4; artoo C': {
    'memory:facts-decay':
      'the confidence of a fact halves at each half-life, when it is read; the stored number never changes',
  },
  'springdrift 4 (synthesis guard)': {
    'memory:synthesis-guard':
      'a fact that cites nothing which a call of its cycle read is unknown, and at most as sure as its contrary; what memory says is no evidence',
  },
  'springdrift 4 (fact conflicts: a stale 0.9 beats a fresh 0.8)': {
    'memory:newest-holds':
      'the newest value of a key holds, unless nobody saw it and the older one is surer after decay; what a person said holds until a person says otherwise',
  },
  'artoo A.11 (credit by the memories that a plan names)': {
    'memory:shown-is-not-cited':
      'what memory recalls is shown to whoever works: the planner, or the worker of a single step; a plan names the lines that it follows, its workers see these, and only these can be blamed',
  },
  'artoo C (commands of people, recorded); springdrift 4 (facts)': {
    'memory:person-changes':
      'a person tells, corrects, forgets and endorses facts, lessons and runs by commands with who and why; each holds after a restart',
  },
  'springdrift 17; design 5': {
    'memory:change-once':
      'a command of a person changes memory once, wherever the process dies, and again when it is given again',
  },
  'libraries 3; springdrift 5': {
    'memory:search':
      'a person finds what the agent remembers by words and by meaning, the best first, each with its score and why; what is neither named nor meant is left out',
  },
  'springdrift 4 (affect)': {
    'memory:affect-told': 'a person is told the newest measurements of how the agent was, with the signals of each',
  },
  'artoo A.11 (lessons with tags and category; what a user declares is a rule at once)': {
    'memory:lessons':
      'a person teaches a lesson with two to five tags: every plan is told it, a constraint binds, and those whose tags the Task names come first',
  },
  'springdrift 4 (threading score), 17 (M2)': {
    'memory:threads':
      'a run joins the thread with which it shares most, 3 for a place, 2 for the domain, 1 for a keyword, from 4 on; what a thread attracts halves with each month that it lies idle',
  },
  'reliability-security 4 (memory poisoning)': {
    'memory:threads-labelled':
      'the name of a thread has the label of the run that began it, and all that it is known by the label of all its runs',
  },
  'springdrift 4 (cases)': {
    'memory:cases': 'the category of a case follows from its outcome by rule; only a person takes a case out of use',
  },
  'springdrift 4 (metrics and delegations from telemetry, not from a model)': {
    'memory:entry-is-telemetry':
      'the entry of a run is what code counted; what is thought of it comes after, under the label of all that the run had read; entries of version 1 are read with their words',
  },
  'springdrift 4 (artifacts); design 7': {
    'memory:artifacts':
      'a kept output tells its tool, run, cycle, page and first words, with the label of the output; the newest are indexed, and older ones are read when somebody asks',
  },
  'design 5': {
    'memory:archive-replays': 'the archiving of a run is decided again from its record, to the same bytes',
  },
  'springdrift 4 (after the reply); design 5': {
    'memory:archive-holds-up-nothing':
      'a run is delivered and closed before any model is asked what to remember of it; runs are archived one after the other, and new runs wait for none of it',
  },
  'springdrift 4 (deterministic entry)': {
    'memory:archive-falls-back':
      'where the model of the Archivist fails, is silent, answers without the form or may not be paid, a run is remembered as code has it, and the record says why',
  },
  'springdrift 4 (the list of calls is believed)': {
    'memory:claims-beyond-calls':
      'a sentence that names a tool, a file or an address that no call of the run shows is left out of what is remembered, and the entry says so',
  },
  'springdrift 4 (cycle nodes)': {
    'memory:cycle-nodes':
      'a run is a tree of its cycles with calls, gates and outcomes; totals are sums over all answers, what runs is Pending, and midnight divides nothing',
  },
  'springdrift 4 (lessons of the Archivist); design 5': {
    'memory:archived-once':
      'an ended run has one entry, one thread and one case at most, the same wherever the process dies',
  },
} as const satisfies Requirements;
