import { describe, expect, it } from 'vitest';
import { contentHash, type BusMessage } from '@retainer/contract/wire/bus/envelope';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { scenarios } from '../../../test/support/run-scenarios.ts';
import { RunWorld } from '../../../test/support/run-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { RunEvent } from '@retainer/mind/run/event';
import type { Finding } from './finding.ts';
import { MessageAudit, messagesSetAside, type SavedMessages } from './message-audit.ts';
import { readRunNotes, type RunNote } from './run-note.ts';
import { REPORT_EVERY_MS } from './run-report.ts';
import type { Noted } from './walk-store.ts';

const LOOK_EVERY_MS = 2_000;
/** Longer than anything is waited for. */
const LONG_MS = 120_000;

/** An agent and its auditor: what the agent writes down and shows, and an auditor that looks every 2 s. */
class Watched {
  readonly clock: ManualClock = manualClock(0);
  readonly findings: Finding[] = [];
  audit = new MessageAudit(this.clock);
  #saved: SavedMessages | undefined;
  #notes: RunNote[] = [];
  #records = 0;
  #shown = 0;
  #process = 'one';
  #lookedMs = 0;
  #notedTo = 0;

  constructor() {
    this.audit.greeted({ process: this.#process, first: 1, sinceMs: 0 });
  }

  append({ kind: recordKind, ...payload }: RunEvent, runId: string): void {
    this.#records += 1;
    this.#notes.push(...readRunNotes({ seq: this.#records, recordKind, runId }, JSON.parse(JSON.stringify(payload))));
  }

  show(message: Pick<BusMessage, 'runId' | 'seq' | 'atMs' | 'type' | 'from' | 'to' | 'contentHash'>): void {
    this.#shown += 1;
    this.audit.shown(this.#shown, message);
  }

  /** Looks until `atMs`. */
  until(atMs: number): void {
    while (this.#lookedMs + LOOK_EVERY_MS <= atMs) {
      this.clock.advance(LOOK_EVERY_MS);
      this.#lookedMs += LOOK_EVERY_MS;
      this.look();
    }
  }

  look(): void {
    const toSeq = this.#records + 1;
    const notes = this.#notes.filter(({ recordSeq }) => recordSeq >= this.#notedTo);
    const noted: Noted = { fromSeq: this.#notedTo, toSeq, notes };
    this.#notedTo = toSeq;
    this.findings.push(...this.audit.looked([noted], this.clock.monotonicMs()));
    this.#saved = this.audit.save() ?? this.#saved;
  }

  /** The agent is killed, and there again after `awayMs`. */
  restartAgent(awayMs: number): void {
    this.audit.away();
    this.until(this.clock.nowMs() + awayMs);
    this.#process += "'";
    this.#shown = 0;
    this.audit.greeted({ process: this.#process, first: 1, sinceMs: this.clock.nowMs() });
  }

  /** It has not found the agent yet. */
  takeUpAuditor(): void {
    this.audit = new MessageAudit(this.clock, this.#saved);
    this.#notedTo = 0;
  }

  /** The auditor is killed, and walks everything again; the agent shows it what it kept. */
  restartAuditor(kept: readonly BusMessage[] = []): void {
    this.takeUpAuditor();
    this.audit.greeted({ process: this.#process, first: this.#shown + 1 - kept.length, sinceMs: 0 });
    this.#shown -= kept.length;
    for (const message of kept) this.show(message);
  }
}

/** What happens to a message on its two ways. */
interface Fault {
  readonly isFor: (message: BusMessage) => boolean;
  readonly journal?: Way;
  readonly bus?: Way;
}

type Way = 'Dropped' | ((message: BusMessage) => BusMessage);

const faultless: Fault = { isFor: () => false };

function played(name: string): RunWorld {
  const scenario = scenarios.find((it) => it.name === name);
  if (scenario === undefined) throw new Error(`there is no run ${name}`);
  return new RunWorld(scenario).play();
}

function onWay(messages: readonly BusMessage[], way: Way | undefined, { isFor }: Fault): BusMessage[] {
  return messages.flatMap((it) => {
    if (!isFor(it) || way === undefined) return [it];
    return way === 'Dropped' ? [] : [way(it)];
  });
}

/** Feeds the events of a run, as they happened, to both paths. */
function relay(world: Watched, events: readonly RunEvent[], fault: Fault = faultless): void {
  for (const event of events) {
    if ('atMs' in event) world.until(event.atMs);
    if (event.kind !== 'MessageSent') {
      world.append(event, 'r');
      continue;
    }
    world.append({ ...event, messages: onWay(event.messages, fault.journal, fault) }, 'r');
    for (const message of onWay(event.messages, fault.bus, fault)) world.show(message);
  }
}

function watch(events: readonly RunEvent[], fault?: Fault): Watched {
  const world = new Watched();
  relay(world, events, fault);
  world.until(world.clock.nowMs() + LONG_MS);
  return world;
}

const told = (world: Watched): readonly (readonly [string, string | undefined])[] =>
  world.findings.map(({ kind, message }) => [kind, message]);

/** A payload of the same type with another text, its hash made anew. */
const altered = (message: BusMessage): BusMessage => {
  const payload = { ...message.payload, more: 'words' };
  return { ...message, payload, contentHash: contentHash(payload) } as BusMessage;
};

const names = scenarios.map(({ name }) => name);

describe.each(names)('of the run that is %s', (name) => {
  const world = played(name);
  const { events } = world;
  const messages = world.messages();

  verifies('audit-bus:quiet', `${name}: without a fault nothing is reported`, () => {
    const watched = watch(events);
    expect(watched.audit.figures).toMatchObject({ heardTotal: messages.length, notedTotal: messages.length });
    expect(told(watched)).toEqual([]);
  });

  verifies('audit-bus:gap', `${name}: a message and its append that are dropped are a gap, each of them`, () => {
    for (const { id } of messages) {
      const watched = watch(events, { isFor: (it) => it.id === id, journal: 'Dropped', bus: 'Dropped' });
      expect(told(watched), id).toEqual([['ObservationGap', id]]);
    }
  });

  verifies('audit-bus:gap', `${name}: a message that is on one path only is a gap, each of them`, () => {
    for (const { id } of messages) {
      const isFor = (it: BusMessage): boolean => it.id === id;
      expect(told(watch(events, { isFor, journal: 'Dropped' })), `${id} on the bus`).toEqual([['ObservationGap', id]]);
      expect(told(watch(events, { isFor, bus: 'Dropped' })), `${id} in the journal`).toEqual([['ObservationGap', id]]);
    }
  });

  verifies('audit-bus:differs', `${name}: a message that is altered on one path is reported, each of them`, () => {
    for (const { id } of messages) {
      const isFor = (it: BusMessage): boolean => it.id === id;
      expect(told(watch(events, { isFor, bus: altered })), `${id} on the bus`).toEqual([['MessageDiffers', id]]);
      expect(told(watch(events, { isFor, journal: altered })), `${id} in the journal`).toEqual([
        ['MessageDiffers', id],
      ]);
    }
  });
});

describe('messages of a run', () => {
  const { events } = played('corrected');
  const sent = events.filter((it) => it.kind === 'MessageSent').flatMap((it) => it.messages);
  const middle = events.findIndex((it) => it.kind === 'MessageSent' && it.messages.some(({ seq }) => seq === 6));

  verifies('audit-bus:differs', 'whose content is not what the hash beside it says', () => {
    const [, second] = sent;
    const isFor = ({ id }: BusMessage): boolean => id === second?.id;
    const forged = (it: BusMessage): BusMessage => ({ ...altered(it), contentHash: it.contentHash });
    expect(told(watch(events, { isFor, journal: forged }))).toEqual([['MessageDiffers', second?.id]]);
  });

  verifies('audit-bus:boundary', 'that went where none of its type may go', () => {
    const isFor = ({ seq }: BusMessage): boolean => seq === 4;
    const astray = (it: BusMessage): BusMessage => ({ ...it, to: 'User' });
    expect(told(watch(events, { isFor, bus: astray, journal: astray })).map(([kind]) => kind)).toContain(
      'BoundaryViolation',
    );
  });

  verifies('audit-bus:boundary', 'of a type that nobody knows', () => {
    const isFor = ({ seq }: BusMessage): boolean => seq === 4;
    const unknown = (it: BusMessage): BusMessage => ({ ...it, type: 'Order' }) as unknown as BusMessage;
    const watched = watch(events, { isFor, bus: unknown, journal: unknown });
    expect(told(watched)).toContainEqual(['BoundaryViolation', 'r-m4']);
    expect(watched.audit.report().boundaryViolations.map(({ message }) => message)).toContain('r-m4');
  });

  it('that is far ahead of its run is refused, and costs nothing', () => {
    const world = watch(events);
    for (const message of sent.slice(0, 1)) world.show({ ...message, runId: 'other', seq: 10_000_000 });
    world.look();
    expect(told(world)).toEqual([['BoundaryViolation', 'other-m10000000']]);
  });

  verifies('audit-bus:quiet', 'when the agent is killed at any of them, and says again what nobody received', () => {
    for (let cut = 1; cut < events.length; cut += 1) {
      const world = new Watched();
      relay(world, events.slice(0, cut));
      world.restartAgent(30_000);
      const received = new Set(
        events.slice(0, cut).flatMap((it) => (it.kind === 'MessageReceived' ? [it.messageId] : [])),
      );
      const unread = events.slice(0, cut).flatMap((it) => (it.kind === 'MessageSent' ? it.messages : []));
      for (const message of unread) if (!received.has(message.id)) world.show(message);
      relay(world, events.slice(cut));
      world.until(world.clock.nowMs() + LONG_MS);
      expect(told(world), `killed after ${cut} events`).toEqual([]);
    }
  });

  verifies('audit-bus:quiet', 'when the auditor is killed at any of them, and walks everything again', () => {
    for (let cut = 1; cut < events.length; cut += 1) {
      const world = new Watched();
      relay(world, events.slice(0, cut));
      const before = events.slice(0, cut).flatMap((it) => (it.kind === 'MessageSent' ? it.messages : []));
      world.restartAuditor(before);
      relay(world, events.slice(cut));
      world.until(world.clock.nowMs() + LONG_MS);
      expect(told(world), `killed after ${cut} events`).toEqual([]);
      expect(world.audit.report().messages, `killed after ${cut} events`).toBe(sent.length);
    }
  });

  verifies('audit-bus:quiet', 'when the auditor is gone while the agent is killed', () => {
    const world = new Watched();
    relay(world, events.slice(0, middle));
    world.look();
    // Nobody heard these.
    for (const event of events.slice(middle, middle + 6)) world.append(event, 'r');
    world.clock.advance(20_000);
    world.takeUpAuditor();
    world.restartAgent(0);
    relay(world, events.slice(middle + 6));
    world.until(world.clock.nowMs() + LONG_MS);
    expect(told(world)).toEqual([]);
  });

  it('that came on no bus are not held against a bus that nobody watched', () => {
    const world = new Watched();
    world.audit.away();
    for (const event of events) world.append(event, 'r');
    world.until(LONG_MS);
    expect(told(world)).toEqual([]);
  });

  it('are told once, and again by no later auditor', () => {
    const world = watch(events, { isFor: ({ seq }) => seq === 3, bus: 'Dropped', journal: 'Dropped' });
    world.restartAuditor();
    world.until(world.clock.nowMs() + LONG_MS);
    expect(told(world)).toEqual([['ObservationGap', 'r-m3']]);
    expect(world.audit.open).toHaveLength(1);
  });

  it('that a person set aside are not judged again, and those after them are', () => {
    const world = new Watched();
    const fault: Fault = { isFor: ({ seq }) => seq === 3 || seq === 8, bus: 'Dropped', journal: 'Dropped' };
    const at = events.findIndex((it) => it.kind === 'MessageSent' && it.messages.some(({ seq }) => seq === 6));
    relay(world, events.slice(0, at), fault);
    const { atMs } = events[at] as { readonly atMs: number };
    world.audit = new MessageAudit(world.clock, messagesSetAside(atMs));
    world.audit.greeted({ process: 'one', first: 1, sinceMs: atMs });
    relay(world, events.slice(at), fault);
    world.until(world.clock.nowMs() + LONG_MS);
    expect(told(world).filter(([, message]) => message !== 'r-m3')).toEqual([['ObservationGap', 'r-m8']]);
  });
});

describe('a run of an older version, whose records had one message each', () => {
  const scenario = scenarios.find(({ name }) => name === 'corrected');
  if (scenario === undefined) throw new Error('there is no such run');
  const { events } = new RunWorld({ ...scenario, bus: () => [1] }).play();
  const messages = events.flatMap((it) => (it.kind === 'MessageSent' ? it.messages : []));

  function watchOlder(isLost: (message: BusMessage) => boolean): Watched {
    const world = new Watched();
    for (const event of events) {
      if ('atMs' in event) world.until(event.atMs);
      const [message] = event.kind === 'MessageSent' ? event.messages : [];
      if (message !== undefined && isLost(message)) continue;
      world.append(message === undefined ? event : ({ kind: 'MessageSent', message } as never), 'r');
      if (message !== undefined) world.show(message);
    }
    world.until(world.clock.nowMs() + LONG_MS);
    return world;
  }

  verifies('audit-bus:quiet', 'is heard and read as any other', () => {
    const world = watchOlder(() => false);
    expect(world.audit.figures).toMatchObject({ heardTotal: messages.length, notedTotal: messages.length });
    expect(told(world)).toEqual([]);
  });

  verifies('audit-bus:gap', 'has a gap where a message and its append were dropped, each of them', () => {
    for (const { id } of messages) expect(told(watchOlder((it) => it.id === id)), id).toEqual([['ObservationGap', id]]);
  });
});

describe('the report of the runs', () => {
  verifies('audit-bus:report', 'tells what happened in the window, and then begins another', () => {
    const world = watch(played('replanned').events);
    world.until(REPORT_EVERY_MS);
    const report = world.audit.reportDue();
    expect(report).toMatchObject({ trigger: 'Periodic', tasksObserved: 1, boundaryViolations: [] });
    expect(report?.gapTrends.length).toBeGreaterThan(0);
    expect(world.audit.reportDue()).toBeUndefined();
    world.until(2 * REPORT_EVERY_MS);
    expect(world.audit.reportDue(), 'idle').toBeUndefined();
  });

  verifies('audit-bus:report', 'counts the attempts after the first', () => {
    const world = watch(played('corrected').events);
    expect(world.audit.report()).toMatchObject({
      trigger: 'OnDemand',
      tasksObserved: 1,
      totalCorrections: 1,
      averageCorrections: 1,
      toolHealth: { environmentalRetries: 1, logicalRetries: 0, executionFailures: 0 },
    });
  });

  verifies('audit-bus:report', 'has what was not seen among its anomalies', () => {
    const world = watch(played('plain').events, { isFor: ({ seq }) => seq === 2, bus: 'Dropped' });
    expect(world.audit.report().anomalies).toEqual([{ kind: 'ObservationGap', runId: 'r', seq: 2 }]);
  });
});
