/**
 * What a role may do: send a message, ask a model, record a judgement. Every role has its own role context. One role
 * reaches another only by a message that the table of routes allows.
 */
import { knownModel, takesChoiceNone } from '@retainer/contract/api/known-models';
import { roleRow, THINKING_ROLES, type ThinkingRole } from '@retainer/contract/api/roles';
import { invariant } from '@retainer/contract/std/invariant';
import {
  BUS_SCHEMA_VERSION,
  contentHash,
  type BusMessage,
  type BusPayload,
} from '@retainer/contract/wire/bus/envelope';
import { BUS_ROUTES, mayTravel, type BusMessageType, type BusRole } from '@retainer/contract/wire/bus/roles';
import { taskSections } from '../assemble/shared-start.ts';
import type { AskedModel, CycleSpec } from '../cycle/event.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import { toolsPlannedFirst } from './dispatch/frozen-plan.ts';
import { variedBy } from './circles.ts';
import type { CyclePurpose, RunDecision, RunEvent, RunSpec, WorkKind } from './event.ts';
import { evolveRun } from './evolve.ts';
import { gatesWithinReach, withinReach, type Want } from './fall-back.ts';
import { provenanceOf } from './handed-on.ts';
import { isForTask, repliesAs } from './run-cause.ts';
import { remainingLimits } from './remaining-limits.ts';
import { withMessage, type RunState } from './state.ts';

/** A decision in progress: the state so far, and the events so far. */
export interface Draft {
  state: RunState;
  readonly events: RunEvent[];
  readonly known: KnownTools;
}

export function record(draft: Draft, event: RunDecision): void {
  draft.events.push(event);
  draft.state = evolveRun(draft.state, event);
}

/** Consecutive messages are one event. Between sending and handling, the state of a message needs no event. */
function recordMessage(draft: Draft, message: BusMessage): void {
  if (!draft.state.passesInline) return record(draft, { kind: 'MessageSent', messages: [message] });
  const last = draft.events.at(-1);
  if (last?.kind === 'MessageSent') last.messages.push(message);
  else draft.events.push({ kind: 'MessageSent', messages: [message] });
  draft.state = withMessage(draft.state, message);
}

interface Reference {
  /** The round of the message; that of the newest message when absent. */
  readonly round: number;
  readonly causationId?: string;
  readonly correlationId?: string;
  readonly cycleId?: string;
}

export interface Question {
  readonly input: string;
  readonly judged?: NonNullable<CycleSpec['judged']>;
  readonly structured?: NonNullable<CycleSpec['structured']>;
  readonly blocked?: NonNullable<CycleSpec['blocked']>;
  /** The worker instead of the role. */
  readonly worker?: NonNullable<CycleSpec['worker']>;
  /** Other duties than the role's. */
  readonly system?: CycleSpec['system'];
  /** Another model than the role's. */
  readonly tier?: CycleSpec['tier'];
  readonly model?: CycleSpec['model'];
  readonly price?: NonNullable<CycleSpec['price']>;
  readonly ask?: NonNullable<CycleSpec['ask']>;
  /** How often who works went round in earlier attempts; absent: never. */
  readonly circles?: number;
  /** Where the model takes one and the Agent sets none. */
  readonly temperature?: number;
  /** The worker answered without a call before, and nothing was proved. */
  readonly hasCalledNothing?: boolean;
  /** Tighter limits than the role's. */
  readonly atMost?: Partial<CycleSpec['limits']>;
}

export class RoleContext {
  readonly #draft: Draft;
  readonly role: BusRole;

  constructor(draft: Draft, role: BusRole) {
    this.#draft = draft;
    this.role = role;
  }

  get state(): RunState {
    return this.#draft.state;
  }

  get known(): KnownTools {
    return this.#draft.known;
  }

  send<T extends BusMessageType>(type: T, payload: BusPayload<T>, reference: Reference): void {
    const { to } = BUS_ROUTES[type];
    invariant(mayTravel(type, this.role, to), `${this.role} may not send ${type}`);
    const { spec, messages, nowMs } = this.state;
    const seq = messages.length + 1;
    const message = {
      schemaVersion: BUS_SCHEMA_VERSION,
      id: `${spec.runId}-m${seq}`,
      agent: spec.agent,
      runId: spec.runId,
      seq,
      ...reference,
      atMs: nowMs,
      from: this.role,
      to,
      contentHash: contentHash(payload),
      type,
      payload,
    };
    recordMessage(this.#draft, message as unknown as BusMessage);
  }

  think(purpose: Omit<CyclePurpose, 'role'>, asked: Question): void {
    const { atMost = {}, circles = 0, temperature, hasCalledNothing = false, ...question } = asked;
    const { role, state } = this;
    const thinker = THINKING_ROLES.find((it) => it === role);
    invariant(thinker !== undefined, `${role} asks no model`);
    const { spec } = state;
    const number = [...state.roleCycles.values()].filter((it) => it.purpose.role === thinker).length + 1;
    const { work, ...why } = purpose;
    const own = partOf(spec, thinker, question.worker);
    const part = withinReach(state, own, wants[work ?? 'Complex']);
    const planned = thinker === 'Executor' ? toolsPlannedFirst(state) : undefined;
    this.record({
      kind: 'CycleRequested',
      spec: {
        cycleId: `${spec.runId}-${roleRow(thinker).letter}${number}`,
        runId: spec.runId,
        role: thinker,
        ...ofRun(spec),
        ...part,
        ...variedBy(circles, part),
        ...sampled(part, temperature),
        ...(hasCalledNothing && !takesChoiceNone(part.model) ? { callsFirst: true as const } : {}),
        ...sharedBy(state, thinker, question.model ?? part.model, part.tools),
        ...(spec.gates === undefined ? {} : { gates: gatesWithinReach(state, spec.gates) }),
        limits: tightened(remainingLimits(state, part.limits, thinker), atMost),
        ...question,
        ...provenanceOf(state, question.input, this.known),
        ...(planned === undefined ? {} : { planned: [...planned] }),
      },
      purpose: { role: thinker, ...why, ...workOf(work, own, part.model) },
    });
  }

  record(event: RunDecision): void {
    record(this.#draft, event);
  }
}

/** The same in each cycle of a run. */
function ofRun(spec: RunSpec): Pick<CycleSpec, 'autonomous' | 'ownTime' | 'override' | 'repliesAs'> {
  const replier = repliesAs(spec);
  return {
    autonomous: spec.autonomous,
    ...(replier === undefined ? {} : { repliesAs: replier }),
    ...(isForTask(spec) ? {} : { ownTime: true as const }),
    ...(spec.override === undefined ? {} : { override: spec.override }),
  };
}

/** Whose model does which work. */
const wants: Readonly<Record<WorkKind, Want>> = {
  Simple: 'Light',
  Complex: 'Own',
  Repeated: 'Own',
  Circled: 'Capable',
};

/** Told where it chose between two models. @param model  that was chosen */
function workOf(work: WorkKind | undefined, own: OwnPart, model: string): Pick<CyclePurpose, 'work'> {
  const isChosen = own.light !== undefined || (work === 'Circled' && model !== own.model);
  return work === undefined || !isChosen ? {} : { work };
}

type OwnPart = RunSpec['roles'][ThinkingRole];

function sampled({ model, temperature }: AskedModel, wanted: number | undefined): Pick<AskedModel, 'temperature'> {
  const isTaken = temperature === undefined && knownModel(model)?.sampling !== false;
  return isTaken && wanted !== undefined ? { temperature: wanted } : {};
}

/** The part of the spec for the cycle: the role's, or the worker's. */
function partOf(spec: RunSpec, role: ThinkingRole, worker: string | undefined): OwnPart {
  if (worker === undefined) return spec.roles[role];
  const found = spec.workers.find((it) => it.name === worker);
  invariant(found !== undefined, `the run has no worker ${worker}`);
  const { name: _, purpose: __, ...part } = found;
  return part;
}

/**
 * How all requests of the run to a model begin. Differs: the perceiver is shown no tools. What it understands counts as people's
 * words, so a tool's description must not reach it; and on its fast model the list cost more than the cache saved.
 *
 * @param tools  of the role that asks now
 */
function sharedBy(
  state: RunState,
  role: ThinkingRole,
  model: string,
  tools: readonly string[],
): Pick<CycleSpec, 'shared'> {
  const { spec } = state;
  const task = taskSections(spec);
  if (role === 'Perceiver') return { shared: { identity: '', task, tools: [...tools] } };
  const { Perceiver: _, ...others } = spec.roles;
  const all = [...Object.values(others), ...spec.workers];
  const parts = all.filter((it) => withinReach(state, it).model === model || it.light?.model === model);
  // A model that cannot be told to call none calls what it sees.
  const shown = takesChoiceNone(model) ? parts.flatMap((it) => it.tools) : [];
  const names = new Set([...tools, ...shown]);
  // Who asks a model alone has nobody to share its identity with.
  const identity = parts.length > 1 ? spec.identity : '';
  return { shared: { identity, task, tools: [...names].toSorted() } };
}

function tightened(limits: CycleSpec['limits'], atMost: NonNullable<Question['atMost']>): CycleSpec['limits'] {
  const entries = Object.entries(limits) as [keyof typeof limits, number][];
  return Object.fromEntries(
    entries.map(([name, limit]) => [name, Math.min(limit, atMost[name] ?? limit)]),
  ) as typeof limits;
}
