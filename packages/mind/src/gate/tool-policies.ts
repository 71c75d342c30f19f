/** The policies that refuse a call or ask a person about it. `verdict-steps.ts` defines their order. */
import type { CharacterPolicy } from './character-policy.ts';
import { coversHost, screenedArguments, type CompiledEntry } from './authority-entry.ts';
import type { Glob } from './glob.ts';
import { goesByMail, wordsOfLetter } from './provenance/mail-receivers.ts';
import { textRuleName, type CompiledRule } from './text-rule.ts';
import { holdsFor } from './holds-for.ts';
import type { KnownTools } from './tool-facts.ts';
import type { CallFacts, Verdict, Policy } from './verdict.ts';
import { WORKSPACE_ROOT } from './workspace-path.ts';

export type ToolPolicy = Policy<CallFacts>;

/** Lowest effect class that needs permission. Source: design 5 (Law 1). */
const ASKING_EFFECT_CLASS = 3;
const IRREVERSIBLE_EFFECT_CLASS = 4;

const EFFECT_WORDS = ['pure', 'local and reversible', 'reading outside', 'writing outside', 'irreversible'] as const;

function verdict(kind: Verdict['kind'], rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind, rule, reason };
}

/** Refuses what the character never does. */
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

/** The name of the rule in verdicts. @param agent  the agent that it holds for; undefined: all */
export function toolRuleName(rule: CompiledRule, agent: string | undefined): string {
  return agent === undefined ? `tool-rules/${rule.id}` : `tool-rules/${agent}/${rule.id}`;
}

/** A deterministic rule over the arguments, for all agents or for one. */
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

/** A rule of the output gate, over the words of a letter: they leave like a reply. */
export function letterRulePolicy(rule: CompiledRule, known: KnownTools): ToolPolicy {
  const name = textRuleName('Output', rule);
  return {
    name,
    judge: (call) =>
      goesByMail(call, known) && rule.pattern.isFoundIn(wordsOfLetter(call, known))
        ? verdict(rule.verdict, name, rule.reason)
        : undefined,
  };
}

/** Asks about paths and hosts outside the character's allow-lists. */
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

/** A script can touch every file that it sees; its text proves nothing. */
function touchedPaths(call: CallFacts, known: KnownTools): readonly string[] {
  const isBounded = known.factsOf(call.tool).writes !== 'Anything';
  return isBounded ? [...call.readPaths, ...call.writePaths] : [WORKSPACE_ROOT];
}

/** Law 1: nothing irreversible happens without a person's permission for exactly this call. Source: artoo A.15; design 5. */
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

/** Asks what the tool itself wants to be asked, of a thing whose recorded state demands a person: no text of a prompt counts. */
export const toolAsksPolicy: ToolPolicy = {
  name: 'tool/asks',
  judge: (_call, { toolAsks }) => (toolAsks === undefined ? undefined : verdict('Escalate', 'tool/asks', toolAsks)),
};

/** Asks about what the character consults on. */
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

/** Writing outside needs permission, unless the character grants it for such calls. */
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

/** The verdict if no policy refuses or asks. */
export function acceptedCall({ effectClass }: CallFacts): Verdict {
  const reason = `No rule is against it, and its effect is ${EFFECT_WORDS[effectClass]}.`;
  return verdict('Accept', `effect-class/${effectClass}`, reason);
}
