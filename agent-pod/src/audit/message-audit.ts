/**
 * The auditor's check of messages: turns messages from the bus and from the journal into findings and reports for people. The
 * agent gets nothing back.
 *
 * Source: artoo A.12.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { TapMessage } from '@retainer/contract/wire/bus/tap';
import { MARGIN_MS } from './coverage.ts';
import { findingKey, type Finding } from './finding.ts';
import { MessagePaths, type SavedPaths } from './message-paths.ts';
import * as reports from './run-report.ts';
import type { AuditReport, ReportWindow } from './run-report.ts';
import type { Noted } from './walk-store.ts';

/** Open findings; more add nothing. */
const OPEN_MAX = 1_000;

/** The events of a watched bus: `greeted` and `shown` from the agent's socket, `back` and `heard` from a shared bus. */
export interface BusWatch {
  /** A process of the agent connected: a new one, or the same again. */
  greeted(hello: { readonly process: string; readonly first: number; readonly sinceMs: number }): void;
  shown(number: number, message: TapMessage): void;
  /** From now on every message is heard. For a bus without numbers. */
  back(): void;
  heard(message: TapMessage): void;
  /** Messages may pass unheard until the bus is back. */
  away(): void;
  /** Messages passed unheard. */
  lost(): void;
  garbage(reason: string): void;
}

/** State for the next auditor process. JSON. */
export interface SavedMessages {
  readonly paths: SavedPaths;
  /** Sequence in the run store up to which everything is noted. */
  readonly notedTo: number;
  readonly feed?: { readonly process: string; readonly next: number } | undefined;
  /** Older messages are not counted. */
  readonly bornMs: number;
  readonly window: ReportWindow;
  readonly open: readonly Finding[];
}

/** The state after a person accepted all messages so far. */
export function messagesSetAside(nowMs: number): SavedMessages {
  const paths: SavedPaths = { windows: [], heardToMs: 0, floorMs: nowMs, closed: [], runs: [] };
  return { paths, notedTo: 0, bornMs: nowMs, window: reports.openWindow(nowMs), open: [] };
}

export interface MessageFigures {
  readonly isWatched: boolean;
  readonly heardTotal: number;
  readonly notedTotal: number;
  readonly correctionsTotal: number;
  readonly anomaliesTotal: Readonly<Record<(typeof reports.ANOMALIES)[number], number>>;
}

export const noMessages: MessageFigures = {
  isWatched: false,
  heardTotal: 0,
  notedTotal: 0,
  correctionsTotal: 0,
  anomaliesTotal: { GgsThrashing: 0, ConvergenceFailure: 0, ObservationGap: 0, MessageDiffers: 0 },
};

export class MessageAudit implements BusWatch {
  readonly #clock: Clock;
  readonly #paths: MessagePaths;
  readonly #bornMs: number;
  readonly #open = new Map<string, Finding>();
  #fresh: Finding[] = [];
  #feed: SavedMessages['feed'];
  #notedTo: number;
  #window: ReportWindow;
  #isChanged = true;
  #heardTotal = 0;
  #notedTotal = 0;
  #correctionsTotal = 0;
  #anomaliesTotal = new Map<string, number>();

  constructor(clock: Clock, saved?: SavedMessages) {
    const nowMs = clock.nowMs();
    this.#clock = clock;
    this.#paths = new MessagePaths(saved?.paths, clock.monotonicMs());
    this.#bornMs = saved?.bornMs ?? nowMs;
    this.#notedTo = saved?.notedTo ?? 0;
    this.#feed = saved?.feed;
    this.#window = saved?.window ?? reports.openWindow(nowMs);
    for (const finding of saved?.open ?? []) this.#open.set(findingKey(finding), finding);
  }

  greeted({ process, first, sinceMs }: Parameters<BusWatch['greeted']>[0]): void {
    this.#isChanged = true;
    const isContinued = this.#feed?.process === process && first <= this.#feed.next;
    if (isContinued) {
      this.#paths.coverage.goOn(sinceMs);
      return;
    }
    this.#paths.coverage.end(this.#clock.nowMs());
    this.#paths.coverage.begin(sinceMs);
    this.#feed = { process, next: first };
  }

  shown(number: number, message: TapMessage): void {
    const feed = this.#feed;
    if (feed === undefined || number < feed.next) return;
    if (number > feed.next) this.lost();
    this.#feed = { ...feed, next: number + 1 };
    this.heard(message);
  }

  back(): void {
    this.#isChanged = true;
    // The agent's own connection may come back later than ours.
    this.#paths.coverage.begin(this.#clock.nowMs() + MARGIN_MS);
  }

  heard(message: TapMessage): void {
    this.#isChanged = true;
    this.#heardTotal += 1;
    this.#paths.hear(message, this.#clock.monotonicMs());
  }

  away(): void {
    this.#isChanged = true;
    this.#paths.coverage.end(this.#clock.nowMs());
  }

  lost(): void {
    // The gap starts at the last message heard.
    this.#paths.coverage.end(this.#paths.heardToMs);
    this.back();
  }

  garbage(reason: string): void {
    this.#isChanged = true;
    this.#paths.hearGarbage(reason);
  }

  /** @param lookBeganMs  on the monotonic clock. @returns  findings since the last look */
  looked(noted: readonly Noted[], lookBeganMs: number): readonly Finding[] {
    const nowMs = this.#clock.monotonicMs();
    this.#note(noted, nowMs);
    return this.#take(this.#paths.judge({ nowMs, wallMs: this.#clock.nowMs(), lookBeganMs }));
  }

  /** For a copy without a writer: judges without waiting. */
  lookedAtCopy(noted: readonly Noted[]): readonly Finding[] {
    this.#note(noted, this.#clock.monotonicMs());
    return this.#take(this.#paths.judgeCopy());
  }

  get open(): readonly Finding[] {
    return [...this.#open.values()];
  }

  get figures(): MessageFigures {
    const anomalies = reports.ANOMALIES.map((kind) => [kind, this.#anomaliesTotal.get(kind) ?? 0]);
    return {
      isWatched: this.#paths.coverage.isOpen,
      heardTotal: this.#heardTotal,
      notedTotal: this.#notedTotal,
      correctionsTotal: this.#correctionsTotal,
      anomaliesTotal: Object.fromEntries(anomalies) as MessageFigures['anomaliesTotal'],
    };
  }

  /** Reports the current window and leaves it open. */
  report(): AuditReport {
    return reports.reportOf(this.#window, 'OnDemand', this.#clock.nowMs());
  }

  /** Reports a finished window with any activity; else undefined. */
  reportDue(): AuditReport | undefined {
    const nowMs = this.#clock.nowMs();
    const sinceMs = nowMs - this.#window.fromMs;
    // A clock set back must not keep a window open for ever.
    if (sinceMs >= 0 && sinceMs < reports.REPORT_EVERY_MS) return undefined;
    const over = this.#window;
    this.#window = reports.openWindow(nowMs, over.breaks);
    this.#isChanged = true;
    return reports.isIdle(over) ? undefined : reports.reportOf(over, 'Periodic', nowMs);
  }

  /** Undefined if unchanged since the last call. */
  save(): SavedMessages | undefined {
    if (!this.#isChanged) return undefined;
    this.#isChanged = false;
    return {
      paths: this.#paths.save(this.#clock.nowMs()),
      notedTo: this.#notedTo,
      ...(this.#feed === undefined ? {} : { feed: this.#feed }),
      bornMs: this.#bornMs,
      window: this.#window,
      open: this.open,
    };
  }

  #note(noted: readonly Noted[], nowMs: number): void {
    for (const { fromSeq, toSeq, notes } of noted) {
      if (notes.length > 0 || toSeq !== this.#notedTo) this.#isChanged = true;
      this.#notedTo = toSeq;
      const first = this.#paths.note(fromSeq, notes, nowMs);
      this.#notedTotal += first.length;
      for (const message of first)
        if (message.atMs >= this.#bornMs) this.#count(reports.countMessage(this.#window, message));
    }
  }

  #take(found: readonly Finding[]): readonly Finding[] {
    for (const finding of found) {
      this.#isChanged = true;
      this.#count(reports.countFinding(this.#window, finding));
      if (this.#open.has(findingKey(finding)) || this.#open.size >= OPEN_MAX) continue;
      this.#open.set(findingKey(finding), finding);
      this.#fresh.push(finding);
    }
    return this.#fresh.splice(0);
  }

  #count(window: ReportWindow): void {
    this.#correctionsTotal += window.corrections - this.#window.corrections;
    const before = this.#window.anomalies;
    for (const { kind } of window.anomalies.slice(before.length))
      this.#anomaliesTotal.set(kind, (this.#anomaliesTotal.get(kind) ?? 0) + 1);
    this.#window = window;
  }
}
