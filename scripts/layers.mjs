/**
 * The rooms of the house: what each folder is for, and who may import whom.
 *
 * `oxlint.config.mjs` makes the rules of lint from this table, `npm run gen` the tables of `docs/architecture.md`, and `test/lint.test.ts`
 * plants one fault for each rule. The rows stand in order: a room imports only rooms above it, types included. Tests are exempt.
 *
 * @typedef {object} Room
 * @property {string} what  one line for `docs/architecture.md`
 * @property {boolean} pure  no clock, randomness, environment, I/O, promise, timer or mutable global
 * @property {readonly string[]} values  rooms of which everything may be imported; `contract` is always among them
 * @property {readonly string[]} types  rooms of which only types may be imported
 * @property {Readonly<Record<string, string>>} [inner]  folders inside it; the rules of the room hold for them
 */

import { operatorRooms } from './operator-rooms.mjs';
import { partsIn } from './part-folders.mjs';

/** Where the sources of each package are. A room is a folder in one of them; a package without folders is one room. */
export const sources = {
  contract: 'contract/src',
  mind: 'packages/mind/src',
  journal: 'packages/journal/src',
  kube: 'packages/kube/src',
  operator: 'operator/src',
  'sandbox-runner': 'sandbox-runner/src',
  'agent-pod': 'agent-pod/src',
  cli: 'cli/src',
};

/**
 * Where the modules of a room are.
 * @param {string} room  `mind/gate`, or a package without folders
 * @returns {string} below the root of the repository, with a slash at its end
 */
export function directoryOf(room) {
  return `${room.replace(/^[^/]+/, (name) => sources[name])}/`;
}

/** What parts are, the parts, and what finds and tends what they remember. */
const features = ['mind/part', 'mind/parts'];
const remembering = [...features, 'mind/meaning', 'mind/memory'];
const deciding = ['mind/gate', ...remembering, 'mind/assemble', 'mind/cycle', 'mind/run'];
/** What the thinking says to the shell: adapters know it as types. */
const thinking = ['mind/request', ...deciding];
/** Parts that the agent on a cluster and the command line have in common. */
const shared = ['boot', 'bus', 'infer', 'input', 'backup', 'review'].map((folder) => `agent-pod/${folder}`);

/** @type {Readonly<Record<string, Room>>} */
export const rooms = {
  contract: {
    what: 'what programs must agree on: resource kinds, manifests, small standard pieces; no I/O',
    pure: true,
    values: [],
    types: [],
    inner: {
      api: 'one file per kind: zod schema, inferred type, CEL rules, conditions; the CRDs in `crds/` are generated from it',
      manifest: 'the text of manifests becomes resources, or errors with file, line, field path and what is allowed',
      schedule: 'moments of a cron text in a time zone, and which of them is served after some were missed',
      std: 'result, invariant, clock, back-off, hash, canonical JSON, JSON that may be none, head and tail of a text',
      wire: 'what programs say to each other: documents mounted into a pod of an agent, agent and sandbox runner',
      'wire/bus': 'what the roles of a run say to each other: the message, its payloads, who may send what to whom',
    },
  },

  'mind/request': {
    what: 'the words of the model port, structured answers and their forms, and foreign text set in lines',
    pure: true,
    values: [],
    types: [],
    inner: { answers: 'one file per structured answer: its definition, from which all its forms are derived' },
  },
  'mind/gate': {
    what: 'the gate compiled from a CharacterSpec: its rules over input, tool calls and output; verdicts with rule and reason',
    pure: true,
    values: ['mind/request'],
    types: [],
    inner: {
      budget: 'what the agent used in this hour and day, folded from its record; which call is refused for it',
      calculus: 'the normative calculus: norms in pairs, floors, vetoes, drift',
      chain: 'what a gate asks next, or its verdict, from what is known so far; and the record of it',
      detector: 'the statistical layer behind the shipped rules: n-grams, weights, what it may raise and lower',
      meta: 'the observer: verdicts over many cycles, and what follows for the next ones',
      provenance: 'labels of what was read: source, trust, readers; marks around untrusted texts; where data may flow',
      score: 'what is scored: features and thresholds compiled, requests to scorer and probes, forecasts judged',
      text: 'the shipped rules over any text: its spellings, words of twenty languages, patterns of phrases, encodings undone',
    },
  },
  'mind/agents': { what: "the roles' duties, as models are told them", pure: true, values: ['mind/gate'], types: [] },
  'mind/meaning': {
    what: 'words of texts, texts as vectors from a table of words, and how alike two intents are',
    pure: true,
    values: [],
    types: [],
  },
  'mind/part': {
    what: 'what a part is: the declaration of a feature, how a row of a projection is made, how a record is told',
    pure: true,
    values: [],
    types: [],
  },
  'mind/parts': {
    what: 'one folder for each feature: its stores, projections, commands, tellings and figures; `parts.ts` lists them',
    pure: true,
    values: ['mind/gate', 'mind/meaning', 'mind/part'],
    types: [],
    inner: partsIn('packages/mind/src/parts'),
  },
  'mind/memory': {
    what: 'what serves several stores of memory: finding in them, and tending them',
    pure: true,
    values: ['mind/gate', 'mind/meaning', 'mind/part', 'mind/parts'],
    types: [],
    inner: {
      recall: 'records of free text, lessons and cases, found',
      tend: 'one file for each pass of a dream: what fades, falls, becomes a rule, is merged or sleeps, with its reason',
    },
  },
  'mind/older': {
    what: 'the door of the record: payloads of older versions become those of today, one file a kind',
    pure: true,
    values: ['mind/gate', ...remembering],
    types: [],
  },
  'mind/assemble': {
    what: 'task, skills, character and history become a model request within a budget; what each role is asked and answers',
    pure: true,
    values: ['mind/request', 'mind/gate', 'mind/agents', ...features],
    types: ['mind/meaning', 'mind/memory'],
    inner: { curator: 'what a cycle is told of the agent itself: slots within a budget, the sensorium, its figures' },
  },
  'mind/cycle': {
    what: 'one cognitive cycle: `decide` and `evolve` over its events',
    pure: true,
    values: ['mind/request', 'mind/gate', 'mind/agents', 'mind/assemble', ...remembering],
    types: [],
  },
  'mind/run': {
    what: 'one Task run: what arrives is handed to the one role that it is for; conclude, deliver',
    pure: true,
    values: ['mind/request', 'mind/gate', 'mind/agents', 'mind/assemble', ...remembering, 'mind/cycle'],
    types: [],
    inner: {
      admit: 'a Task admitted: what the run is told, fixed for its whole life',
      dispatch: 'plans checked and numbered; which subtasks may start; what earlier ones hand on; outputs merged',
      roles: 'one file per role: what it does with each message and with what its model answered',
      steer:
        'the Goal Gradient Solver: loss, gradient, the 24 cells, overrides, what is blocked, kept, delivered and remembered',
      'steer/evidence': 'profile `Evidence`: what tries make probable, what to try next, whether going on is worth it',
      verdict: 'calls as evidence, verdicts recomputed, classes of failure, claims that nothing shows',
    },
  },
  'mind/archive': {
    what: 'an ended run becomes memory; what a dream asks a model, and what it leaves in its own store',
    pure: true,
    values: ['mind/request', 'mind/gate', 'mind/agents', 'mind/assemble', ...remembering, 'mind/cycle', 'mind/run'],
    types: [],
  },
  'mind/projections': {
    what: 'the table of what is kept in memory of each store; a store has a row or a reason',
    pure: true,
    values: ['mind/gate', ...remembering, 'mind/assemble', 'mind/cycle', 'mind/run', 'mind/archive'],
    types: [],
  },
  'mind/explain': {
    what: "a run's records told as a story, every decision with its numbers; its rounds as a table",
    pure: true,
    values: ['mind/request', 'mind/gate', ...remembering, 'mind/run'],
    types: ['mind/cycle', 'mind/archive'],
    inner: { audit: 'what people ask of many runs: days, one cycle in full, who answers for each effect' },
  },
  'mind/self': {
    what: 'what the agent is told of itself when it asks: its runs, cycles, tools, patterns, memory',
    pure: true,
    values: ['mind/gate', ...remembering, 'mind/assemble', 'mind/run', 'mind/explain'],
    types: ['mind/projections'],
  },
  'mind/replay': {
    what: 'recorded inputs decided again, compared byte for byte; what another character, or other thresholds, would have decided',
    pure: true,
    values: ['mind/gate', 'mind/cycle', 'mind/run'],
    types: [],
  },

  journal: { what: 'the append-only stores; the only writer of their files', pure: false, values: [], types: [] },
  kube: {
    what: 'the only importer of the client library, and what it lacks: reflector, queue, Lease, apply; and the log and the pages of a process, and its way through a proxy. It knows no controller',
    pure: false,
    values: [],
    types: [],
  },

  ...operatorRooms,

  'sandbox-runner': {
    what: 'the first process of a sandbox: takes code from its claimant, runs it, hands back what came of it',
    pure: false,
    values: [],
    types: [],
  },

  'agent-pod/ports': {
    what: 'the interfaces that the loop and the tools need of the world',
    pure: false,
    values: [],
    types: [...thinking, 'mind/projections', 'mind/explain', 'mind/self'],
  },
  'agent-pod/boot': {
    what: 'what the operator mounted: documents compared with their digests, secrets, seeds; the table of words that is shipped',
    pure: false,
    values: [...remembering],
    types: ['mind/run'],
  },
  'agent-pod/infer': {
    what: 'the model port: Anthropic, scripted; one retry policy; structured output; vectors of texts; secrets taken out',
    pure: false,
    values: ['kube', 'mind/request', 'mind/gate', 'mind/assemble', ...remembering],
    types: [...thinking, 'agent-pod/ports'],
  },
  'agent-pod/tools': {
    what: 'the registry, and the one chokepoint that runs a tool',
    pure: false,
    values: ['kube', 'mind/gate', ...remembering, 'mind/self'],
    types: [...thinking, 'agent-pod/ports'],
  },
  'agent-pod/mail': {
    what: 'letters and the servers that they lie on: bytes become letters, and mail is handed on',
    pure: false,
    values: ['kube', 'mind/gate', 'mind/parts', 'agent-pod/tools'],
    types: [...thinking, 'agent-pod/ports'],
    inner: { letter: 'what is known of a letter: who wrote it, how that is known, its new words and all else' },
  },
  'agent-pod/sandbox': {
    what: 'results of code, kept until they are taken; refuses where nothing isolates',
    pure: false,
    values: ['kube'],
    types: [...thinking, 'agent-pod/ports'],
    inner: {
      local: 'bubblewrap: namespaces, seccomp filter, limits, self-test',
      cluster: 'SandboxRuns: asked for, claimed, followed, taken back',
    },
  },
  'agent-pod/deliver': {
    what: 'replies out, idempotent by delivery id',
    pure: false,
    values: ['kube', 'mind/request', 'mind/gate', 'mind/parts'],
    types: [...thinking, 'agent-pod/ports'],
  },
  'agent-pod/lease': {
    what: "on a cluster: the Lease whose count numbers the journal's writers, and whether the API server answers",
    pure: false,
    values: ['kube'],
    types: [],
  },
  'agent-pod/audit': {
    what: 'the auditor process: follows a journal with reading code of its own, keeps old heads, reports to people',
    pure: false,
    values: ['journal', 'kube'],
    types: [],
  },
  'agent-pod/bus': {
    what: 'tells others the messages of a run: a socket for the auditor, or a stream of Redis',
    pure: false,
    values: [],
    types: ['agent-pod/audit'],
  },
  'agent-pod/parts': {
    what: 'what parts have to do with the world: tools, commands to a machine, supervised work; `parts.ts` lists them',
    pure: false,
    values: [...deciding, 'mind/self', 'agent-pod/tools'],
    types: ['mind/request', 'agent-pod/ports'],
    inner: partsIn('agent-pod/src/parts'),
  },
  'agent-pod/loop': {
    what: 'the only shell: command → decide → append → effect → result; supervision',
    pure: false,
    values: [
      'mind/older',
      'mind/request',
      ...deciding,
      'mind/agents',
      'mind/archive',
      'mind/projections',
      'mind/explain',
      'mind/self',
      'journal',
      'agent-pod/parts',
    ],
    types: ['agent-pod/ports', 'agent-pod/infer', 'agent-pod/bus'],
  },
  'agent-pod/input': {
    what: 'arrivals become validated commands: Tasks of the API server, and the spool of other programs on this machine',
    pure: false,
    values: ['mind/older', 'kube', 'mind/parts', 'mind/run'],
    types: [...thinking, 'agent-pod/ports', 'agent-pod/loop'],
  },
  'agent-pod/backup': {
    what: 'the second copy: the data directory in a git repository, pushed, compared and restored',
    pure: false,
    values: ['journal', 'mind/parts', 'mind/projections', 'mind/run', 'agent-pod/tools', 'agent-pod/loop'],
    types: ['mind/part', 'agent-pod/boot'],
  },
  'agent-pod/upkeep': {
    what: 'what runs beside the work: the Dreamer, the backup, and watches over volume, clock and a full disk',
    pure: false,
    values: ['agent-pod/parts', 'agent-pod/loop', 'agent-pod/input', 'agent-pod/backup'],
    types: ['mind/cycle', 'journal', 'agent-pod/ports'],
  },
  'agent-pod/http': {
    what: 'health, readiness and figures of the pod; the way to what its code serves',
    pure: false,
    values: ['mind/parts', 'agent-pod/parts', 'kube', 'mind/gate'],
    types: [...thinking, 'journal', 'agent-pod/ports', 'agent-pod/loop'],
  },
  'agent-pod/review': {
    what: 'a record read again with no agent running: runs found, replayed, verdicts decided anew; a gate tried out',
    pure: false,
    values: [
      'mind/older',
      'agent-pod/parts',
      'mind/gate',
      ...remembering,
      'mind/assemble',
      'mind/cycle',
      'mind/run',
      'mind/explain',
      'mind/projections',
      'mind/replay',
      'journal',
      'agent-pod/tools',
      'agent-pod/loop',
    ],
    types: [...thinking, 'mind/archive', 'agent-pod/ports', 'agent-pod/audit'],
  },
  'agent-pod/attack': {
    what: 'the worst case: attacks by goal and channel, a model that obeys every text, worlds of their own, what got through',
    pure: false,
    values: [
      'agent-pod/parts',
      ...thinking,
      'journal',
      'agent-pod/boot',
      'agent-pod/tools',
      'agent-pod/sandbox',
      'agent-pod/loop',
    ],
    types: ['agent-pod/ports'],
    inner: { cases: 'attacks in a world of their own: several Tasks, a person, tools that act outside, other limits' },
  },
  'agent-pod/pod': {
    what: 'the agent composed on a cluster',
    pure: false,
    values: [
      'agent-pod/parts',
      ...thinking,
      'journal',
      'kube',
      ...shared,
      'agent-pod/mail',
      'agent-pod/tools',
      'agent-pod/sandbox',
      'agent-pod/deliver',
      'agent-pod/lease',
      'agent-pod/loop',
      'agent-pod/upkeep',
      'agent-pod/http',
    ],
    types: ['agent-pod/ports'],
  },

  cli: {
    what: '`retainer`: run, explain, replay, approve, verify; install and doctor on a cluster',
    pure: false,
    values: [
      ...thinking,
      'mind/explain',
      'mind/replay',
      'journal',
      'kube',
      ...shared,
      'agent-pod/mail',
      'agent-pod/attack',
    ],
    types: ['agent-pod/ports'],
    inner: {
      access: 'one port for what people ask an agent and tell it: in a data directory, or on a cluster',
      calculus: 'what `retainer calculus` prints: the table of norms, one pair, the norms of a character on trial',
      cluster: 'the cluster that a command is about: the one that kubectl would take',
      commands: 'one file per command; each is loaded when it is called',
      doctor: 'an installation looked at, judged by a table of checks, told; only `observe-cluster.ts` is impure',
      gate: 'what `retainer gate check` takes, and what it and `retainer gate attack` print',
      memory: 'what `retainer memory bench` takes, measures and prints',
      install: 'what helm is told, the helm of the PATH, and the wait until agents can live there',
    },
  },
};
