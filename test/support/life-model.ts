/** Who thinks and who acts in a generated life: a model that works as its run is named, a gate that scores, tools that write memory. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ok } from '@retainer/contract/std/result';
import type { ToolExecutor, ToolMemory } from '@retainer/agent-pod/loop/tool-executor';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { Permit } from '@retainer/agent-pod/ports/tool';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import type { Gate } from '@retainer/mind/gate/gate';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ModelAnswer, ModelRequest } from '@retainer/mind/request/model-request';
import { scripted } from './agents.ts';
import type { Call } from './approval-runs.ts';
import { ANSWER, World } from './crash-world.ts';
import { config } from './cycles.ts';
import { draftsRules } from './drafts-life.ts';
import type { TaskKind } from './life-steps.ts';

const change = (input: object): Call => ['change', input as Call[1]];
const twice = (call: Call): readonly Call[] => [call, call];

/** Calls of the executor by turn; after them it says that it is done. */
const works: Readonly<Record<TaskKind, readonly (readonly Call[])[]>> = {
  works: [[change({ column: 'fail' }), change({ column: 'right' })]],
  fails: [twice(change({ column: 'fail' })), [change({ column: 'fail' })], [['look', { at: 'fail' }]]],
  says: [],
  forbids: [[change({ path: 'FORBIDDEN' })]],
  sends: [[['look', { at: 'text' }]], [['send', { text: 'Good morning.' }]]],
  asks: [],
  wonders: [[['ask_person', { question: 'Which column?' }]]],
  notes: [[change({ fact: 'price', trust: 'Trusted' })]],
  hears: [[change({ fact: 'owner', trust: 'Untrusted' })]],
  keeps: [[['look', { artifact: 'long' }], change({ file: 'sums.csv' })]],
  codes: [[['run_code', { code: 'print(1)' }]]],
  crashes: [[['run_code', { code: 'unstartable' }]]],
  spends: [[['look', { at: 'all' }]], [['look', { at: 'more' }]]],
  risks: [],
  plans: [],
};

const says: Partial<Readonly<Record<TaskKind, string>>> = { says: 'FORBIDDEN', risks: 'RISKY as it is.' };

/** Input tokens of one answer: who spends much is an outlier. */
const tokensOf = (kind: TaskKind): number => (kind === 'spends' ? 9000 : 300);

const oneStep = '<perception><task slug="work" shape="SingleStep"><intent>Do it.</intent></task></perception>';
const question = '<perception><question>Which column is meant?</question></perception>';

const UNMET =
  '<attempt><verdict criterion="1" met="false" failureClass="Logical"><reason>no sum</reason></verdict><whatWasWrong>no sum</whatWasWrong><whatToDo>sum</whatToDo></attempt>';

/** Cites the last call that succeeded; where there is none, nothing is met. */
function verdictOn(request: ModelRequest, kind: TaskKind): string {
  const texts = request.messages.flatMap(({ content }) =>
    content.flatMap((it) => (it.type === 'Text' ? [it.text] : [])),
  );
  const id = [...texts.join('\n').matchAll(/^tool-call (\S+) tool=\S+ status=ok/gm)].at(-1)?.[1];
  if (kind === 'fails' || id === undefined) return UNMET;
  return `<attempt><verdict criterion="1" met="true"><evidence>${id}</evidence><reason>shown</reason></verdict></attempt>`;
}

export const kindOf = (runId: string): TaskKind => {
  const [kind = ''] = runId.split('-');
  // A letter that a person releases names its run itself.
  return kind === 'mail' ? 'works' : (kind as TaskKind);
};

/** The same request gets the same answer, in any process. */
export async function lifeModel(): Promise<ModelPort> {
  const planner = await scripted(draftsRules);
  return {
    name: 'life',
    infer: (request, options) => {
      const kind = kindOf(options.callId);
      if (kind === 'plans') return planner.infer(request, options);
      return Promise.resolve(ok(answerTo(request, kind)));
    },
  };
}

function answerTo(request: ModelRequest, kind: TaskKind): ModelAnswer {
  if (request.role === 'agent-validator') return answer(request, kind, [], verdictOn(request, kind));
  if (request.role !== 'executor') {
    const isAsked = JSON.stringify(request.messages).includes(ANSWER);
    return answer(request, kind, [], kind === 'asks' && !isAsked ? question : oneStep);
  }
  const turn = request.messages.filter(({ role }) => role === 'Assistant').length;
  const calls = works[kind][turn] ?? [];
  return answer(request, kind, calls, says[kind] ?? 'It is done.');
}

function answer(request: ModelRequest, kind: TaskKind, calls: readonly Call[], text: string): ModelAnswer {
  const uses = calls.map(([name, input], index) => ({
    ...{ type: 'ToolUse' as const, id: `use-${request.messages.length}-${index}`, name, input },
  }));
  return {
    content: uses.length > 0 ? uses : [{ type: 'Text', text }],
    stop: uses.length > 0 ? 'ToolUse' : 'EndTurn',
    usage: { inputTokens: tokensOf(kind), outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
    model: request.model,
    latencyMs: 1,
    attempts: 1,
  };
}

/** US dollars for a thousand tokens: so that budgets of money have figures that are no whole numbers. */
const USD_PER_THOUSAND = 0.3;

export const costUsd = (_model: string, usage: ModelAnswer['usage']): number =>
  ((usage.inputTokens + usage.outputTokens) / 1000) * USD_PER_THOUSAND;

/** D′ of a risky text: enough to tighten the gates, and to stall. */
const RISKY_SCORE = 0.3;

/** That of `cycles.ts`, which also scores what goes out. */
export const scoringGate: Gate = {
  ...config.gate,
  next: (inquiry) => {
    const step = config.gate.next(inquiry);
    if (step.kind !== 'Decided' || inquiry.subject.gate !== 'Output') return step;
    const score = inquiry.subject.text.includes('RISKY') ? RISKY_SCORE : 0;
    return { ...step, record: { ...step.record, score } };
  },
};

const labelled = (trust: Label['trust']): Label => ({ source: { kind: 'Workspace' }, trust, readers: ['owner'] });

/** Its calls write what those of real tools write; a call that a crash cut off is done when it is looked up, and writes the same. */
export class LifeWorld extends World {
  override label = labelled('Trusted');

  executorWith(memory: ToolMemory): ToolExecutor {
    return {
      execute: async (permit) => this.#written(permit, await this.execute(permit), memory),
      lookup: async (permit) => {
        const outcome = await this.lookup(permit);
        return outcome === undefined ? undefined : this.#written(permit, outcome, memory);
      },
      replaces: () => this.replaces(),
      standing: () => this.standing(),
      asks: () => this.asks(),
      deniedBefore: () => this.deniedBefore(),
    };
  }

  /** As a crash after these records left it. */
  asAfter(records: readonly JournalRecord[]): LifeWorld {
    const world = new LifeWorld();
    for (const { kind, payload } of records) {
      if (kind !== 'ToolRequested') continue;
      const { callId } = payload as { readonly callId: string };
      const outcome = this.known.get(callId);
      if (outcome !== undefined) world.known.set(callId, outcome);
    }
    return world;
  }

  async #written(permit: Permit, outcome: ToolOutcome, memory: ToolMemory): Promise<ToolOutcome> {
    const { runId, cycleId, callId, tool } = permit;
    const of = { runId, cycleId, callId };
    const input = permit.input as Readonly<Record<string, string>>;
    if (input['fact'] !== undefined) await this.#writeFacts(input, of, memory);
    if (input['artifact'] !== undefined)
      await memory.artifacts.put({ text: `${runId} ${outcome.text}`, tool, truncated: false, ...of });
    if (input['file'] !== undefined) {
      const file = { path: `${runId}/${input['file']}`, sha256: sha256Hex(runId), sizeBytes: 1 };
      await memory.files.record({ files: [file], gone: [], label: this.label, why: 'Write' }, of);
    }
    if (tool !== 'run_code') return outcome;
    if (input['code'] === 'unstartable') return { ...outcome, status: 'Error', sandboxFailed: true };
    return { ...outcome, exitCode: 0 };
  }

  async #writeFacts(
    { fact: key = '', trust = 'Trusted' }: Readonly<Record<string, string>>,
    of: { readonly runId: string; readonly cycleId: string; readonly callId: string },
    memory: ToolMemory,
  ): Promise<void> {
    const claim = { derivation: 'Unknown', confidence: 0.5, evidence: [] } as const;
    const label = labelled(trust as Label['trust']);
    const value = `as ${of.runId} found`;
    await memory.facts.write({ ...of, ...claim, key, value, scope: 'Persistent', label });
    await memory.facts.write({ ...of, ...claim, key: 'now', value, scope: 'Run', label });
  }
}
