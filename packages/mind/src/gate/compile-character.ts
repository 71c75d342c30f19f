/**
 * Compiles the rules of a CharacterSpec: what the character never does, asks about and may do alone, rules over texts,
 * allow-lists.
 *
 * I1  A broken entry or rule is an error at load that names it; none is ever skipped.
 *
 * Source: design 5; springdrift 2 (a policy that cannot be read must not fall back to defaults).
 */
import type { Result } from '@retainer/contract/std/result';
import { compileEntry, type CompiledEntry, type Quantifier } from './authority-entry.ts';
import type { AuthorityEntry, CharacterPolicy, GateRules } from './character-policy.ts';
import { compileGlob, type Glob } from './glob.ts';
import type { KnownTools } from './tool-facts.ts';
import { compileRule, type CompiledRule } from './text-rule.ts';

export interface CompiledCharacter {
  readonly never: readonly CompiledEntry[];
  readonly consult: readonly CompiledEntry[];
  readonly alone: readonly CompiledEntry[];
  readonly inputRules: readonly CompiledRule[];
  readonly toolRules: readonly { readonly agent: string | undefined; readonly rule: CompiledRule }[];
  readonly outputRules: readonly CompiledRule[];
  readonly allowedPaths: readonly Glob[];
  readonly allowedDomains: readonly string[];
}

/** @param errors  receives one sentence for each error; the sentence begins with the location */
export function compileCharacter(policy: CharacterPolicy, known: KnownTools, errors: string[]): CompiledCharacter {
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
 * The rules for all agents, then those for single specialists.
 *
 * Differs: springdrift's overrides replace the default gate (2.4). Here an override adds its rules, because a specialist must not
 * lose a refusal that holds for all.
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
  return [...doubled].map((id) => `${where}/${id}: the id is used twice; rename one, so that a verdict names one rule`);
}
