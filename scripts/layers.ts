/**
 * Who may import whom, as one table: the source of the layering rules in `.oxlintrc.json` (made by `lint-config.ts`), of the
 * fixtures in `test/lint.test.ts`, and of the table in `docs/architecture.md`.
 *
 * Every folder below `agent-pod/src` has a row. A folder that is not named in a row may not be imported there; tests are
 * exempt; modules directly below `src` are composition roots and may import every folder.
 */

export interface Layer {
  /** Pure: no clock, randomness, environment, I/O, promise, timer or mutable global. */
  readonly pure: boolean;
  /** Folders whose values may be imported. */
  readonly values: readonly string[];
  /** Folders of which only types may be imported. */
  readonly types: readonly string[];
  /** Single modules of those folders whose values may be imported too: schemas of the record, and words both sides share. */
  readonly modules?: readonly string[];
  /** Folders inside it; the same holds for them. */
  readonly nested?: readonly string[];
}

/** The words of the ports: what every adapter may know of the thinking folders, as types. */
const adapter: Layer = {
  pure: false,
  values: [],
  types: ['gate', 'assemble', 'cycle', 'run', 'memory', 'journal', 'loop', 'tools'],
};

export const layers = {
  gate: { pure: true, values: [], types: [] },
  assemble: { pure: true, values: ['agents'], types: ['gate', 'memory', 'run'] },
  agents: { pure: true, values: [], types: ['gate', 'assemble'] },
  memory: {
    pure: true,
    values: [],
    types: ['gate', 'assemble', 'cycle', 'run', 'journal', 'tools'],
    modules: ['cycle/event', 'run/event'],
  },
  cycle: { pure: true, values: ['gate', 'assemble', 'memory', 'agents'], types: ['journal', 'tools'] },
  run: { pure: true, values: ['gate', 'assemble', 'memory', 'agents', 'cycle'], types: ['journal', 'tools'] },
  journal: { pure: false, values: [], types: [] },
  input: { ...adapter, modules: ['memory/inbox'] },
  infer: adapter,
  /** What a call touches is named with the gate's own words, or the gate would judge something else. */
  tools: {
    ...adapter,
    nested: ['catalog'],
    modules: [
      'gate/approval-request',
      'gate/arguments-digest',
      'gate/pattern',
      'gate/tool-traits',
      'gate/workspace-path',
    ],
  },
  sandbox: adapter,
  deliver: adapter,
  loop: {
    pure: false,
    values: ['gate', 'assemble', 'memory', 'agents', 'cycle', 'run'],
    types: ['journal', 'tools', 'input', 'infer'],
    modules: ['journal/stores'],
  },
  /** Follows a journal with eyes of its own: it shares no reading code with the writer. */
  audit: { pure: false, values: [], types: ['journal'], modules: ['journal/open-journal', 'journal/stores'] },
  /** Components that the loop supervises: they watch, record and tell. */
  upkeep: { pure: false, values: [], types: ['journal', 'loop'] },
  explain: { pure: true, values: [], types: ['cycle', 'run', 'journal'] },
  replay: { pure: true, values: [], types: ['cycle', 'run', 'gate', 'journal'] },
} as const satisfies Readonly<Record<string, Layer>>;

/** Folders of the design that no module is in yet: named, so that no other folder can import them by accident. */
export const laterFolders = ['archive', 'http'] as const;

/** What of `journal/` may be imported from outside it. Everything else in there can write or reorder the record. */
export const journalEntrances = ['journal', 'open-journal', 'open-reader', 'stores', 'verify', 'repair'] as const;
