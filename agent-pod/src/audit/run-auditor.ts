/** The auditor as a process: opens its own directory, looks periodically, reports to people. */
import { access, constants } from 'node:fs/promises';
import { listen, type Listener } from '@retainer/kube/listen';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log, LogLine } from '@retainer/contract/std/log';
import { Auditor, type HeadRecordPort, type LookReport, type SavedPositions } from './auditor.ts';
import { exitCodes, type AuditorOptions } from './auditor-options.ts';
import { findingSentence, findingTexts, isAlarm, type Finding } from './finding.ts';
import { OwnRecordError, type SetAside } from './head-record.ts';
import { LockHeldError } from '@retainer/journal/open-journal';
import { noFigures, renderMetrics, type AuditorFigures } from './metrics.ts';
import { MessageAudit, type BusWatch } from './message-audit.ts';
import { readMessages, writeMessages } from './message-file.ts';
import { auditorPages } from './pages.ts';
import { readPositions, replaceText, writePositions } from './position-file.ts';
import { RUN_STORE } from './run-note.ts';
import { followTap } from './tap-feed.ts';
import { readTold, tell, toTell, type Told } from './told-file.ts';
import { Judging, noJudging, type Judge } from './judging.ts';
import {
  messageFile,
  openOwn,
  positionFile,
  readJudged,
  saveJudged,
  setAside,
  toldFile,
  type Own,
} from './own-directory.ts';
import { hasWords, leaveSetAside, takeWords } from './set-aside.ts';

export interface AuditorProcess {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Follows a shared bus until the signal aborts. Default: the agent's socket. */
  readonly followBus?: (watch: BusWatch, signal: AbortSignal) => Promise<void>;
  /** Decides again what settled, by the agent's deciders. Without it the auditor does not check verdicts and runs. */
  readonly judge?: Judge;
}

/** Time without a finished look before the auditor is unhealthy; walking a large journal is one look. */
const UNWELL_AFTER_MS = 60_000;

/** Less than a pod or a command waits for the end of its auditor; what is new is read in a moment. */
const LAST_LOOK_MS_MAX = 8_000;

/** @returns the exit code */
export async function runAuditor(options: AuditorOptions, process: AuditorProcess): Promise<number> {
  const { clock, log } = process;
  const { setAside: word, ownDirectory, journalDirectory } = options;
  try {
    const own = await openOwn(options, clock);
    try {
      if (word !== undefined && own !== undefined)
        return tellWord(word, await setAside(word, own, { journalDirectory, clock }), log);
      await warnIfWritable(journalDirectory, log);
      return await follow(options, own, process);
    } finally {
      await own?.record.close();
    }
  } catch (error) {
    if (word !== undefined && ownDirectory !== undefined && isHeld(error))
      return tellWord(word, await leaveSetAside(ownDirectory, word, clock), log);
    log({ level: 'error', message: 'the auditor failed', error: String(error) });
    return error instanceof OwnRecordError ? exitCodes.ownRecord : exitCodes.environment;
  }
}

/** Begins anew with what it knows after each word of a person. */
async function follow(options: AuditorOptions, own: Own | undefined, process: AuditorProcess): Promise<number> {
  for (;;) {
    if (own !== undefined && !options.once)
      await takeWords(own.directory, async (word) => {
        const wrong = await setAside(word, own, { journalDirectory: options.journalDirectory, clock: process.clock });
        tellWord(word, wrong, process.log);
        return wrong;
      });
    const code = await new AuditorLoop(options, own, process).run();
    if (code !== undefined) return code;
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof LockHeldError;
}

/** @returns the exit code */
function tellWord({ store, reason, by }: SetAside, wrong: string | undefined, log: Log): number {
  if (wrong !== undefined) log({ level: 'error', message: 'nothing was set aside', store, why: wrong });
  else if (store.includes('/')) log({ level: 'info', message: 'the gap is acknowledged', store, reason, by });
  else log({ level: 'info', message: 'older heads are no longer compared', store, reason, by });
  return wrong === undefined ? exitCodes.fine : exitCodes.usage;
}

async function warnIfWritable(journalDirectory: string, log: AuditorProcess['log']): Promise<void> {
  const isWritable = await access(journalDirectory, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return;
  log({
    level: 'warn',
    message: 'the auditor could write to the journal: mount it read-only, or give it another user',
  });
}

const nothingKept: HeadRecordPort = {
  heads: new Map(),
  keepHeads: () => Promise.resolve(),
  tell: () => Promise.resolve(),
};

class AuditorLoop {
  readonly #options: AuditorOptions;
  readonly #own: Own | undefined;
  readonly #process: AuditorProcess;
  #figures: AuditorFigures = noFigures;
  #messages: MessageAudit;
  #judging: Judging | undefined;
  #alarmed = false;
  /** A person's word waits to be taken up. */
  #hasWord = false;
  #told: Told | undefined;

  constructor(options: AuditorOptions, own: Own | undefined, process: AuditorProcess) {
    this.#options = options;
    this.#own = own;
    this.#process = process;
    this.#messages = new MessageAudit(process.clock);
  }

  /** @returns the exit code; undefined: a person's word is to be taken up, and it is to begin anew */
  async run(): Promise<number | undefined> {
    const { port, listenAll, once, journalDirectory } = this.#options;
    const saved = this.#own === undefined || once ? undefined : await this.#takeUp(this.#own);
    this.#judging = await this.#openJudging();
    const auditor = new Auditor({
      directory: journalDirectory,
      record: this.#own?.record ?? nothingKept,
      clock: this.#process.clock,
      saved,
      once,
      signal: this.#process.signal,
    });
    const server = port === undefined ? undefined : await this.#serve({ port, all: listenAll });
    try {
      return once ? await this.#lookOnce(auditor) : await this.#follow(auditor);
    } finally {
      await server?.close();
      await auditor.settled();
      await this.#judging?.settled();
    }
  }

  async #openJudging(): Promise<Judging | undefined> {
    const { judge, clock } = this.#process;
    const { journalDirectory: directory, characterFiles, once } = this.#options;
    if (judge === undefined) return undefined;
    const saved = this.#own === undefined || once ? {} : await readJudged(this.#own);
    return new Judging({ judge, clock, directory, characterFiles, once, saved });
  }

  /** Drops the position of the run store, so that it is walked again, when its messages were noted less far. */
  async #takeUp(own: Own): Promise<SavedPositions | undefined> {
    const messages = await readMessages(messageFile(own));
    if (messages !== undefined) this.#messages = new MessageAudit(this.#process.clock, messages);
    const positions = await readPositions(positionFile(own));
    if (positions === undefined) return undefined;
    const isNoted = ({ store, settled }: SavedPositions['stores'][number]): boolean =>
      store !== RUN_STORE || settled.nextSeq <= (messages?.notedTo ?? 0);
    return { ...positions, stores: positions.stores.filter(isNoted) };
  }

  async #lookOnce(auditor: Auditor): Promise<number> {
    await access(this.#options.journalDirectory, constants.R_OK);
    await this.#look(auditor);
    const { open, recordsTotal, stores } = this.#figures;
    const alarms = open.filter(isAlarm).length;
    const verdict =
      alarms === 0
        ? ({ level: 'info', message: 'the journal is unchanged' } as const)
        : ({ level: 'error', message: 'the journal was changed' } as const);
    this.#process.log({ ...verdict, alarms, records: recordsTotal, stores });
    return alarms === 0 ? exitCodes.fine : exitCodes.alarm;
  }

  async #follow(auditor: Auditor): Promise<number | undefined> {
    const { log } = this.#process;
    log({ level: 'info', message: 'the auditor follows the journal', journal: this.#options.journalDirectory });
    this.#told = this.#own === undefined ? undefined : await readTold(toldFile(this.#own));
    const told = new AbortController();
    const signal = AbortSignal.any([this.#process.signal, told.signal]);
    const bus = this.#followBus(signal);
    try {
      await this.#lookAgain(auditor, told);
    } finally {
      told.abort();
      await bus;
    }
    if (this.#hasWord && !this.#process.signal.aborted) return undefined;
    log({ level: 'info', message: 'the auditor ends' });
    return this.#process.signal.aborted ? exitCodes.fine : exitCodes.alarm;
  }

  async #followBus(signal: AbortSignal): Promise<void> {
    const { clock, followBus } = this.#process;
    const { busSocket: path } = this.#options;
    if (followBus !== undefined) return followBus(this.#messages, signal);
    if (path !== undefined) await followTap({ path, watch: this.#messages, clock, signal });
  }

  /** @param told  aborted when the alarms were told by a termination message, which takes an end, or when a word waits */
  async #lookAgain(auditor: Auditor, told: AbortController): Promise<void> {
    const { clock, log } = this.#process;
    const signal = AbortSignal.any([this.#process.signal, told.signal]);
    while (!signal.aborted) {
      try {
        await this.#look(auditor);
        if (await this.#tells()) told.abort();
        else if (this.#own !== undefined && (await hasWords(this.#own.directory))) {
          this.#hasWord = true;
          told.abort();
        }
      } catch (error) {
        if (error instanceof OwnRecordError) throw error;
        const { success, error: errors } = this.#figures.looksTotal;
        this.#figures = { ...this.#figures, looksTotal: { success, error: errors + 1 } };
        log({ level: 'error', message: 'a check failed; the auditor tries again', error: String(error) });
      }
      // An aborted sleep rejects; the loop's condition ends it.
      await clock.sleep(this.#options.lookEveryMs, signal).catch(() => undefined);
    }
    if (this.#process.signal.aborted) await this.#lookLast(auditor);
  }

  /** An agent may have worked for less time than a head takes to be kept. What cannot be read now is read at the next start. */
  async #lookLast(auditor: Auditor): Promise<void> {
    const report = await auditor.lookLast(AbortSignal.timeout(LAST_LOOK_MS_MAX)).catch((error: unknown) => {
      if (error instanceof OwnRecordError) throw error;
      return undefined;
    });
    if (report === undefined) return;
    for (const finding of report.fresh) this.#process.log(findingLine(finding));
    if (this.#own !== undefined) await writePositions(positionFile(this.#own), auditor.save());
  }

  async #look(auditor: Auditor): Promise<void> {
    const startMs = this.#process.clock.monotonicMs();
    const chains = await auditor.look();
    const report = await this.#withJudged(await this.#withMessages(chains, startMs), auditor);
    this.#count(report, this.#process.clock.monotonicMs() - startMs);
    for (const finding of report.fresh) this.#process.log(findingLine(finding));
    this.#tellChange(report);
    const { once } = this.#options;
    // Positions in a copy are not valid in the original.
    if (this.#own !== undefined && !once) await writePositions(positionFile(this.#own), auditor.save());
    if (this.#options.metricsFile !== undefined)
      await replaceText(this.#options.metricsFile, renderMetrics(this.#figures));
  }

  /** Saves messages before the positions, so that a crash in between loses no message. */
  async #withMessages(report: LookReport, lookBeganMs: number): Promise<LookReport> {
    const { once } = this.#options;
    const found = once ? this.#messages.lookedAtCopy(report.noted) : this.#messages.looked(report.noted, lookBeganMs);
    if (found.length > 0) await this.#own?.record.tell(found);
    const due = once ? undefined : this.#messages.reportDue();
    if (due !== undefined) this.#process.log({ level: 'info', message: 'report of the runs', report: due });
    const saved = this.#messages.save();
    if (this.#own !== undefined && !once && saved !== undefined) await writeMessages(messageFile(this.#own), saved);
    return { ...report, open: [...report.open, ...this.#messages.open], fresh: [...report.fresh, ...found] };
  }

  async #withJudged(report: LookReport, { ends }: Auditor): Promise<LookReport> {
    const judging = this.#judging;
    if (judging === undefined) return report;
    const { once } = this.#options;
    const found = once ? await judging.lookOnce(ends) : judging.look(ends);
    if (found.length > 0) await this.#own?.record.tell(found);
    const saved = judging.save();
    if (this.#own !== undefined && !once) await saveJudged(this.#own, saved);
    return { ...report, open: [...report.open, ...judging.open], fresh: [...report.fresh, ...found] };
  }

  #count({ open, stores, kept, records, bytes }: LookReport, lastLookMs: number): void {
    const { headsTotal, recordsTotal, bytesTotal, looksTotal } = this.#figures;
    this.#figures = {
      open,
      stores,
      headsTotal: headsTotal + kept.length,
      recordsTotal: recordsTotal + records,
      bytesTotal: bytesTotal + bytes,
      looksTotal: { ...looksTotal, success: looksTotal.success + 1 },
      lastLookAtMs: this.#process.clock.nowMs(),
      lastLookMs,
      messages: this.#messages.figures,
      judging: this.#judging?.figures ?? noJudging,
    };
  }

  /** Whether it told what the operator does not know yet. */
  async #tells(): Promise<boolean> {
    const { telling } = this.#options;
    if (telling === undefined || this.#own === undefined) return false;
    const { open } = this.#figures;
    const told = toTell(open, this.#told, { life: telling.life, atMs: this.#process.clock.nowMs() });
    if (told === undefined) return false;
    await tell(open, told, { told: toldFile(this.#own), message: telling.file });
    this.#told = told;
    this.#process.log({ level: 'warn', message: 'the auditor ends to tell the operator: it is to be started again' });
    return true;
  }

  #tellChange({ open }: LookReport): void {
    const isAlarmed = open.some(isAlarm);
    if (this.#alarmed && !isAlarmed) this.#process.log({ level: 'info', message: 'all alarms are closed' });
    this.#alarmed = isAlarmed;
  }

  async #serve(address: { readonly port: number; readonly all: boolean }): Promise<Listener> {
    const { clock, log } = this.#process;
    const startMs = clock.nowMs();
    const routes = auditorPages({
      metrics: () => renderMetrics(this.#figures),
      report: () => this.#messages.report(),
      unwell: () => {
        const sinceMs = clock.nowMs() - (this.#figures.lastLookAtMs ?? startMs);
        return sinceMs > UNWELL_AFTER_MS ? `no check has ended for ${Math.round(sinceMs / 1000)} s` : undefined;
      },
    });
    const loopback = '127.0.0.1';
    const server = await listen({ port: address.port, host: address.all ? undefined : loopback, routes });
    const host = address.all ? '*' : loopback;
    log({ level: 'info', message: 'metrics are served', url: `http://${host}:${server.port}/metrics` });
    return server;
  }
}

function findingLine(finding: Finding): LogLine {
  const { kind, store, message: messageId, seq, file, line, detail } = finding;
  const { whatToDo } = findingTexts[kind];
  const place = { kind, store, messageId, seq, file, line, detail, whatToDo };
  return {
    level: isAlarm(finding) ? 'error' : 'warn',
    message: 'found',
    finding: findingSentence(finding),
    ...place,
  };
}
