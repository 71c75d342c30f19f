/** Work as an agent makes it: operations that fit, drawn at random by a fixed seed, and what they leave in the record. */
import type { Recorded } from '@retainer/mind/part/projection';
import type { PartRecord } from '@retainer/mind/part/store';
import * as items from '@retainer/mind/parts/work/decide-item';
import * as endeavours from '@retainer/mind/parts/work/decide-endeavour';
import type { Making, Operation } from '@retainer/mind/parts/work/operation';
import { workKinds } from '@retainer/mind/parts/work/kinds';
import { workStore } from '@retainer/mind/parts/work/store';
import { work } from '@retainer/mind/parts/work/work';
import type { Work } from '@retainer/mind/parts/work/work-state';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { recordIn } from '@retainer/mind/part/record-in';
import type { WorkKind, WorkPayload } from '@retainer/mind/parts/work/kinds';
import { Seeded } from './seeded.ts';

export const TRUSTED: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
export const UNTRUSTED: Label = {
  source: { kind: 'Web', name: 'a.example' },
  trust: 'Untrusted',
  readers: 'Everyone',
};

/** 1 January 2030. */
export const START_MS = 1_893_456_000_000;
const MINUTE_MS = 60_000;

/** The record of work, and its state: each operation is checked by the schema of its kind, then folded. */
export class WorkRecord {
  readonly records: Recorded[] = [];
  readonly state: Work = work.start();
  atMs = START_MS;
  #calls = 0;

  making(more: Partial<Making> = {}): Making {
    this.#calls += 1;
    this.atMs += MINUTE_MS;
    const ids = { callId: `r-c1-t${this.#calls}`, runId: 'r', cycleId: 'r-c1' };
    return { work: this.state, ...ids, label: TRUSTED, atMs: this.atMs, ...more };
  }

  take(records: readonly PartRecord[]): void {
    for (const { store, kind, payload, runId, cycleId } of records) {
      const checked = workKinds[kind as WorkKind].parse(payload) as Recorded['payload'];
      const of = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
      const record = { store, kind, seq: this.records.length, timeMs: this.atMs, payload: checked, ...of };
      this.records.push(record);
      work.take(this.state, record);
    }
  }

  /** @returns the error, if the operation does not fit */
  do(operation: Operation): string | undefined {
    if (operation.ok) this.take(operation.value);
    return operation.ok ? undefined : operation.error;
  }

  write<K extends WorkKind>(kind: K, payload: WorkPayload<K>): void {
    this.atMs += MINUTE_MS;
    this.take([recordIn(workStore, kind, payload as never)]);
  }

  /** @returns its id */
  item(more: Partial<items.NewItem> = {}, making: Partial<Making> = {}): string {
    const steps = [{ description: 'Look.' }, { description: 'Write.', verification: 'The file is there.' }];
    const words = { title: 'Compare the prices', description: 'Compare the prices of two shops.' };
    return this.#made(items.createItem(this.making(making), { ...words, steps, ...more }));
  }

  /** @returns its id */
  endeavour(more: Partial<endeavours.NewEndeavour> = {}, making: Partial<Making> = {}): string {
    const phase = { description: 'As it is called.', estimatedSessions: 2 };
    const phases = [
      { ...phase, name: 'Gather' },
      { ...phase, name: 'Write', dependsOn: ['Gather'] },
    ];
    const words = { title: 'A survey', description: 'A survey of prices.', goal: 'Know the prices of the year.' };
    return this.#made(endeavours.createEndeavour(this.making(making), { ...words, phases, ...more }));
  }

  #made(operation: Operation): string {
    if (!operation.ok) throw new Error(operation.error);
    this.take(operation.value);
    const payload = this.records.at(-1)?.payload as { readonly itemId?: string; readonly endeavourId?: string };
    return (this.records.at(-1)?.kind === 'ItemCreated' ? payload.itemId : payload.endeavourId) ?? '';
  }
}

type Deed = (record: WorkRecord, random: Seeded) => Operation;

const anyOf = (random: Seeded, ids: Iterable<string>): string => {
  const all = [...ids];
  return all[random.below(Math.max(1, all.length))] ?? 'none';
};
/** An open one as a rule, now and then one that is ended or deleted. */
const anItem = ({ state }: WorkRecord, random: Seeded): string =>
  anyOf(random, random.below(6) > 0 ? state.items.keys() : [...state.ended.keys(), ...state.deleted.keys()]);
const anEndeavour = ({ state }: WorkRecord, random: Seeded): string =>
  anyOf(random, random.below(6) > 0 ? state.endeavours.keys() : state.over.keys());
const aStep = (random: Seeded): number => 1 + random.below(4);

/** One of each operation. What does not fit leaves nothing. */
const DEEDS: readonly Deed[] = [
  (it, random) => {
    const some = random.below(2) === 0 ? {} : { dependsOn: [anItem(it, random)] };
    const steps = Array.from({ length: random.below(4) }, (_, at) => ({ description: `Step ${at}.` }));
    const of = random.below(3) === 0 ? { endeavourId: anEndeavour(it, random) } : {};
    const label = random.below(3) === 0 ? UNTRUSTED : TRUSTED;
    return items.createItem(it.making({ label }), { title: 'An item', description: 'To do.', steps, ...some, ...of });
  },
  (it, random) => items.activateItem(it.making({ runId: `r${random.below(3)}` }), anItem(it, random)),
  (it, random) => items.activateItem(it.making(), anItem(it, random)),
  (it, random) => items.completeStep(it.making(), { itemId: anItem(it, random), step: aStep(random) }),
  (it, random) => items.completeStep(it.making(), { itemId: anItem(it, random), step: 1, note: 'Done.' }),
  (it, random) => items.editItem(it.making(), anItem(it, random), { dependsOn: [anItem(it, random)] }),
  (it, random) => items.editItem(it.making(), anItem(it, random), { complexity: null, deadlineMs: it.atMs + 90_000 }),
  (it, random) => items.addStep(it.making({ label: UNTRUSTED }), anItem(it, random), { description: 'One more.' }),
  (it, random) => items.removeStep(it.making(), anItem(it, random), aStep(random)),
  (it, random) =>
    items.flagRisk(it.making(), {
      itemId: anItem(it, random),
      risk: `Risk ${random.below(3)}`,
      hasMaterialised: random.below(2) === 0,
    }),
  (it, random) => items.endItem(it.making(), { itemId: anItem(it, random), status: 'Failed', reason: 'No data.' }),
  (it, random) => items.deleteItem(it.making(), anItem(it, random), 'Not wanted.'),
  (it) =>
    endeavours.createEndeavour(it.making(), {
      title: 'A survey',
      description: 'A survey.',
      goal: 'Know it.',
      phases: [{ name: 'Gather', description: 'Gather.', estimatedSessions: 1 }],
    }),
  (it, random) => endeavours.advancePhase(it.making(), { endeavourId: anEndeavour(it, random) }),
  (it, random) =>
    endeavours.addPhase(it.making(), anEndeavour(it, random), {
      name: `Phase ${random.below(5)}`,
      description: 'More.',
      estimatedSessions: random.below(2),
    }),
  (it, random) =>
    endeavours.scheduleSession(it.making(), {
      endeavourId: anEndeavour(it, random),
      atMs: it.atMs + 3_600_000,
      focus: 'Gather.',
      phaseId: 'p1',
    }),
  (it, random) =>
    endeavours.cancelSession(it.making(), {
      endeavourId: anEndeavour(it, random),
      sessionId: `s${aStep(random)}`,
      reason: 'Not now.',
    }),
  (it, random) =>
    endeavours.reportBlocker(it.making(), anEndeavour(it, random), {
      description: 'No key.',
      strategy: 'Ask.',
      requiresHuman: true,
    }),
  (it, random) =>
    endeavours.resolveBlocker(it.making(), {
      endeavourId: anEndeavour(it, random),
      blockerId: `b${aStep(random)}`,
      resolution: 'There is one.',
    }),
  (it, random) =>
    endeavours.editEndeavour(it.making(), anEndeavour(it, random), { status: 'Abandoned', reason: 'No use.' }),
  (it, random) =>
    endeavours.editEndeavour(it.making(), anEndeavour(it, random), { goal: 'Know more.', deadlineMs: null }),
  (it, random) => endeavours.deleteEndeavour(it.making(), anEndeavour(it, random), 'Not wanted.'),
];

/** @returns the record of a life of so many attempted operations, and how many of them fitted */
export function workLife(seed: number, deeds: number): { readonly record: WorkRecord; readonly fitted: number } {
  const [record, random] = [new WorkRecord(), new Seeded(seed)];
  let fitted = 0;
  for (let at = 0; at < deeds; at += 1) {
    const deed = DEEDS[random.below(DEEDS.length)];
    if (deed !== undefined && record.do(deed(record, random)) === undefined) fitted += 1;
    if (at % 7 === 0) countCycle(record, at);
  }
  return { record, fitted };
}

function countCycle(record: WorkRecord, at: number): void {
  const itemIds = [...record.state.items.values()].filter(({ status }) => status === 'Active').map((it) => it.itemId);
  const [endeavourId] = record.state.endeavours.keys();
  const of = endeavourId === undefined ? {} : { endeavourId };
  record.write('CycleCounted', { itemIds, cycleIds: [`r-c${at}`], tokens: 100, ...of });
}
