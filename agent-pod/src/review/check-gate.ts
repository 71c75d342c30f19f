/** A gate for trials on texts and calls of a person's own. Nothing is recorded. */
import { NAMED_MODEL_ROLES } from '@retainer/contract/api/roles';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { GateSubject } from '@retainer/mind/gate/chain/inquiry';
import type { GateAnswers } from '@retainer/mind/gate/chain/answers';
import { checkCall, checkText, type Check } from '@retainer/mind/gate/check-text';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { GateContext } from '@retainer/mind/gate/verdict';
import { createRegistry, knownTools } from '../parts/catalog.ts';
import type { Gate } from '@retainer/mind/gate/gate';

export type { CheckFinding } from '@retainer/mind/gate/verdict';

/** A question that the running gate would ask a model. Without an answer the verdict is that of the rules. */
export type ModelQuestion = 'Probes' | 'Score';

export interface TriedCheck extends Check {
  readonly wouldAsk: readonly ModelQuestion[];
}

export interface GateTrial {
  /** SHA-256 of the CharacterSpec; undefined without one. */
  readonly characterDigest: string | undefined;
  /** @param autonomous  no person is in the conversation */
  text(name: 'Input' | 'Output', text: string, autonomous: boolean): TriedCheck;
  /** The error says what is wrong with the call, in the words for a model. */
  call(call: TriedCall, autonomous: boolean): Result<TriedCheck, string>;
}

/** A call of a tool of the catalog. */
export interface TriedCall {
  readonly tool: string;
  readonly input: unknown;
  /** The calling role, in any case: a role that asks a model, or one that the character names; the Executor by default. */
  readonly agent?: string | undefined;
}

const WEB_PORTS: readonly number[] = [80, 443];
const FETCH_BYTES_MAX = 1024 * 1024;
const FETCH_TIMEOUT_MS = 10_000;

/** @param character  undefined: the shipped rules alone. @returns one sentence for each fault of the character */
export function tryGate(character: CharacterSpec | undefined): Result<GateTrial, readonly string[]> {
  const digest = character === undefined ? undefined : characterDigest(character.spec);
  const gate = compileGate(character?.spec ?? {}, digest ?? '', knownTools);
  if (!gate.ok) return gate;
  const registry = wholeCatalog();
  const special = (character?.spec.gatePolicies.agentOverrides ?? []).map((it) => it.agent);
  const agents = [...new Set<string>([...NAMED_MODEL_ROLES, ...special])];
  return ok({
    characterDigest: digest,
    text: (name, text, autonomous) => check(gate.value, { gate: name, text }, contextOf('executor', autonomous)),
    call({ tool, input, agent = 'Executor' }, autonomous) {
      if (!agents.some((name) => name.toLowerCase() === agent.toLowerCase())) {
        return err(`agent: unknown agent ${agent}; allowed: ${agents.join(', ')}`);
      }
      const parsed = registry.parse(tool, input);
      if (!parsed.ok) return parsed;
      return ok(check(gate.value, { gate: 'Tool', call: parsed.value }, contextOf(agent, autonomous)));
    },
  });
}

/** The verdict of the rules, and the questions that the gate would ask. A probe that is not asked shows nothing. */
function check(gate: Gate, subject: GateSubject, context: GateContext): TriedCheck {
  const ruled =
    subject.gate === 'Tool'
      ? checkCall(gate, subject.call, context)
      : checkText(gate, subject.gate, subject.text, context);
  return { ...ruled, wouldAsk: questionsOf(gate, subject, context) };
}

function questionsOf(gate: Gate, subject: GateSubject, context: GateContext): readonly ModelQuestion[] {
  const ask = (answers: GateAnswers): ReturnType<Gate['next']>['kind'] =>
    gate.next({ subject, context, background: '', past: { scores: [], iterations: 0, modifications: 0 }, answers })
      .kind;
  const first = ask({});
  if (first === 'Score') return ['Score'];
  if (first === 'Decided') return [];
  return ask({ probes: { hijack: 'Inconclusive', leakage: 'Inconclusive' } }) === 'Score'
    ? ['Probes', 'Score']
    : ['Probes'];
}

/** No approval is at hand, so time does not matter. */
function contextOf(agent: string, autonomous: boolean): GateContext {
  return { agent, autonomous, nowMs: 0, approvals: [] };
}

/** Every tool: a tool that an Agent lacks cannot be called at all. */
function wholeCatalog(): ReturnType<typeof createRegistry> {
  return createRegistry({
    sandboxLanguages: ['bash', 'javascript', 'python'],
    code: { serve: true },
    fetch: {
      allowedDomains: ['*'],
      ports: WEB_PORTS,
      bytesMax: FETCH_BYTES_MAX,
      timeoutMs: FETCH_TIMEOUT_MS,
      redirectsMax: 0,
    },
    mail: { address: 'agent@example.org', allowedRecipients: ['*'] },
  });
}
