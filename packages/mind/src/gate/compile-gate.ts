/** Compiles a CharacterSpec to a gate, or reports its errors. `verdict-steps.ts` defines how the gate judges. */
import { AgentGates } from '@retainer/contract/api/agent-tools';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { CharacterPolicy } from './character-policy.ts';
import { compileCharacter, type CompiledCharacter } from './compile-character.ts';
import { findInText } from './chain/rule-reading.ts';
import { TextReader } from './chain/text-reader.ts';
import type { Gate } from './gate.ts';
import { choiceOf } from './provenance/choice-budget.ts';
import { freeFiles } from './provenance/inside-policies.ts';
import { compileScoring } from './score/scoring.ts';
import { findRules, textRuleName } from './text-rule.ts';
import type { Sliced } from './text/pace.ts';
import type { KnownTools } from './tool-facts.ts';
import { holdsFor } from './holds-for.ts';
import { toolRuleName } from './tool-policies.ts';
import { callPolicies, nextStep, ruledCall } from './verdict-steps.ts';
import type { GateName, MatchedRule } from './verdict.ts';
import { WORKSPACE_ROOT } from './workspace-path.ts';

/**
 * @param characterDigest  SHA-256 of the CharacterSpec; stamped on the gate
 * @param known            facts of all tools whose calls the gate judges
 * @param agentGates       how far the Agent tightens the gate; the default tightens nothing
 * @returns                the gate, or one sentence for each error; the sentence begins with the location
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
  const policies = callPolicies(character, known);
  const rules = {
    rulesIn: (gate: GateName, text: string, agent: string) => matchedRules(character, gate, text, agent),
    hasDetector: policy.gatePolicies?.detector ?? false,
  };
  const texts = new TextReader((gate, text, agent) => findInText(rules, gate, text, agent));
  const judging = { characterDigest, policies, scoring, texts };
  return ok({
    characterDigest,
    texts,
    tool: (call, context) => ruledCall(policies, call, context),
    choice: (call, { read }) => choiceOf(call, read, character.allowedDomains),
    next: (inquiry) => nextStep(judging, inquiry),
    readOnlyPaths: scriptReadOnlyPaths(character),
    freeFiles: (circumstances) => freeFiles(character.alone, circumstances),
  });
}

function* matchedRules(
  character: CompiledCharacter,
  gate: GateName,
  text: string,
  agent: string,
): Sliced<readonly MatchedRule[]> {
  const own = character.toolRules.filter((it) => it.agent === undefined || holdsFor(it.agent, agent));
  const rules = {
    Input: character.inputRules.map((rule) => ({ rule, name: textRuleName('Input', rule) })),
    Tool: own.map((it) => ({ rule: it.rule, name: toolRuleName(it.rule, it.agent) })),
    Output: character.outputRules.map((rule) => ({ rule, name: textRuleName('Output', rule) })),
  }[gate];
  const names = new Map(rules.map(({ rule, name }) => [rule, name]));
  const found = yield* findRules([...names.keys()], text);
  return found.map(({ rule, start, end }) => {
    return { rule: names.get(rule) ?? rule.id, verdict: rule.verdict, reason: rule.reason, start, end };
  });
}

/**
 * The paths that scripts may not write. A gate cannot predict a script, so the sandbox mounts files read-only if a script must
 * not write them, or must ask first. A glob becomes the directory before its first wildcard, which protects too much rather than
 * too little.
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
