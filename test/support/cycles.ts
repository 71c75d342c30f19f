/** Given, when, then for cycles: a pure catalog and gate, and short words for inputs. */
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { decideCycle } from '@retainer/mind/cycle/decide';
import type { ToolCatalog } from '@retainer/mind/cycle/catalog';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleEvent, CycleInput, CycleSpec } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { Decided, Inquiry } from '@retainer/mind/gate/chain/inquiry';
import { NOTHING_FOUND } from '@retainer/mind/gate/chain/rule-reading';
import { TextReader } from '@retainer/mind/gate/chain/text-reader';
import { settled } from '@retainer/mind/gate/verdict-steps';
import type { CallFacts, EffectClass, Verdict } from '@retainer/mind/gate/verdict';
import { testTools } from './known-tools.ts';
import type { Gate } from '@retainer/mind/gate/gate';

export const startMs = 1_000_000;

const effectClasses: Readonly<Record<string, EffectClass>> = {
  look: 0,
  change: 1,
  send: 3,
  request_approval: 0,
  ask_person: 0,
  run_code: 1,
};

/**
 * Six tools: `look`, `change`, `send` (class 3), `request_approval`, `ask_person` and `run_code`; input `{bad: true}` does not parse.
 */
export const catalog: ToolCatalog = {
  specs: (names) => names.map((name) => ({ name, description: name, inputSchema: {} })),
  known: testTools,
  has: (name) => name in effectClasses,
  parse: (name, input) => {
    if ((input as { readonly bad?: boolean } | null)?.bad === true)
      return { ok: false, error: 'field bad is not allowed' };
    return { ok: true, value: facts(name, input) };
  },
};

export function facts(tool: string, input: unknown): CallFacts {
  const argumentsText = canonicalJson(input);
  return {
    tool,
    effectClass: effectClasses[tool] ?? 0,
    readPaths: [],
    writePaths: [],
    domains: [],
    argumentsText,
    argumentsDigest: sha256Hex(`${tool}\n${argumentsText}`),
  };
}

/** Refuses what says FORBIDDEN; class 3 needs leave; everything else may pass. */
export const gate: Gate = {
  characterDigest: 'c'.repeat(64),
  readOnlyPaths: [],
  choice: () => undefined,
  freeFiles: () => undefined,
  texts: new TextReader(function* () {
    yield;
    return NOTHING_FOUND;
  }),
  next: (inquiry) => settled(decided(inquiry, judged(inquiry)), inquiry),
  tool: (call, { approvals, nowMs }) => {
    if (call.argumentsText.includes('FORBIDDEN')) return verdict('Tool', 'Reject', 'never/forbidden');
    const approval = approvals.find((it) => it.argumentsDigest === call.argumentsDigest);
    if (call.effectClass < 3) return verdict('Tool', 'Accept', 'effect-class');
    if (approval === undefined) return verdict('Tool', 'Escalate', 'effect-class/3');
    const isGranted = approval.decision === 'Approve' && approval.expiresAtMs > nowMs;
    return verdict('Tool', isGranted ? 'Accept' : 'Reject', isGranted ? 'approval/granted' : 'approval/denied');
  },
};

function judged({ subject, context }: Inquiry): Verdict {
  return subject.gate === 'Tool' ? gate.tool(subject.call, context) : textVerdict(subject.gate, subject.text);
}

function decided({ subject, context }: Inquiry, verdict: Verdict): Decided {
  const kinds = { Accept: 'Proceed', Escalate: 'AskApproval', Modify: 'Refuse', Reject: 'Refuse' } as const;
  return {
    kind: 'Decided',
    verdict,
    action: { kind: kinds[verdict.kind] },
    record: {
      gate: subject.gate,
      characterDigest: gate.characterDigest,
      subjectDigest: subject.gate === 'Tool' ? subject.call.argumentsDigest : sha256Hex(subject.text),
      agent: context.agent,
      autonomous: context.autonomous,
      alarm: 'None',
      points: 0,
      findings: [],
      scorer: 'NotAsked',
      exemption: 'NoFeatures',
      forecasts: [],
      policies: [],
      decidedBy: verdict.rule,
      intervention: 'None',
    },
  };
}

function textVerdict(name: 'Input' | 'Output', text: string): Verdict {
  return text.includes('FORBIDDEN') ? verdict(name, 'Reject', 'never/forbidden') : verdict(name, 'Accept', 'none');
}

function verdict(name: Verdict['gate'], kind: Verdict['kind'], rule: string): Verdict {
  return { gate: name, kind, rule, reason: `because of ${rule}` };
}

export const config: CycleConfig = { gate, catalog };

export function cycleSpec(spec: Partial<CycleSpec> = {}): CycleSpec {
  const { tools = ['look', 'change', 'send', 'request_approval'] } = spec;
  return {
    cycleId: 'r-c1',
    runId: 'r',
    role: 'Executor',
    autonomous: true,
    tier: 'Capable',
    model: 'm',
    system: [{ text: 'You are a test.', cache: true }],
    input: 'Do it.',
    tools,
    shared: { identity: '', task: '', tools },
    limits: {
      turns: 6,
      toolCalls: 8,
      failedTurnsInRow: 3,
      tokens: 10_000,
      costUsd: 1,
      wallClockMs: 60_000,
      approvalWaitMs: 30_000,
      contextTokens: 5_000,
      outputTokens: 500,
      modelTimeoutMs: 10_000,
    },
    ...spec,
  };
}

/** What the start of a cycle or run holds besides its spec. */
export const drawn = { nonce: 'a1'.repeat(16), deciders: DECIDERS };

/** A cycle under test: feeds inputs, keeps all events, checks the fold. */
export class CycleUnderTest {
  readonly events: CycleEvent[] = [];
  state: CycleState | undefined;
  #nowMs = startMs;

  readonly #config: CycleConfig;

  /** @param parts  another configuration, and the number that marks around untrusted texts are made of */
  constructor(spec: Partial<CycleSpec> = {}, parts: { readonly config?: CycleConfig; readonly nonce?: string } = {}) {
    this.#config = parts.config ?? config;
    const { characterDigest } = this.#config.gate;
    const { nonce = drawn.nonce } = parts;
    this.when({ kind: 'CycleStarted', atMs: startMs, spec: cycleSpec(spec), characterDigest, ...drawn, nonce });
  }

  when(input: CycleInput): readonly CycleEvent[] {
    const events = decideCycle(this.state, input, this.#config);
    for (const event of events) this.state = evolveCycle(this.state, event, this.#config.catalog.known);
    this.events.push(...events);
    return events;
  }

  get now(): CycleState {
    if (this.state === undefined) throw new Error('not started');
    return this.state;
  }

  answer(answer: {
    readonly text?: string;
    /** Before the text and the calls. */
    readonly thought?: string;
    readonly calls?: readonly (readonly [string, Json])[];
    readonly stop?: 'EndTurn' | 'MaxTokens' | 'Refusal';
    readonly refusalCategory?: string;
    readonly tokens?: number;
    readonly costUsd?: number;
    readonly structured?: { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly faults: string };
  }): readonly CycleEvent[] {
    const calls = (answer.calls ?? []).map(([name, input], index) => ({
      type: 'ToolUse' as const,
      id: `use-${this.events.length}-${index}`,
      name,
      input,
    }));
    const thought = answer.thought === undefined ? [] : [{ type: 'Thinking', text: answer.thought, seal: 's' }];
    const text = answer.text === undefined ? [] : [{ type: 'Text' as const, text: answer.text }];
    return this.when({
      kind: 'ModelAnswered',
      atMs: this.tick(),
      callId: this.now.pendingModelCall ?? 'none',
      answer: {
        content: [...thought, ...text, ...calls] as never,
        stop: answer.stop ?? (calls.length > 0 ? 'ToolUse' : 'EndTurn'),
        ...(answer.refusalCategory === undefined ? {} : { refusalCategory: answer.refusalCategory }),
        usage: { inputTokens: answer.tokens ?? 10, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        model: 'm',
        latencyMs: 1,
        attempts: 1,
      },
      costUsd: answer.costUsd ?? 0.001,
      ...(answer.structured === undefined ? {} : { structured: answer.structured as never }),
    });
  }

  finish(callId: string, text = 'done', status: 'Ok' | 'Error' = 'Ok'): readonly CycleEvent[] {
    return this.when({
      kind: 'ToolFinished',
      atMs: this.tick(),
      callId,
      outcome: { status, text, outputBytes: text.length, outputSha256: sha256Hex(text), files: [], durationMs: 1 },
    });
  }

  decideApproval(requestId: string, decision: 'Approve' | 'Deny', argumentsDigest: string): readonly CycleEvent[] {
    return this.when({
      kind: 'ApprovalDecided',
      atMs: this.tick(),
      requestId,
      argumentsDigest,
      decision,
      by: 'ann',
      reason: 'said so',
    });
  }

  tick(durationMs = 1): number {
    this.#nowMs += durationMs;
    return this.#nowMs;
  }

  kinds(): readonly string[] {
    return this.events.map((event) => event.kind);
  }
}
