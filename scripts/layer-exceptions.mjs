/** What the table in `layers.mjs` cannot say of whole rooms: the modules that compose programs, and single modules that may less or more. */

/**
 * Who decides may not know how the agent is: neither these rooms nor these modules of the loop, whose room may. So no gate, no budget
 * and no choice of a model depends on it.
 */
export const blindToAffect = {
  rooms: ['mind/gate', 'mind/cycle', 'mind/run', 'agent-pod/infer', 'agent-pod/tools', 'agent-pod/sandbox'],
  modules: {
    'agent-pod/loop': ['agent-settings', 'oversight', 'refusal-text', 'spending'],
  },
};

/** Modules directly below `src` put the parts of a program together: they import every room, and no room imports them. */
export const roots = {
  operator: ['main', 'egress-main', 'config', 'controllers', 'error-text', 'run-operator'],
  'agent-pod': ['main', 'auditor-main', 'judge-main', 'config', 'open-agent'],
};

/** The exceptions: roots that a room may import. `config` holds the settings that were read from the environment. */
export const lentRoots = {
  'agent-pod/attack': ['open-agent'],
  'agent-pod/pod': ['config', 'open-agent'],
  cli: ['config', 'open-agent'],
};

/** What of `journal` may be imported from outside it. Everything else in there can write or reorder the record. */
export const journalEntrances = [
  'journal',
  'lock',
  'moment',
  'open-journal',
  'open-reader',
  'stores',
  'verify',
  'repair',
  'gap',
  'segment-sizes',
];
