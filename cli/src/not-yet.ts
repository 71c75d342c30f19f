/**
 * Fields that manifests may set and that have no effect on this machine yet, with what happens instead. Data: `docs/not-yet.md`
 * shows the same table, `retainer run` warns by it. A line goes when its field works.
 */

export interface NotYet {
  readonly kind: 'Agent' | 'Task' | 'Skill' | 'CharacterSpec';
  /** The field and all below it; `[]` stands for every item of a list. */
  readonly path: string;
  /** One clause that goes on after "has no effect yet:". */
  readonly instead: string;
}

const noCluster = 'nothing runs on a cluster yet';
const noScoring = 'texts and calls are not scored yet; the deterministic rules hold';
const noQuestions = 'the agent does not ask questions yet';
const bubblewrapOnly = 'bubblewrap on this machine runs the code';

export const notYet: readonly NotYet[] = [
  ...agentModels(),
  ...agentRest(),
  { kind: 'Task', path: 'spec.successCriteria[].mode', instead: 'every criterion is judged on recorded evidence' },
  { kind: 'Task', path: 'spec.budget.maxReplans', instead: 'a run is one cycle and does not plan anew' },
  { kind: 'Task', path: 'spec.schedule', instead: 'the Task runs once, at once' },
  { kind: 'Task', path: 'spec.answers', instead: noQuestions },
  { kind: 'Task', path: 'spec.onNoAnswer', instead: noQuestions },
  { kind: 'Task', path: 'spec.override', instead: 'a refusal stands; change the rule and give the Task another name' },
  { kind: 'Task', path: 'spec.ttlSecondsAfterFinished', instead: 'no object is deleted; the record keeps every run' },
  { kind: 'Skill', path: 'spec.successor', instead: 'no skill is put in the place of another one' },
  { kind: 'Skill', path: 'spec.contexts', instead: 'the skill is offered in every domain' },
  {
    kind: 'Skill',
    path: 'spec.dependencies',
    instead: 'name each skill in skillRefs of the Agent; versions are not compared',
  },
  {
    kind: 'Skill',
    path: 'spec.configMapRef',
    instead: 'the model sees name and description only; give the text as body',
  },
  {
    kind: 'CharacterSpec',
    path: 'spec.highestEndeavour[].modality',
    instead: 'commitments stand in the prompt; the normative calculus does not weigh them yet',
  },
  { kind: 'CharacterSpec', path: 'spec.gatePolicies.scale', instead: noScoring },
  { kind: 'CharacterSpec', path: 'spec.gatePolicies.scoreFromClass', instead: noScoring },
  ...gate('input'),
  ...gate('tool'),
  ...gate('output'),
  ...gate('agentOverrides[].tool'),
  { kind: 'CharacterSpec', path: 'spec.gatePolicies.allowLists.unscoredTools', instead: noScoring },
];

function gate(name: 'input' | 'tool' | 'output' | 'agentOverrides[].tool'): readonly NotYet[] {
  return ['modify', 'reject', 'canary', 'features'].map((field) => ({
    kind: 'CharacterSpec',
    path: `spec.gatePolicies.${name}.${field}`,
    instead: noScoring,
  }));
}

function agentModels(): readonly NotYet[] {
  return agent([
    ['spec.models.apiKeySecretRef', 'the key comes from ANTHROPIC_API_KEY'],
    ['spec.models.scriptConfigMapRef', 'the script is read from the file that spec.models.script names'],
    ['spec.models.structuredRetries', 'a malformed verdict is asked for again a fixed number of times'],
    ['spec.models.roles[].temperature', 'the provider’s own default holds'],
    ['spec.models.roles[].thinkingBudgetTokens', 'models answer without thinking tokens'],
  ]);
}

function agentRest(): readonly NotYet[] {
  return agent([
    ['spec.limits.inboxLength', 'every command that is on the disk is taken'],
    ['spec.limits.delegationDepth', 'nothing is delegated yet'],
    ['spec.budgets.tokensPerHour', 'only cycles and Tasks have a limit of tokens'],
    ['spec.budgets.tokensPerDay', 'only cycles and Tasks have a limit of tokens'],
    ['spec.budgets.costUsdPerDay', 'only cycles and Tasks have a limit of cost'],
    ['spec.budgets.toolCallsPerDay', 'only cycles and Tasks have a limit of tool calls'],
    [
      'spec.budgets.approvals',
      'the time of a request is that of the Task’s approval.timeout; requests are not counted',
    ],
    [
      'spec.memory',
      'the record lies in the data directory, all of it is kept, and recall, snapshots and git are to come',
    ],
    ['spec.sandbox.image', bubblewrapOnly],
    ['spec.sandbox.resources', 'code has fixed limits of memory and processor'],
    ['spec.sandbox.scratch', 'code has a fixed limit of what it may write'],
    ['spec.sandbox.egress', 'code has no network at all'],
    ['spec.sandbox.runtimeClassName', bubblewrapOnly],
    ['spec.sandbox.requireRuntimeClass', bubblewrapOnly],
    ['spec.sandbox.root', 'code is an unprivileged user'],
    ['spec.sandbox.serve', 'what the code started ends with it'],
    ['spec.sandbox.pool', 'each run of code makes its own sandbox'],
    ['spec.sandbox.nodeSelector', noCluster],
    ['spec.sandbox.tolerations', noCluster],
    ['spec.tools.search', 'there is no tool that searches the web'],
    ['spec.tools.mcpServers', 'no tool server is asked'],
    ['spec.specialists', 'there are no specialists yet: one executor does the work'],
    ['spec.channels', 'Tasks and the spool are the only way in; console, inbox file and mail are to come'],
    ['spec.gates', `${noScoring}; a gate asks no model that could be late`],
    ['spec.control', 'a run is one cycle and one judgement; the control loop is to come'],
    ['spec.scheduler', 'the agent starts nothing by itself'],
    ['spec.curiosity', 'the agent does not explore'],
    ['spec.upkeep', 'memory and skills are not tended between Tasks'],
    ['spec.pod', noCluster],
  ]);
}

function agent(lines: readonly (readonly [path: string, instead: string])[]): readonly NotYet[] {
  return lines.map(([path, instead]) => ({ kind: 'Agent', path, instead }));
}
