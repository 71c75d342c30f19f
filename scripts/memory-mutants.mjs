/** Of the list of mutants: lines that the promises of memory stand on. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const memory = 'packages/mind/src/memory';

export const memoryMutants = [
  ...of('agent-pod/src/loop/self-view.ts', ['agent-pod/src/loop/self-view.test.ts'], {
    'memory: a thread of a stranger has no name': [
      "newest.nameLabel.trust === 'Trusted' ? newest.name",
      'true ? newest.name',
    ],
  }),
  ...of('agent-pod/src/loop/recall-index.ts', ['test/unit/continuity.test.ts'], {
    'memory: a fact stays, however old; only runs and artifacts leave with the window': [
      "else if (fact.scope === 'Persistent')",
      "else if (fact.scope === 'Persistent' && fact.writtenAtMs >= this.#parts.fromMs)",
    ],
  }),
  ...of('agent-pod/src/loop/run-driver.ts', ['test/unit/dream-runs.test.ts'], {
    'memory: a crash loses no note of what was recalled': ['this.#recoverNote(runId, events);', ''],
  }),
  ...of(
    `packages/mind/src/parts/megrams/potentials.ts`,
    [`packages/mind/src/parts/megrams/potentials.test.ts`, `${memory}/tend/tend-megrams.test.ts`],
    {
      'memory: experience fades': ['return Math.exp((-k * Math.max(0, ageMs)) / MILLISECONDS_PER_DAY);', 'return 1;'],
    },
  ),
  ...of(`${memory}/tend/new-rule.ts`, [`${memory}/tend/tend-megrams.test.ts`], {
    'memory: a rule has the label of its sources': ["trust: isTrusted ? 'Trusted' : 'Untrusted'", "trust: 'Trusted'"],
  }),
  ...of('packages/mind/src/parts/cases/cases.ts', [`${memory}/tend/tend-cases.test.ts`], {
    'memory: what was merged stays merged after a restart': [
      'credited: [...credited], retired: [...retired] };',
      'credited: [...credited], retired: [] };',
    ],
  }),
  ...of('agent-pod/src/loop/memory-writer.ts', ['agent-pod/src/loop/memory-writer.test.ts'], {
    'memory: nothing is written outside of the table of writers': [
      'invariant(allowed.has(`${store} ${kind}`),',
      'invariant(true,',
    ],
  }),
  ...of('packages/mind/src/parts/facts/part.ts', ['test/unit/memory-changes.test.ts'], {
    'memory: a command of a person changes memory once': [
      'if (factChanges.has(originId)) return [];',
      "if (factChanges.has('')) return [];",
    ],
  }),
  ...of('packages/mind/src/parts/threads/threads.ts', ['packages/mind/src/parts/threads/threads.test.ts'], {
    'memory: a name keeps the label of the run that gave it': ['runs: position,', 'runs: position, nameLabel: label,'],
    'memory: a thread is believed as little as any of its runs': ['label: join(thread.label, label)', 'label'],
  }),
  ...of('packages/mind/src/parts/cases/cases.ts', ['packages/mind/src/parts/cases/cases.test.ts'], {
    'memory: a run credits a case once': [' && !credited.has(key)', ''],
    'memory: only what a plan followed succeeded': ["cited && outcome === 'Success'", "outcome === 'Success'"],
  }),
  ...of('packages/mind/src/projections/open-work.ts', ['agent-pod/src/loop/scoped-facts.test.ts'], {
    'memory: the facts of a run go with it': ['forgetFactsOf(facts, (other) => other === runId);', ''],
  }),
  ...of('packages/mind/src/assemble/constraint-lines.ts', ['packages/mind/src/assemble/constraint-lines.test.ts'], {
    'memory: an equal intent alone binds nothing': ['!isOfTask || blamed.length > 0', 'true'],
  }),
  ...of('packages/mind/src/run/steer/blocked.ts', ['packages/mind/src/run/steer/quantise.test.ts'], {
    'memory: what people named is never blamed': [' || given.includes(target)', ''],
  }),
];
