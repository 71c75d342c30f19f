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
  gate: {
    pure: true,
    values: [],
    types: ['assemble'],
    modules: ['assemble/lines'],
    nested: ['budget', 'calculus', 'chain', 'meta', 'provenance', 'score', 'text'],
  },
  /** Addresses are read, and data is marked, as the gate does it. */
  assemble: {
    pure: true,
    values: ['agents'],
    types: ['gate', 'memory', 'run'],
    modules: ['gate/provenance/addresses'],
  },
  agents: { pure: true, values: [], types: ['gate', 'assemble'] },
  memory: {
    pure: true,
    values: [],
    types: ['gate', 'assemble', 'cycle', 'run', 'journal', 'tools'],
    modules: ['cycle/event', 'run/event', 'gate/provenance/label'],
  },
  cycle: { pure: true, values: ['gate', 'assemble', 'memory', 'agents'], types: ['journal', 'tools'] },
  run: {
    pure: true,
    values: ['gate', 'assemble', 'memory', 'agents', 'cycle'],
    types: ['journal', 'tools'],
    nested: ['roles', 'verdict', 'dispatch', 'steer'],
  },
  journal: { pure: false, values: [], types: [] },
  input: { ...adapter, modules: ['memory/inbox'] },
  /**
   * A secret is looked for in the forms in which the gate looks for private data; scripts match what stands inside a fence; a reading
   * has the bounds that the gate names.
   */
  infer: { ...adapter, modules: ['gate/provenance/hidden-forms', 'gate/provenance/fence', 'gate/provenance/reading'] },
  /** What a call touches is named with the gate's own words, or the gate would judge something else. */
  tools: {
    ...adapter,
    nested: ['catalog'],
    modules: [
      'gate/approval-request',
      'gate/arguments-digest',
      'gate/blocked-call',
      'gate/pattern',
      'gate/provenance/free-files',
      'gate/provenance/label',
      'gate/provenance/read-so-far',
      'gate/provenance/reading',
      'gate/tool-traits',
      'gate/workspace-path',
    ],
  },
  sandbox: adapter,
  /** A call that waits is told in the words of the gate. */
  deliver: { ...adapter, modules: ['gate/override', 'gate/render-effect'] },
  /** The port, and what carries the messages; the messages are the contract's. */
  bus: { pure: false, values: [], types: [] },
  loop: {
    pure: false,
    values: ['gate', 'assemble', 'memory', 'agents', 'cycle', 'run'],
    types: ['journal', 'tools', 'input', 'infer', 'bus'],
    modules: ['journal/stores'],
  },
  /** Follows a journal with eyes of its own: it shares no reading code with the writer. */
  audit: { pure: false, values: [], types: ['journal'], modules: ['journal/open-journal', 'journal/stores'] },
  /** Components that the loop supervises: they watch, record and tell. */
  upkeep: { pure: false, values: [], types: ['journal', 'loop'] },
  /** Health and metrics of the pod; in time, chat and the console. */
  http: {
    pure: false,
    values: [],
    types: ['gate', 'cycle', 'run', 'journal', 'loop'],
    modules: ['gate/output-breaker'],
  },
  /** What the operator mounted, read and compared with its digests. */
  boot: { pure: false, values: [], types: ['assemble'] },
  /** On a cluster: the Lease that says who writes. */
  lease: { pure: false, values: [], types: [] },
  explain: { pure: true, values: [], types: ['gate', 'cycle', 'run', 'journal'], modules: ['gate/render-effect'] },
  replay: { pure: true, values: [], types: ['cycle', 'run', 'gate', 'journal'] },
} as const satisfies Readonly<Record<string, Layer>>;

/** Folders of the design that no module is in yet: named, so that no other folder can import them by accident. */
export const laterFolders = ['archive'] as const;

/** What of `journal/` may be imported from outside it. Everything else in there can write or reorder the record. */
export const journalEntrances = ['journal', 'open-journal', 'open-reader', 'stores', 'verify', 'repair'] as const;

/**
 * Folders below `operator/src`, in the order in which data flows. `kube` and `resources.ts` know nothing of Retainer's
 * controllers; the agent's adapters and the command line may import them, and nothing else of the operator.
 */
export const operatorLayers = {
  kube: { pure: false, values: [], types: [] },
  watch: { pure: false, values: ['kube'], types: ['reconcile'] },
  observe: { pure: false, values: ['kube'], types: ['watch'] },
  desired: { pure: true, values: ['kube/kube-object', 'kube/resource'], types: ['observe', 'kube'] },
  status: { pure: true, values: ['kube/kube-object'], types: ['observe', 'desired', 'kube'] },
  apply: { pure: false, values: ['kube'], types: ['observe', 'desired', 'status'] },
  reconcile: { pure: false, values: ['observe', 'desired', 'status', 'apply', 'kube', 'watch'], types: [] },
  http: { pure: false, values: [], types: ['kube', 'watch'] },
  'egress-proxy': { pure: false, values: ['http'], types: [] },
} as const satisfies Readonly<Record<string, Layer>>;
