/**
 * Of the list of mutants: who may read what, and rules that no attack of `bench/worst-case.ts` shows. No attack is planned again, so none meets the block of
 * tools that a later plan adds; held outputs and a character's own rules over texts refuse words and no effect.
 */
import { mutantsOfFile } from './mutants-of-file.mjs';

const gate = 'packages/mind/src/gate';
const run = 'packages/mind/src/run';
const cycle = 'packages/mind/src/cycle';

const planTests = ['test/unit/run-provenance.test.ts', `${gate}/blocked-call.test.ts`];
const heldTests = ['test/unit/mind/scored.test.ts', 'agent-pod/src/loop/oversight.test.ts'];
const ruleTests = [`${gate}/compile-gate.test.ts`, `${gate}/chain/text-chain.test.ts`];

const laterPlans = [
  ...mutantsOfFile(`${gate}/blocked-call.ts`, planTests, {
    'gate, later plans: an added tool is blocked': [
      'if (blocked.unplanned?.includes(tool) === true)',
      'if (blocked.unplanned?.includes(tool) === undefined)',
    ],
  }),
  ...mutantsOfFile(`${run}/dispatch/frozen-plan.ts`, planTests, {
    'gate, later plans: none before an untrusted reading': ['if (handedOn(state) === undefined) return [];', ''],
    'gate, later plans: what the first plan names is free': [
      'outward.filter((tool) => !planned.has(toolName(tool)))',
      'outward',
    ],
    'gate, later plans: what it does not name is not': [
      'outward.filter((tool) => !planned.has(toolName(tool)))',
      'outward.filter((tool) => planned.has(toolName(tool)))',
    ],
    'gate, later plans: only ways outside are held': [
      'state.spec.roles.Executor.tools.filter((tool) => known.factsOf(tool).reachesOutside)',
      'state.spec.roles.Executor.tools.filter((tool) => known.factsOf(tool).name !== "")',
    ],
    'gate, later plans: a plan that names nothing holds nothing': ['if (planned.size === 0) return [];', ''],
    'gate, later plans: a plan after an untrusted reading is not the first': ['spec.handedOn === undefined && ', ''],
    'gate, later plans: a plan of a later round is not the first': ['purpose.round === 1 && ', ''],
    'gate, later plans: a background may be a stranger’s': ['background !== remembered || ', ''],
  }),
  ...mutantsOfFile(`${run}/roles/planner.ts`, planTests, {
    'gate, later plans: the cycles of a later plan are told': [
      '...(unplanned.length === 0 ? {} : { unplanned }),',
      '...(unplanned.length >= 0 ? {} : { unplanned }),',
    ],
  }),
  ...mutantsOfFile(`${cycle}/decide-calls.ts`, [...planTests, `${cycle}/decide.test.ts`], {
    'gate, later plans: a cycle makes no blocked call': [
      'const blocked = blockedReason(spec.blocked, config.catalog.known.factsOf(call.tool), call.input);',
      'const blocked = blockedReason(undefined, config.catalog.known.factsOf(call.tool), call.input);',
    ],
    'gate, later plans: nobody is asked about a blocked call': [
      'const blocked = blockedReason(draft.state.spec.blocked, catalog.known.factsOf(tool), input);',
      'const blocked = blockedReason(undefined, catalog.known.factsOf(tool), input);',
    ],
  }),
  ...mutantsOfFile('agent-pod/src/tools/execute.ts', ['agent-pod/src/tools/execute.test.ts'], {
    'gate, later plans: the chokepoint makes no blocked call': [
      'blockedReason(permit.blocked, call.value.tool.facts, permit.input as Json) ??',
      'blockedReason(undefined, call.value.tool.facts, permit.input as Json) ??',
    ],
  }),
  ...mutantsOfFile(`${gate}/provenance/shown-calls.ts`, [`${gate}/provenance/shown-calls.test.ts`], {
    'gate, later plans: a tool that the first plan does not name asks': [
      'return planned.includes(tool) ? undefined :',
      'return planned.includes(tool) || tool !== "" ? undefined :',
    ],
    'gate, later plans: what such a tool read privately asks, too': ['?? strayRead(read) ?? ', '?? '],
  }),
];

const heldOutputs = [
  ...mutantsOfFile(`${gate}/output-breaker.ts`, heldTests, {
    'gate, held outputs: a held text is not revised': [
      "if (outputsHeld !== true || decided.action.kind !== 'Revise') return decided;",
      'if (outputsHeld !== undefined || decided.action.kind === undefined) return decided;',
    ],
    'gate, held outputs: nothing else is refused': [" || decided.action.kind !== 'Revise'", ''],
    'gate, held outputs: nothing is held before': ['outputsHeld !== true || ', ''],
    'gate, held outputs: three in a row hold': ['OUTPUT_REJECTIONS_MAX = 3', 'OUTPUT_REJECTIONS_MAX = 4'],
    'gate, held outputs: two do not': ['OUTPUT_REJECTIONS_MAX = 3', 'OUTPUT_REJECTIONS_MAX = 2'],
    'gate, held outputs: a rejection counts': ['return before + 1;', 'return before;'],
    'gate, held outputs: a revision ends no series': ["return verdict === 'Accept' ? 0 : before;", 'return 0;'],
    'gate, held outputs: an accepted text ends it': ["return verdict === 'Accept' ? 0 : before;", 'return before;'],
    'gate, held outputs: only outgoing texts count': ["if (gate !== 'Output') return before;", ''],
  }),
  ...mutantsOfFile(`${gate}/verdict-steps.ts`, [...heldTests, `${gate}/verdict-steps.test.ts`], {
    'gate, held outputs: it is a step of each verdict': ['take: holdOutput,', 'take: (decided) => decided,'],
  }),
  ...mutantsOfFile(`${cycle}/inquire.ts`, heldTests, {
    'gate, held outputs: the gate is told': [
      '...(spec.outputsHeld === undefined ? {} : { outputsHeld: spec.outputsHeld }),',
      '',
    ],
  }),
  ...mutantsOfFile('agent-pod/src/loop/oversight.ts', heldTests, {
    'gate, held outputs: each new cycle is told': [
      '...(this.areOutputsHeld ? { outputsHeld: true as const } : {}),',
      '',
    ],
    'gate, held outputs: a person is called': ['if (this.areOutputsHeld && !wereHeld)', 'if (wereHeld)'],
    'gate, held outputs: a restart forgets nothing': [
      'this.#rejectionsInRow = Math.max(this.#rejectionsInRow, OUTPUT_REJECTIONS_MAX);',
      'this.#rejectionsInRow = Math.max(this.#rejectionsInRow, 0);',
    ],
  }),
];

const ownRules = [
  ...mutantsOfFile(`${gate}/compile-gate.ts`, ruleTests, {
    'gate, own rules: those over incoming texts are read': [
      'Input: character.inputRules.map(',
      'Input: character.inputRules.slice(0, 0).map(',
    ],
    'gate, own rules: those over outgoing texts are read': [
      'Output: character.outputRules.map(',
      'Output: character.outputRules.slice(0, 0).map(',
    ],
    'gate, own rules: incoming texts have their own': [
      'Input: character.inputRules.map(',
      'Input: character.outputRules.map(',
    ],
    'gate, own rules: outgoing texts have their own': [
      'Output: character.outputRules.map(',
      'Output: character.inputRules.map(',
    ],
  }),
  ...mutantsOfFile(`${gate}/compile-character.ts`, ruleTests, {
    'gate, own rules: a broken one over incoming texts is told': [
      "inputRules: compileRules('gatePolicies.input.rules', gates.input, errors),",
      "inputRules: compileRules('gatePolicies.input.rules', gates.input, []),",
    ],
    'gate, own rules: a broken one over outgoing texts is told': [
      "outputRules: compileRules('gatePolicies.output.rules', gates.output, errors),",
      "outputRules: compileRules('gatePolicies.output.rules', gates.output, []),",
    ],
  }),
  ...mutantsOfFile(`${gate}/text-rule.ts`, ruleTests, {
    'gate, own rules: one that rejects decides before one that asks': [
      "matched.find(({ verdict }) => verdict === 'Reject') ?? matched[0]",
      'matched[0]',
    ],
    'gate, own rules: autonomous work is refused what a rule asks about': [
      "!(autonomous || (gate === 'Output' && decisive.verdict === 'Reject'))",
      "!(autonomous ? decisive.verdict === 'Reject' : gate === 'Output' && decisive.verdict === 'Reject')",
    ],
    'gate, own rules: a reply is refused a person, too': [
      "!(autonomous || (gate === 'Output' && decisive.verdict === 'Reject'))",
      '!autonomous',
    ],
    'gate, own rules: a person’s own words are only noted': [
      "(gate === 'Output' && decisive.verdict === 'Reject')",
      "decisive.verdict === 'Reject'",
    ],
    'gate, own rules: every spelling is read': [
      'for (const spelling of spellings)',
      'for (const spelling of spellings.slice(0, 1))',
    ],
  }),
  ...mutantsOfFile(`${gate}/verdict-steps.ts`, ruleTests, {
    'gate, own rules: over incoming texts they refuse': [
      'Input: { refusing: [refusedTextPolicy]',
      'Input: { refusing: []',
    ],
    'gate, own rules: over outgoing texts they refuse': [
      'refusing: [replyPolicy, refusedTextPolicy]',
      'refusing: [replyPolicy]',
    ],
  }),
  ...mutantsOfFile(`${gate}/chain/rule-reading.ts`, ruleTests, {
    'gate, own rules: one that matches raises the alarm': [
      'worst([own, ...matched.map(alarmOf), shipped.alarm])',
      'worst([own, shipped.alarm])',
    ],
    'gate, own rules: one that rejects blocks': [
      "return verdict === 'Reject' ? 'Block' : 'Escalate';",
      "return verdict === undefined ? 'Block' : 'Escalate';",
    ],
  }),
];

const readers = [
  ...mutantsOfFile(`${gate}/provenance/readers-policy.ts`, [`${gate}/provenance/readers-policy.test.ts`], {
    'gate: a letter tells no one what is another’s': ['leakOf(call, read, known, isOfAnother) ?? ', ''],
    'gate: a letter tells the owner’s with leave only': [
      'leakOf(call, read, known, () => true)',
      'leakOf(call, undefined, known, () => true)',
    ],
    'gate: a reply is held to its reader': ['principal === OWNER ? [] : items', 'principal !== OWNER ? [] : items'],
  }),
  ...mutantsOfFile('agent-pod/src/tools/readable.ts', ['agent-pod/src/tools/readable.test.ts'], {
    'tools: nothing of another correspondent is shown': [
      'principal === OWNER || label',
      'principal !== OWNER || label',
    ],
    'tools: own affairs are the owner’s': [
      'if (principal === OWNER) return undefined;',
      'if (principal !== "") return undefined;',
    ],
  }),
];

const secondLine = mutantsOfFile(`${gate}/detector/second-line.ts`, [`${gate}/detector/second-line.test.ts`], {
  'gate, second line: no order is lowered': ['!isOrder(finding) && isPlain(finding)', 'isPlain(finding)'],
  'gate, second line: no disguise is lowered': ['!isOrder(finding) && isPlain(finding)', '!isOrder(finding)'],
  'gate, second line: a clear order that is told of is one': [' || points >= ESCALATE_POINTS)', ')'],
  'gate, second line: an order that is told of is none': ['(isExcused !== true || points', '(points'],
  'gate, second line: nothing is lowered where findings may be left out': ['findings.length < FINDINGS_MAX && ', ''],
});

const secretTests = ['agent-pod/src/infer/hidden-secrets.test.ts'];

const hiddenForms = [
  ...mutantsOfFile(`${gate}/provenance/hidden-forms.ts`, secretTests, {
    'gate, hidden forms: letters alone are one': ["isLetters ? letters : ''", "isLetters ? '' : ''"],
    'gate, hidden forms: digits alone are one': ["isMixed ? digitRuns.join('') : ''", "''"],
    'gate, hidden forms: a date is no key': ['digitRuns.length >= DIGIT_RUNS_MIN', 'digitRuns.length > 0'],
    'gate, hidden forms: words are no key': ['isByChance(letters.toLowerCase())', 'letters.length > 0'],
  }),
  ...mutantsOfFile('packages/mind/src/run/delivered.ts', ['packages/mind/src/run/delivered.test.ts'], {
    'delivered: no key in the name of a file': ["change.withheld(file.path, 'files') ?? file.path", 'file.path'],
  }),
  ...mutantsOfFile('agent-pod/src/infer/hidden-secrets.ts', secretTests, {
    'redaction: short forms that read like no words are found': ['|| !isStrange(form)', '|| form !== plain'],
    'redaction: short words are kept': ['form === plain || ', ''],
  }),
];

export const gateMutants = [...secondLine, ...hiddenForms, ...laterPlans, ...heldOutputs, ...ownRules, ...readers];
