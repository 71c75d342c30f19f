/**
 * Makes the gate from a CharacterSpec: one ordered list of policies, the first decisive one wins.
 *
 * I1  A broken entry or rule is an error at load that names it; none is ever skipped.
 * I2  Adding a `never` or `consult` entry, a rule or a denial never makes any verdict milder (`tool-policies.ts`, I2).
 * I3  An approval answers a question; it never lifts a refusal.
 *
 * Source: design 5.4, 5.8; springdrift 2.4, 2.6 (a policy that cannot be read must not fall back to defaults).
 */
import { AgentGates } from '@retainer/contract/api/agent-tools';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { compileEntry, type CompiledEntry, type Quantifier } from './authority-entry.ts';
import { nextStep, type RuleGate } from './chain/next-step.ts';
import type { AuthorityEntry, CharacterPolicy, GateRules } from './character-policy.ts';
import { compileGlob, type Glob } from './glob.ts';
import {
  privateArgumentsPolicy,
  ruleOfTwoPolicy,
  secretsPolicy,
  taintedEffectPolicy,
  untrustedAddressPolicy,
} from './provenance/flow-policies.ts';
import { believedFactPolicy, freeFiles, otherFilePolicy, servingPolicy } from './provenance/inside-policies.ts';
import { compileScoring } from './score/scoring.ts';
import { compileRule, findRules, textRuleName, type CompiledRule } from './text-rule.ts';
import type { KnownTools } from './tool-facts.ts';
import { withOverrides } from './override.ts';
import {
  acceptPolicy,
  holdsFor,
  allowListPolicies,
  consultPolicy,
  externalWritePolicy,
  irreversiblePolicy,
  neverPolicy,
  refusedApprovalPolicy,
  toolRulePolicy,
  toolRuleName,
  unlessApproved,
  type ToolPolicy,
} from './tool-policies.ts';
import type { GateName, MatchedRule } from './verdict.ts';
import type { Gate } from './gate.ts';
import { WORKSPACE_ROOT } from './workspace-path.ts';

interface CompiledCharacter {
  readonly never: readonly CompiledEntry[];
  readonly consult: readonly CompiledEntry[];
  readonly alone: readonly CompiledEntry[];
  readonly inputRules: readonly CompiledRule[];
  readonly toolRules: readonly { readonly agent: string | undefined; readonly rule: CompiledRule }[];
  readonly outputRules: readonly CompiledRule[];
  readonly allowedPaths: readonly Glob[];
  readonly allowedDomains: readonly string[];
}

/**
 * @param characterDigest  stamped on the gate; SHA-256 of the CharacterSpec
 * @param known            what the tools are that it judges calls of
 * @param agentGates       how far the Agent tightens it; without an Agent as one that says nothing
 * @returns                the gate, or one sentence for each fault, beginning with where it is
 */
export function compileGate(
  policy: CharacterPolicy,
  characterDigest: string,
  known: KnownTools,
  agentGates: AgentGates = AgentGates.parse({}),
): Result<Gate, readonly string[]> {
  const errors: string[] = [];
  const character = compileCharacter(policy, known, errors);
  const scoring = compileScoring(policy, agentGates, errors);
  if (errors.length > 0) return err(errors);
  const chain = toolChain(character, known);
  const rules: RuleGate = {
    characterDigest,
    tool(call, context) {
      for (const candidate of chain) {
        const verdict = candidate.judge(call, context);
        if (verdict !== undefined) return verdict;
      }
      return acceptPolicy.judge(call);
    },
    rulesIn: (gate, text, agent) => matchedRules(character, gate, text, agent),
    readOnlyPaths: scriptReadOnlyPaths(character),
    freeFiles: (circumstances) => freeFiles(character.alone, circumstances),
  };
  return ok(withOverrides({ ...rules, next: (inquiry) => nextStep(rules, scoring, inquiry) }));
}

function matchedRules(
  character: CompiledCharacter,
  gate: GateName,
  text: string,
  agent: string,
): readonly MatchedRule[] {
  const own = character.toolRules.filter((it) => it.agent === undefined || holdsFor(it.agent, agent));
  const rules = {
    Input: character.inputRules.map((rule) => ({ rule, name: textRuleName('Input', rule) })),
    Tool: own.map((it) => ({ rule: it.rule, name: toolRuleName(it.rule, it.agent) })),
    Output: character.outputRules.map((rule) => ({ rule, name: textRuleName('Output', rule) })),
  }[gate];
  const names = new Map(rules.map(({ rule, name }) => [rule, name]));
  return findRules([...names.keys()], text).map(({ rule, start, end }) => {
    return { rule: names.get(rule) ?? rule.id, verdict: rule.verdict, reason: rule.reason, start, end };
  });
}

/** Read it aloud: what refuses, then what asks; what is left is accepted. */
function toolChain(character: CompiledCharacter, known: KnownTools): readonly ToolPolicy[] {
  const rules = (kind: CompiledRule['verdict']): readonly ToolPolicy[] =>
    character.toolRules.filter((it) => it.rule.verdict === kind).map((it) => toolRulePolicy(it.rule, it.agent));
  const refusing = [
    secretsPolicy,
    ...character.never.map(neverPolicy),
    ...rules('Reject'),
    privateArgumentsPolicy,
    ruleOfTwoPolicy,
    refusedApprovalPolicy,
  ];
  const asking = [
    ...rules('Escalate'),
    irreversiblePolicy,
    ...character.consult.map(consultPolicy),
    ...allowListPolicies(character.allowedPaths, character.allowedDomains, known),
    untrustedAddressPolicy(character.allowedDomains),
    taintedEffectPolicy,
    externalWritePolicy(character.alone),
    otherFilePolicy(character.alone),
    believedFactPolicy,
    servingPolicy(known),
  ];
  return [...refusing, ...asking.map(unlessApproved)];
}

/**
 * What scripts may not write: a gate cannot read a script's mind, so files that must not be written, or not without
 * asking, are mounted read-only for it. A glob becomes the directory before its first wildcard: rather too much than a gap.
 */
function scriptReadOnlyPaths(character: CompiledCharacter): readonly string[] {
  const paths = [...character.never, ...character.consult].flatMap((entry) =>
    entry.scriptGlobs.map((glob) => glob.staticPrefix),
  );
  const isBelow = (path: string, other: string): boolean =>
    path !== other && (other === WORKSPACE_ROOT || path.startsWith(`${other}/`));
  const outermost = paths.filter((path) => !paths.some((other) => isBelow(path, other)));
  return [...new Set(outermost)].toSorted();
}

function compileCharacter(policy: CharacterPolicy, known: KnownTools, errors: string[]): CompiledCharacter {
  const authority = policy.authority ?? {};
  const gates = policy.gatePolicies ?? {};
  const allowed = gates.allowLists ?? {};
  const some: EntryReading = { quantifier: 'some', known };
  return {
    never: compileEntries('authority.never', authority.never ?? [], some, errors),
    consult: compileEntries('authority.consult', authority.consult ?? [], some, errors),
    alone: compileEntries('authority.alone', authority.alone ?? [], { quantifier: 'every', known }, errors),
    inputRules: compileRules('gatePolicies.input.rules', gates.input, errors),
    toolRules: compileToolRules(gates, errors),
    outputRules: compileRules('gatePolicies.output.rules', gates.output, errors),
    allowedPaths: (allowed.paths ?? []).flatMap((path) =>
      collect('gatePolicies.allowLists.paths', compileGlob(path), errors),
    ),
    allowedDomains: (allowed.domains ?? []).map((domain) => domain.toLowerCase()),
  };
}

/**
 * The rules for everybody, then those of single specialists.
 *
 * Differs: springdrift's overrides replace the default gate (2.4); here an override's rules are added, because a
 * specialist must not lose a refusal that holds for everybody.
 */
function compileToolRules(
  gates: NonNullable<CharacterPolicy['gatePolicies']>,
  errors: string[],
): CompiledCharacter['toolRules'] {
  const common = compileRules('gatePolicies.tool.rules', gates.tool, errors);
  const special = (gates.agentOverrides ?? []).flatMap(({ agent, tool }) =>
    compileRules(`gatePolicies.agentOverrides/${agent}.rules`, tool, errors).map((rule) => ({ agent, rule })),
  );
  return [...common.map((rule) => ({ agent: undefined, rule })), ...special];
}

interface EntryReading {
  readonly quantifier: Quantifier;
  readonly known: KnownTools;
}

function compileEntries(
  where: string,
  entries: readonly AuthorityEntry[],
  { quantifier, known }: EntryReading,
  errors: string[],
): readonly CompiledEntry[] {
  errors.push(...doubledIds(where, entries));
  return entries.flatMap((entry) => {
    const compiled = compileEntry(entry, quantifier, known);
    if (compiled.ok) return [compiled.value];
    errors.push(...compiled.error.map((error) => `${where}/${entry.id}: ${error}`));
    return [];
  });
}

function compileRules(where: string, policy: GateRules | undefined, errors: string[]): readonly CompiledRule[] {
  const rules = policy?.rules ?? [];
  errors.push(...doubledIds(where, rules));
  return rules.flatMap((rule) => collect(`${where}/${rule.id}`, compileRule(rule), errors));
}

function collect<T>(where: string, result: Result<T, string>, errors: string[]): readonly T[] {
  if (result.ok) return [result.value];
  errors.push(`${where}: ${result.error}`);
  return [];
}

function doubledIds(where: string, items: readonly { readonly id: string }[]): readonly string[] {
  const ids = items.map((item) => item.id);
  const doubled = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...doubled].map(
    (id) => `${where}/${id}: the id is used twice, so a verdict would not say which rule decided`,
  );
}
