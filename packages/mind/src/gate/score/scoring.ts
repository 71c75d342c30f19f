/**
 * Compiles the scored part of a character: features and thresholds of each gate, as tightened by an Agent.
 *
 * I1  A broken policy is an error that names the field; no default replaces it.
 * I2  An Agent and the observer only tighten: the lower of two thresholds applies.
 *
 * Source: springdrift 2; design 5.
 */
import type { AgentGates } from '@retainer/contract/api/agent-tools';
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import { levelOrdinal, type LevelName, type LevelSchemeName } from '@retainer/contract/api/levels';
import { matchesName } from '@retainer/contract/std/name-pattern';
import { endeavourOf, type Commitment } from '../calculus/bridge.ts';
import { MAGNITUDE_MAX, type Scale } from '../calculus/discrepancy.ts';
import type { CharacterPolicy, ScoredGate } from '../character-policy.ts';
import type { GateContext, GateName } from '../verdict.ts';
import { holdsFor, isOf, MAIL_WRITER } from '../holds-for.ts';

/** Thresholds of D′, 0 to 1. */
export interface Thresholds {
  readonly modify: number;
  readonly reject: number;
}

/** Features with thresholds. The tool gate has one set for all agents, and another for each overridden specialist. */
export interface ScoringPolicy extends Thresholds {
  /** `input`, `tool`, `output` or `agentOverrides/Coder`. */
  readonly name: string;
  readonly features: readonly GateFeature[];
  readonly canary: boolean;
}

export interface Scoring {
  readonly scale: Scale;
  readonly scheme: LevelSchemeName;
  readonly commitments: readonly Commitment[];
  /** Lowest effect class that is scored. */
  readonly scoreFromClass: number;
  readonly isUnscoredTool: (tool: string) => boolean;
  readonly input: ScoringPolicy;
  readonly tool: ScoringPolicy;
  readonly output: ScoringPolicy;
  readonly overrides: readonly { readonly agent: string; readonly policy: ScoringPolicy }[];
  readonly agentGates: AgentGates;
}

/** @param errors  receives one sentence for each error; the sentence begins with the location */
export function compileScoring(character: CharacterPolicy, agentGates: AgentGates, errors: string[]): Scoring {
  const { gatePolicies: gates = {}, levelScheme: scheme = 'Springdrift', highestEndeavour = [] } = character;
  const { scale = 'Paper', scoreFromClass = 1, allowLists = {}, agentOverrides = [] } = gates;
  const compile = (name: string, gate: GateName, policy: ScoredGate | undefined): ScoringPolicy =>
    compilePolicy({ name, gate, policy: policy ?? {}, scale, scheme, agentGates }, errors);
  const tool = compile('tool', 'Tool', gates.tool);
  const output = compile('output', 'Output', gates.output);
  const overrides = agentOverrides.map(({ agent, tool: own }) => ({
    agent,
    policy: compile(`agentOverrides/${agent}`, 'Tool', own),
  }));
  errors.push(
    ...doubledAgents(agentOverrides.map(({ agent }) => agent)),
    ...overrides.flatMap(({ policy }) => clashes(policy, tool)),
    ...overrides.filter((it) => isOf(it.agent, MAIL_WRITER)).flatMap(({ policy }) => clashes(policy, output)),
    ...foreignNorms(highestEndeavour, scheme),
  );
  return {
    scale,
    scheme,
    commitments: errors.length > 0 ? [] : endeavourOf(highestEndeavour, scheme).commitments,
    scoreFromClass,
    isUnscoredTool: (name) => (allowLists.unscoredTools ?? []).some((pattern) => matchesName(pattern, name)),
    input: compile('input', 'Input', gates.input),
    tool,
    output,
    overrides,
    agentGates,
  };
}

interface PolicySource {
  readonly name: string;
  readonly gate: GateName;
  readonly policy: ScoredGate;
  readonly scale: Scale;
  readonly scheme: LevelSchemeName;
  readonly agentGates: AgentGates;
}

function compilePolicy(source: PolicySource, errors: string[]): ScoringPolicy {
  const { name, gate, policy, scale, scheme, agentGates } = source;
  const where = `gatePolicies.${name}`;
  const features = policy.features ?? [];
  errors.push(
    ...doubledNames(where, features),
    ...features.flatMap((feature) => featureFaults(`${where}.features/${feature.name}`, feature, { scale, scheme })),
  );
  const canary = policy.canary ?? false;
  if (features.length === 0) return { name, features, canary, modify: 1, reject: 1 };
  const { modify = NaN, reject = NaN } = policy;
  errors.push(...thresholdFaults(where, { modify, reject }));
  const own = agentGates.overrides.find((it) => it.gate === gate);
  const tightened = { modify: Math.min(modify, own?.modify ?? 1), reject: Math.min(reject, own?.reject ?? 1) };
  if (modify <= reject && tightened.modify > tightened.reject)
    errors.push(
      `gates.overrides/${gate}.reject: ${tightened.reject} is below the modify threshold ${tightened.modify} of ${where}; lower modify, too`,
    );
  return { name, features, canary, ...tightened };
}

function thresholdFaults(where: string, thresholds: Thresholds): readonly string[] {
  const { modify, reject } = thresholds;
  const faults = Object.entries(thresholds)
    .filter(([, value]) => !(value >= 0 && value <= 1))
    .map(([field, value]) => `${where}.${field}: found ${Number.isNaN(value) ? 'nothing' : value}; must be 0 to 1`);
  return modify > reject ? [...faults, `${where}.modify: ${modify} is above reject, which is ${reject}`] : faults;
}

function featureFaults(
  where: string,
  { importance, floor, level, claimLevel }: GateFeature,
  { scale, scheme }: Pick<PolicySource, 'scale' | 'scheme'>,
): readonly string[] {
  const max = MAGNITUDE_MAX[scale];
  const isOnScale = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= max;
  const numbers = [
    { field: 'importance', value: importance },
    { field: 'floor.magnitude', value: floor?.magnitude ?? 1 },
  ];
  const levels = [
    { field: 'level', value: level },
    { field: 'claimLevel', value: claimLevel },
  ];
  return [
    ...numbers
      .filter(({ value }) => !isOnScale(value))
      .map(({ field, value }) => `${where}.${field}: found ${value}; on the ${scale} scale it is 1 to ${max}`),
    ...levels
      .filter(({ value }) => value !== undefined && levelOrdinal(scheme, value) === undefined)
      .map(({ field, value }) => `${where}.${field}: ${value} does not belong to the scheme ${scheme}`),
  ];
}

function doubledNames(where: string, features: readonly GateFeature[]): readonly string[] {
  const names = features.map(({ name }) => name);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map(
    (name) =>
      `${where}.features/${name}: the name is used twice; rename one, because a forecast must belong to one feature`,
  );
}

/** Names of specialists ignore case. */
function doubledAgents(agents: readonly string[]): readonly string[] {
  const roles = agents.map((agent) => agent.toLowerCase());
  return agents
    .filter((_, at) => roles.indexOf(roles[at] ?? '') !== at)
    .map((agent) => `gatePolicies.agentOverrides/${agent}: the specialist already has an override; merge the two`);
}

/** One forecast serves both policies, so a name must mean the same in both. */
function clashes(own: ScoringPolicy, shared: ScoringPolicy): readonly string[] {
  return own.features
    .filter((feature) =>
      shared.features.some((it) => it.name === feature.name && it.description !== feature.description),
    )
    .map(
      ({ name }) =>
        `gatePolicies.${own.name}.features/${name}: the ${shared.name} gate has another feature of this name; rename this one`,
    );
}

function foreignNorms(
  commitments: readonly { readonly id: string; readonly level: LevelName }[],
  scheme: LevelSchemeName,
): readonly string[] {
  return commitments
    .filter(({ level }) => levelOrdinal(scheme, level) === undefined)
    .map(({ id, level }) => `highestEndeavour/${id}.level: ${level} does not belong to the scheme ${scheme}`);
}

/** Whose overrides hold. */
type Judged = Pick<GateContext, 'agent' | 'repliesAs'>;

/**
 * The policies in force at a gate (at the tool gate, for an agent; at the output gate, for whoever replies), with the observer's
 * tightening applied.
 *
 * @param tightening  the observer's factor on the thresholds, above 0 and at most 1; never lowers them below the Agent's floors
 */
export function policiesInForce(
  scoring: Scoring,
  gate: GateName,
  judged: Judged,
  tightening: number,
): readonly ScoringPolicy[] {
  const { tightenFloorModify, tightenFloorReject } = scoring.agentGates.meta;
  const lower = (threshold: number, floor: number): number =>
    Math.min(threshold, Math.max(floor, threshold * tightening));
  return policiesOf(scoring, gate, judged).map((policy) => ({
    ...policy,
    modify: lower(policy.modify, tightenFloorModify),
    reject: lower(policy.reject, tightenFloorReject),
  }));
}

function policiesOf(scoring: Scoring, gate: GateName, { agent, repliesAs }: Judged): readonly ScoringPolicy[] {
  const overrides = (holds: (of: string) => boolean): readonly ScoringPolicy[] =>
    scoring.overrides.filter((it) => holds(it.agent)).map(({ policy }) => policy);
  switch (gate) {
    case 'Input':
      return [scoring.input];
    case 'Tool':
      return [scoring.tool, ...overrides((of) => holdsFor(of, agent))];
    case 'Output':
      return [scoring.output, ...overrides((of) => repliesAs !== undefined && isOf(of, repliesAs))];
  }
}

/** Each feature once; one forecast serves every policy with that feature. */
export function featuresOf(policies: readonly ScoringPolicy[]): readonly GateFeature[] {
  const features = new Map<string, GateFeature>();
  for (const feature of policies.flatMap((policy) => policy.features)) {
    if (!features.has(feature.name)) features.set(feature.name, feature);
  }
  return [...features.values()];
}
