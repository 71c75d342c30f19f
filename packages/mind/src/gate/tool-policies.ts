/**
 * The policies of the tool gate, as functions over one call. `compile-gate.ts` puts them in order.
 *
 * I1  A policy answers a verdict or nothing; it never relies on another having passed.
 * I2  Everything that refuses stands before everything that asks, so that no approval and no added rule undoes a refusal.
 */
import type { CharacterPolicy } from './character-policy.ts';
import { coversHost, screenedArguments, type CompiledEntry } from './authority-entry.ts';
import type { Glob } from './glob.ts';
import type { CompiledRule } from './text-rule.ts';
import type { KnownTools } from './tool-facts.ts';
import type { Approval, CallFacts, GateContext, Verdict } from './verdict.ts';
import { WORKSPACE_ROOT } from './workspace-path.ts';

export interface ToolPolicy {
  readonly name: string;
  judge(call: CallFacts, context: GateContext): Verdict | undefined;
}

/** Source: design 5.8, Law 1: from here on every call needs leave. */
const ASKING_EFFECT_CLASS = 3;
const IRREVERSIBLE_EFFECT_CLASS = 4;

const EFFECT_WORDS = ['pure', 'local and reversible', 'reading outside', 'writing outside', 'irreversible'] as const;

function verdict(kind: Verdict['kind'], rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind, rule, reason };
}

/** What the character never does. */
export function neverPolicy(entry: CompiledEntry): ToolPolicy {
  const name = `authority.never/${entry.id}`;
  return {
    name,
    judge: (call) =>
      entry.covers(call)
        ? verdict('Reject', name, `The character never allows this: ${entry.description} Do without it and say so.`)
        : undefined,
  };
}

/** The rule as verdicts name it. @param agent  the one that it holds for; undefined: all */
export function toolRuleName(rule: CompiledRule, agent: string | undefined): string {
  return agent === undefined ? `tool-rules/${rule.id}` : `tool-rules/${agent}/${rule.id}`;
}

/** `Coder` in a character is the role `coder`. */
export function holdsFor(agent: string, role: string): boolean {
  return agent.toLowerCase() === role.toLowerCase();
}

/** A deterministic rule over the arguments, for every agent or for one. */
export function toolRulePolicy(rule: CompiledRule, agent: string | undefined): ToolPolicy {
  const name = toolRuleName(rule, agent);
  return {
    name,
    judge: (call, context) =>
      (agent === undefined || holdsFor(agent, context.agent)) &&
      screenedArguments(call).some((text) => rule.pattern.isFoundIn(text))
        ? verdict(rule.verdict, name, rule.reason)
        : undefined,
  };
}

/**
 * A person said no, or did not answer in time, and nobody has approved since.
 *
 * Source: reliability-security 4.9: time-out means no.
 */
export const refusedApprovalPolicy: ToolPolicy = {
  name: 'approval/refused',
  judge(call, context) {
    const own = approvalsOf(call, context);
    const denied = own.find((approval) => approval.decision === 'Deny');
    if (denied !== undefined)
      return verdict('Reject', 'approval/denied', `${denied.by} denied this call: ${denied.reason}`);
    const isExpired = own.length > 0 && own.every((approval) => approval.expiresAtMs <= context.nowMs);
    return isExpired
      ? verdict(
          'Reject',
          'approval/expired',
          'The approval of this call is no longer valid. Ask again where it is still needed.',
        )
      : undefined;
  },
};

/** Paths and hosts outside the character's allow-lists. */
export function allowListPolicies(
  globs: readonly Glob[],
  domains: NonNullable<NonNullable<CharacterPolicy['gatePolicies']>['allowLists']>['domains'],
  known: KnownTools,
): readonly ToolPolicy[] {
  const hosts = domains ?? [];
  const policies: ToolPolicy[] = [];
  if (globs.length > 0) {
    policies.push({
      name: 'allow-lists/paths',
      judge: (call) =>
        touchedPaths(call, known).every((path) => globs.some((glob) => glob.matches(path)))
          ? undefined
          : verdict(
              'Escalate',
              'allow-lists/paths',
              'It touches files outside those that the character calls harmless.',
            ),
    });
  }
  if (hosts.length > 0) {
    policies.push({
      name: 'allow-lists/domains',
      judge: (call) =>
        call.domains.every((host) => hosts.some((domain) => coversHost(domain, host)))
          ? undefined
          : verdict(
              'Escalate',
              'allow-lists/domains',
              'It reaches hosts outside those that the character calls harmless.',
            ),
    });
  }
  return policies;
}

/** A script can touch every file that it sees: nothing in its text could prove otherwise. */
function touchedPaths(call: CallFacts, known: KnownTools): readonly string[] {
  const isBounded = known.factsOf(call.tool).writes !== 'Anything';
  return isBounded ? [...call.readPaths, ...call.writePaths] : [WORKSPACE_ROOT];
}

/** Law 1: nothing irreversible without a person's leave for exactly this call. Source: artoo A.15; design 5.8. */
export const irreversiblePolicy: ToolPolicy = {
  name: 'effect-class/4',
  judge: (call) =>
    call.effectClass === IRREVERSIBLE_EFFECT_CLASS
      ? verdict(
          'Escalate',
          'effect-class/4',
          'Its effect cannot be undone, so a person has to approve exactly this call first.',
        )
      : undefined,
};

/** What the character asks about. */
export function consultPolicy(entry: CompiledEntry): ToolPolicy {
  const name = `authority.consult/${entry.id}`;
  return {
    name,
    judge: (call) =>
      entry.covers(call)
        ? verdict('Escalate', name, `A person has to approve exactly this call first: ${entry.description}`)
        : undefined,
  };
}

/** Writing outside needs leave, unless the character grants it for calls like this. */
export function externalWritePolicy(alone: readonly CompiledEntry[]): ToolPolicy {
  return {
    name: 'effect-class/3',
    judge: (call) =>
      call.effectClass === ASKING_EFFECT_CLASS && !alone.some((entry) => entry.covers(call))
        ? verdict(
            'Escalate',
            'effect-class/3',
            'It changes something outside, and the character does not grant that alone.',
          )
        : undefined,
  };
}

/** A person approved exactly this call. */
export const GRANTED = 'approval/granted';

/** Turns what the policy asks for into leave, where a person gave it for exactly these arguments. */
export function unlessApproved(policy: ToolPolicy): ToolPolicy {
  return {
    name: policy.name,
    judge(call, context) {
      const asked = policy.judge(call, context);
      if (asked?.kind !== 'Escalate') return asked;
      const approval = usableApproval(call.argumentsDigest, context);
      if (approval === undefined) return asked;
      return verdict('Accept', GRANTED, `${approval.by} approved exactly this call: ${approval.reason}`);
    },
  };
}

/** When nothing refused and nothing asked. */
export const acceptPolicy = {
  name: 'effect-class',
  judge: (call: CallFacts): Verdict =>
    verdict(
      'Accept',
      `effect-class/${call.effectClass}`,
      `No rule is against it, and its effect is ${EFFECT_WORDS[call.effectClass]}.`,
    ),
};

/** The approval that a call with this digest would use up; undefined when a person has denied it, too. */
export function usableApproval(argumentsDigest: string, context: GateContext): Approval | undefined {
  const own = context.approvals.filter((approval) => approval.argumentsDigest === argumentsDigest);
  if (own.some((approval) => approval.decision === 'Deny')) return undefined;
  return own.find((approval) => approval.expiresAtMs > context.nowMs);
}

function approvalsOf(call: CallFacts, context: GateContext): readonly Approval[] {
  return context.approvals.filter((approval) => approval.argumentsDigest === call.argumentsDigest);
}
