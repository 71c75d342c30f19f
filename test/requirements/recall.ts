import type { Requirements } from './requirement.ts';

export const recallRequirements = {
  'libraries 3': {
    'recall:vector':
      'the vector of a text is the sum of its words, rare ones first, without its part along the common direction, and of length 1',
    'recall:damaged-table': 'a damaged table of words is refused with the reason, and nothing is compared with it',
    'recall:other-languages':
      'a text of another language has no vector and is compared by words: at most one of a hundred unrelated pairs in eight languages are neighbours',
    'recall:paraphrase':
      'most paraphrases that share no word are found, which a comparison of words finds almost never',
    'recall:stems': 'forms of an English word are one term, by Porter 2',
    'recall:neighbours':
      'free text is ranked with the records beside it and with its run or thread, and handed over with its neighbours',
    'recall:words-first':
      'words count as far as the best record covers the query, meaning beyond that, and words alone without vectors',
    'recall:words-only': 'a recall that was by words alone although vectors were wanted says why in the record',
  },
  'libraries 3; springdrift 5': {
    'recall:cases':
      'cases are ranked by the weights of a preset; the published figures of its index and field signals are reproduced to three digits',
  },
  'springdrift 5': {
    'recall:signals': 'every signal and the matched terms are part of an answer, so that a replay needs no index',
    'recall:live':
      'what is searched is made at the first question that memory may know something about, and follows every record after that',
    'recall:bench':
      'the ranking is measured on data of the user, with intervals, and data that cannot be read are refused with file and line',
  },
  'springdrift 5, 17': {
    'recall:utility': 'the utility of a case is one half before it is used, and (successes + 1) / (uses + 2) after',
  },
  'artoo C; springdrift 3': {
    'recall:case-lines':
      'a recalled case is one line, which a plan can name: pitfalls after what binds, other cases last; what experience advises against is told as a pitfall',
  },
  'reliability-security 4': {
    'recall:case-trust':
      'of a run that had read a stranger’s text a case tells the words of its Task, the names of tools and figures; a person’s endorsement makes it tell all',
  },
  'artoo C': {
    'recall:experience':
      'the score of a case is multiplied by 1 + 0.25·tanh of the decision on the intent of its run; a case of which the Task is no neighbour of the asked one is not told',
  },
  'springdrift 5 (usage of cases); artoo A.11 (credit by the memories that a plan names)': {
    'recall:credit':
      'a run credits once each case that it was shown: a success where its plan followed it and all was accepted; what was not shown, and runs that a person, a policy or a machine ended, count for nothing',
  },
  'springdrift 3, 4': {
    'recall:facts':
      'facts for a Task are those that have to do with it, by words or meaning, the surer ones first; one of day 1 answers on day 400, and none of a stranger stands in a prompt',
  },
  'libraries 3; design 3': {
    'recall:http':
      'vectors of a server are asked for once by model and kept; a question waits 250 ms for them at most, and a server that is away is said once',
  },
  'design 3': {
    'recall:settings': 'the Agent says how many cases are recalled at most, from which score on, and by which weights',
  },
  'design 3; springdrift 14': {
    'recall:window':
      'runs and artifacts are searched over windowDays, older ones when they are asked for; facts, cases and threads for life',
  },
} as const satisfies Requirements;
