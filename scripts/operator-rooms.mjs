/** The rooms of the operator: rows of the table in `layers.mjs`, in their order. */

const operating = ['settings', 'watch', 'observe', 'desired', 'status', 'apply'].map((it) => `operator/${it}`);

/** @type {Readonly<Record<string, import('./layers.mjs').Room>>} */
export const operatorRooms = {
  'operator/settings': { what: 'what the chart tells the operator', pure: true, values: [], types: [] },
  'operator/watch': {
    what: 'the caches of all watched resources',
    pure: false,
    values: ['kube', 'operator/settings'],
    types: [],
  },
  'operator/observe': {
    what: 'reads from the caches what one pass needs',
    pure: false,
    values: ['kube'],
    types: ['operator/watch'],
  },
  'operator/desired': {
    what: 'the children of a root, and what is signed for them',
    pure: true,
    values: ['kube', 'operator/settings'],
    types: ['operator/observe'],
    inner: {
      agent: 'the children of an Agent, one file each; the list in `index.ts` says their order and why',
      sandbox: 'the one pod template of all sandboxes; Jobs, policies and the canary; what a run may ask for',
      skill: 'whether a Skill can be mounted: its text, its versions, what it builds on',
      task: 'what becomes of a Task: admission, end by the operator, schedule, deletion',
    },
  },
  'operator/status': {
    what: 'conditions, one file each, judged from what was observed',
    pure: true,
    values: ['kube'],
    types: ['operator/observe', 'operator/desired'],
    inner: {
      agent: 'conditions of an Agent, one file each, folded into Ready',
      character: 'the status of a CharacterSpec',
      rollout: 'which agents may get a release now; whether one came up with it',
      sandbox: 'what a SandboxRun came to; whether the canary proved the network closed',
      skill: 'the status of a Skill',
      task: 'the conditions of a Task that the operator owns',
    },
  },
  'operator/apply': {
    what: 'the only writer: children, deletes with preconditions, status, events',
    pure: false,
    values: ['kube'],
    types: ['operator/observe', 'operator/desired', 'operator/status'],
  },
  'operator/reconcile': {
    what: 'what a controller is, and what one pass can come to',
    pure: false,
    values: ['kube', ...operating],
    types: [],
  },
  'operator/http': {
    what: 'health and readiness with reasons, metrics',
    pure: false,
    values: ['kube'],
    types: ['operator/watch'],
  },
  'operator/egress-proxy': {
    what: 'the forward proxy: signed grants, host allow-list, public addresses only',
    pure: false,
    values: ['kube', 'operator/http'],
    types: [],
  },
};
