/**
 * Of the list of mutants: what was mended after small models with open weights had been seen to answer. Where an answer was recorded,
 * `test/unit/recorded-answers.test.ts` plays it.
 */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const infer = 'agent-pod/src/infer';
const mind = 'packages/mind/src';
const recorded = ['test/unit/recorded-answers.test.ts'];
const structured = [
  `${infer}/structured.test.ts`,
  `${infer}/own-words.test.ts`,
  `${infer}/parse-xml.test.ts`,
  `${infer}/reading.test.ts`,
];
const consistency = [
  `${mind}/run/self-consistency.test.ts`,
  `${mind}/run/verdict/agreement.test.ts`,
  `${mind}/run/admit/run-spec.test.ts`,
];

const answers = [
  ...of(`${mind}/request/answer-gaps.ts`, structured, {
    'weak models: the words of the question are no answer': ['text.length >= COPIED_CHARACTERS_MIN &&', 'false &&'],
  }),
  ...of(`${mind}/request/answer-gaps.ts`, recorded, {
    'weak models: a gap left open is no answer': ['return isGap(value) ? OPEN : undefined;', 'return undefined;'],
    'weak models: no word stands for yes or no': ["holds: (value) => typeof value === 'boolean'", 'holds: () => true'],
  }),
  ...of(`${infer}/mend-xml.ts`, recorded, {
    'weak models: of several answers the first is meant': [
      'isOneOfSeveral ? firstOf(body, root, notes) : body',
      'body',
    ],
    'weak models: yes is true': ["['yes', 'true'],", ''],
  }),
  ...of(`${infer}/mend-xml.ts`, [...structured, ...recorded], {
    'weak models: an unasked element goes': [
      'order.includes(opening.name) ? this.#child(opening) : this.#unasked(opening, order)',
      'this.#child(opening)',
    ],
    'weak models: an unasked attribute goes': [
      'if (asked.includes(name) || name === NAMESPACE) return',
      'if (true) return',
    ],
    'weak models: what was asked for within it stays': ['if (inner !== undefined) return inner.found;', ''],
  }),
  ...of(`${infer}/structured.ts`, structured, {
    'weak models: a model sees its own answer again': [
      'if (gapped !== undefined && gapped.gaps.length > 0) return withGaps(answer, isInJson, gapped);',
      '',
    ],
  }),
  ...of(`${mind}/assemble/shown-ids.ts`, [...recorded, `${mind}/run/verdict/judge-attempt.test.ts`], {
    'weak models: a line that cites a call names it': ['(?:tool-call', '(?:tool call'],
  }),
  ...of(`${mind}/assemble/shown-ids.ts`, [`${mind}/assemble/shown-ids.test.ts`], {
    'weak models: a name further on cites nothing': [String.raw`/^\s*(?:`, '/(?:'],
  }),
  ...of(`${infer}/anthropic-request.ts`, [`${infer}/anthropic-request.test.ts`], {
    'weak models: a call can be held to': [
      "if (callsTool === true && !takesChoiceNone(model)) return { tool_choice: { type: 'any' } };",
      '',
    ],
    'weak models: tools stand where they are kept': ['system: system.filter((it) => !it.varies),', ''],
  }),
  ...of(`${mind}/cycle/shared-request.ts`, [`${mind}/cycle/shared-request.test.ts`], {
    'weak models: the Task itself is told': ['knownModel(model) === undefined && ', 'false && '],
    'weak models: but no long one': [' && shared.task.length <= REPEATED_CHARACTERS_MAX', ''],
  }),
  ...of(`${mind}/request/answers/attempt-verdicts.ts`, recorded, {
    'weak models: the line of a call is no fault': ['const CITED_CHARACTERS = 4096;', 'const CITED_CHARACTERS = 128;'],
  }),
];

const people = [
  ...of(`${mind}/run/roles/perceiver.ts`, [...recorded, `${mind}/run/people-words.test.ts`], {
    'weak models: the perceiver names nothing that nobody named': ['isTold(intent) && ', ''],
    'weak models: the perceiver keeps to the message': [' && isAbout(intent, taskOf(state).intent)', ''],
  }),
  ...of(`${mind}/run/roles/perceiver.ts`, [`${mind}/run/people-words.test.ts`], {
    'weak models: nor does it take it for granted': ['assumptions.filter(isTold)', 'assumptions'],
    'weak models: without a perceiver the words are the task': [
      "if (isUseless(end.reason)) return roleContext.send('TaskSpec', inOwnWords(roleContext.state), reference);",
      '',
    ],
  }),
  ...of(`${mind}/run/roles/planner.ts`, [`${mind}/run/people-words.test.ts`], {
    'weak models: without a planner the task is one step': [
      'if (cause.round === 1 && isUseless(end.reason)) {',
      'if (false) {',
    ],
  }),
  ...of(`${mind}/run/role-context.ts`, [`${mind}/run/role-context.test.ts`], {
    'weak models: who called nothing is held to a call': ['hasCalledNothing && !takesChoiceNone(part.model)', 'false'],
    'weak models: a provider trains its models to call': [
      'hasCalledNothing && !takesChoiceNone(part.model)',
      'hasCalledNothing',
    ],
    'weak models: a role sees no tools that it may not call': [
      'takesChoiceNone(model) ? parts.flatMap((it) => it.tools) : []',
      'parts.flatMap((it) => it.tools)',
    ],
  }),
];

const waits = [
  ...of(`${mind}/cycle/pace.ts`, [`${mind}/cycle/pace.test.ts`], {
    'weak models: a wait follows the measured speed': ['Math.max(firstMs, Math.min(expectedMs, mostMs))', 'firstMs'],
    'weak models: no wait is without end': ['Math.min(expectedMs, mostMs)', 'expectedMs'],
    'weak models: what took several tries tells no speed': ['attempts > 1 || work === 0', 'work === 0'],
  }),
  ...of(`${mind}/run/report.ts`, [`${mind}/run/run.test.ts`, `${mind}/run/last-words.test.ts`], {
    'weak models: the report has the time that the model needs': [
      'return { turns: 1, wallClockMs: limitMs, modelTimeoutMs: limitMs };',
      'return { turns: 1, wallClockMs: 20_000, modelTimeoutMs: 20_000 };',
    ],
  }),
  ...of(`${mind}/run/fall-back.ts`, [`${mind}/run/fall-back.test.ts`], {
    'weak models: gates wait as long as their models need': ['timeoutMs: gateWaitMs(state, gates)', 'timeoutMs'],
  }),
];

const circles = [
  ...of(`${mind}/run/circles.ts`, [`${mind}/run/circles.test.ts`], {
    'weak models: a repetition changes the temperature': [
      'const varied = TEMPERATURES[Math.min(circles, TEMPERATURES.length) - 1];',
      'const varied = undefined;',
    ],
    'weak models: what an Agent sets stays': ['temperature !== undefined || ', ''],
    'weak models: the same again is a circle, too': [' || bringsNothingNew(result, results.slice(0, at))', ''],
  }),
  ...of(`${mind}/cycle/end-fault.ts`, [`${mind}/run/circles.test.ts`, `${mind}/run/people-words.test.ts`], {
    'weak models: repeating a call is its own mistake': ['return reason.startsWith(REPEATED) || ', 'return '],
    'weak models: tools without end are of no use': [' || isStuck(reason);', ';'],
  }),
];

const twice = [
  ...of(`${mind}/run/admit/self-consistency.ts`, consistency, {
    'weak models: a model that nobody knows is doubted': ['&& knownModel(model) === undefined', '&& false'],
  }),
  ...of(`${mind}/run/self-consistency.ts`, consistency, {
    'weak models: what is doubted is worked out again': ['|| !isDoubted(state, result)) return', '|| true) return'],
    'weak models: who looked at a result confirms nothing': [
      '|| hasLooked(state, result, known)) return undefined;',
      ') return undefined;',
    ],
    'weak models: effects outside are never made twice': [
      'known.factsOf(call.tool).effectClass < OUTSIDE_CLASS &&',
      '',
    ],
    'weak models: nobody is asked twice': ['if ((state.asked.get(cycleId)?.requests ?? 0) > 0) return false;', ''],
  }),
  ...of(`${mind}/run/verdict/agreement.ts`, consistency, {
    'weak models: two results that differ confirm nothing': [
      'if (results.some((it) => open.has(it))) return false;',
      '',
    ],
    'weak models: two files that differ confirm nothing': ['areSameFiles(own, other, surroundings) && ', ''],
  }),
];

const once = [
  ...of('contract/src/std/said-once.ts', ['contract/src/std/said-once.test.ts', 'test/unit/said-once.test.ts'], {
    'weak models: a summary says a thing once': ['if (isSaid(part)) return THE_SAME;', ''],
  }),
  ...of(`${mind}/explain/spending.ts`, [`${mind}/explain/spending.test.ts`], {
    'weak models: one model is compared with no other': ['if (models.length < 2) return [];', ''],
  }),
];

export const weakModelMutants = [...answers, ...people, ...waits, ...circles, ...twice, ...once];
