/** Deterministic rules over a text, and their effect at the input and output gates. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { TextRule } from './character-policy.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import type { Sliced } from './text/pace.ts';
import type { Span, Spelling } from './text/spelling-builder.ts';
import { spellingsOf } from './text/spellings.ts';
import type { GateName, MatchedRule, Policy, Verdict } from './verdict.ts';

export interface CompiledRule {
  readonly id: string;
  readonly pattern: Pattern;
  readonly verdict: 'Escalate' | 'Reject';
  readonly reason: string;
}

export function compileRule(rule: TextRule): Result<CompiledRule, string> {
  const pattern = compilePattern(rule.pattern);
  if (!pattern.ok) return err(pattern.error);
  return ok({ id: rule.id, pattern: pattern.value, verdict: rule.verdict, reason: rule.reason });
}

export function textRuleName(gate: Exclude<GateName, 'Tool'>, { id }: { readonly id: string }): string {
  return `${gate === 'Input' ? 'input-rules' : 'output-rules'}/${id}`;
}

/** The first match of a rule, in UTF-16 units of the text. */
export interface RuleFinding extends Span {
  readonly rule: CompiledRule;
}

/** Every rule that matches a spelling of the text, in the order of the rules. */
export function* findRules(rules: readonly CompiledRule[], text: string): Sliced<readonly RuleFinding[]> {
  if (rules.length === 0) return [];
  const spellings = yield* spellingsOf(text);
  const found: RuleFinding[] = [];
  for (const rule of rules) {
    const match = yield* findRule(rule, spellings);
    if (match !== undefined) found.push(match);
  }
  return found;
}

function* findRule(rule: CompiledRule, spellings: readonly Spelling[]): Sliced<RuleFinding | undefined> {
  for (const spelling of spellings) {
    yield;
    const part = rule.pattern.find(spelling.text);
    if (part !== undefined) return { rule, ...spelling.spanOf(part) };
  }
  return undefined;
}

/** A text and the character's rules that match it. */
export interface MatchedText {
  readonly gate: Exclude<GateName, 'Tool'>;
  readonly text: string;
  readonly matched: readonly MatchedRule[];
}

/**
 * The first rule that rejects decides, else the first that escalates.
 *
 * On an autonomous path both refuse: an escalation needs a score, none is available, and a missing verdict is a refusal. If a
 * person is in the conversation, a rule never refuses the input, but only notes it. Then an escalated reply goes out, and a
 * rejected one does not.
 *
 * Source: springdrift 2; design 5.
 */
export const refusedTextPolicy: Policy<MatchedText> = {
  name: 'text-rules/refused',
  judge({ gate, matched }, { autonomous }) {
    const decisive = decisiveIn(matched);
    if (decisive === undefined || !(autonomous || (gate === 'Output' && decisive.verdict === 'Reject')))
      return undefined;
    return { gate, kind: 'Reject', rule: decisive.rule, reason: decisive.reason };
  },
};

/** Informs the person in the conversation instead of asking: the judgement is theirs. */
export const notedTextPolicy: Policy<MatchedText> = {
  name: 'text-rules/noted',
  judge({ gate, matched }) {
    const decisive = decisiveIn(matched);
    if (decisive === undefined) return undefined;
    const reason = `Noted, not refused, because a person is in the conversation: ${decisive.reason}`;
    return { gate, kind: 'Accept', rule: decisive.rule, reason };
  },
};

function decisiveIn(matched: readonly MatchedRule[]): MatchedRule | undefined {
  return matched.find(({ verdict }) => verdict === 'Reject') ?? matched[0];
}

export function acceptedText({ gate }: MatchedText): Verdict {
  return { gate, kind: 'Accept', rule: textRuleName(gate, { id: 'none' }), reason: 'No rule is against it.' };
}
