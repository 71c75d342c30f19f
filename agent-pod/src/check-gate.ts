/** The gate of a character for whoever tries it on texts and calls of their own; nothing is recorded. */
import { MODEL_ROLES } from '@retainer/contract/api/agent-models';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { checkCall, checkText, type Check } from './gate/check-text.ts';
import { compileGate } from './gate/compile-gate.ts';
import type { GateContext } from './gate/verdict.ts';
import { createRegistry } from './tools/registry.ts';

export type { Check, CheckFinding } from './gate/check-text.ts';

export interface GateTrial {
  /** SHA-256 of the CharacterSpec; undefined without one. */
  readonly characterDigest: string | undefined;
  /** @param autonomous  nobody waits at the other end */
  text(name: 'Input' | 'Output', text: string, autonomous: boolean): Check;
  /** The error says what in the call is wrong, as a model would be told. */
  call(call: TriedCall, autonomous: boolean): Result<Check, string>;
}

/** A call of a tool of the catalog. */
export interface TriedCall {
  readonly tool: string;
  readonly input: unknown;
  /** Role that makes it, in any case: one that asks a model, or one that the character names; the Executor where it is not said. */
  readonly agent?: string | undefined;
}

/** Ports that web pages are served on. */
const WEB_PORTS: readonly number[] = [80, 443];
const FETCH_BYTES_MAX = 1024 * 1024;
const FETCH_TIMEOUT_MS = 10_000;

/**
 * @param character  undefined: the shipped rules alone
 * @returns          the trial, or one sentence for each fault of the character
 */
export function tryGate(character: CharacterSpec | undefined): Result<GateTrial, readonly string[]> {
  const digest = character === undefined ? undefined : characterDigest(character.spec);
  const gate = compileGate(character?.spec ?? {}, digest ?? '');
  if (!gate.ok) return gate;
  const registry = wholeCatalog();
  const special = (character?.spec.gatePolicies.agentOverrides ?? []).map((it) => it.agent);
  const agents = [...new Set<string>([...MODEL_ROLES, ...special])];
  return ok({
    characterDigest: digest,
    text: (name, text, autonomous) => checkText(gate.value, name, text, contextOf('executor', autonomous)),
    call({ tool, input, agent = 'Executor' }, autonomous) {
      if (!agents.some((name) => name.toLowerCase() === agent.toLowerCase())) {
        return err(`agent: there is no ${agent}; allowed: ${agents.join(', ')}`);
      }
      const parsed = registry.parse(tool, input);
      return parsed.ok ? ok(checkCall(gate.value, parsed.value, contextOf(agent, autonomous))) : parsed;
    },
  });
}

/** No approval is at hand, so time does not matter. */
function contextOf(agent: string, autonomous: boolean): GateContext {
  return { agent, autonomous, nowMs: 0, approvals: [] };
}

/** Every tool there is: what an Agent leaves out cannot be called at all. */
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
  });
}
