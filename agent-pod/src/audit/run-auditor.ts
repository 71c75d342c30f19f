/** The auditor as a process: opens its own directory, looks periodically, reports to people. */
import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { listen, type Listener } from '@retainer/kube/listen';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log, LogLine } from '@retainer/contract/std/log';
import { Auditor, type HeadRecordPort, type LookReport, type SavedPositions } from './auditor.ts';
import { exitCodes, type AuditorOptions } from './auditor-options.ts';
import { findingSentence, findingTexts, isAlarm, type Finding } from './finding.ts';
import { openHeadRecord, OwnRecordError, type HeadRecord } from './head-record.ts';
import { noFigures, renderMetrics, type AuditorFigures } from './metrics.ts';
import { MessageAudit, messagesSetAside, type BusWatch } from './message-audit.ts';
import { readMessages, writeMessages } from './message-file.ts';
import { BUS } from './message-paths.ts';
import { auditorPages } from './pages.ts';
import { readPositions, replaceText, writePositions } from './position-file.ts';
import { RUN_STORE } from './run-note.ts';
import { openSigningKey } from './signing-key.ts';
import { followTap } from './tap-feed.ts';
import { noVerdicts, VerdictAudit, VERDICT_STORE, type VerdictRules } from './verdict-audit.ts';
import { readVerdicts, writeVerdicts } from './verdict-file.ts';

export interface AuditorProcess {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Follows a shared bus until the signal aborts. Default: the agent's socket. */
  readonly followBus?: (watch: BusWatch, signal: AbortSignal) => Promise<void>;
  /** The agent's rules, to recompute its verdicts. Without them the auditor does not check verdicts. */
  readonly makeRules?: () => VerdictRules;
}

/** Time without a finished look before the auditor is unhealthy; walking a large journal is one look. */
const UNWELL_AFTER_MS = 60_000;

/** @returns the exit code */
export async function runAuditor(options: AuditorOptions, process: AuditorProcess): Promise<number> {
  const { clock, log } = process;
  try {
    const own = await openOwn(options, clock);
    try {
      if (options.setAside !== undefined) return await setAside(options.setAside, own, process);
      await warnIfWritable(options.journalDirectory, log);
      return await new AuditorLoop(options, own, process).run();
    } finally {
      await own?.record.close();
    }
  } catch (error) {
    log({ level: 'error', message: 'the auditor failed', error: String(error) });
    return error instanceof OwnRecordError ? exitCodes.ownRecord : exitCodes.environment;
  }
}

interface Own {
  readonly directory: string;
  readonly record: HeadRecord;
}

async function openOwn({ ownDirectory, journalDirectory }: AuditorOptions, clock: Clock): Promise<Own | undefined> {
  if (ownDirectory === undefined) return undefined;
  await mkdir(ownDirectory, { recursive: true, mode: 0o700 });
  const directory = await realpath(ownDirectory);
  const journal = await realpath(journalDirectory).catch(() => journalDirectory);
  if (isInside(directory, journal) || isInside(journal, directory))
    throw new Error(
      `${directory} and ${journal} must not contain each other: the agent could write to the auditor's record`,
    );
  const key = await openSigningKey(`${directory}/key.pem`);
  await replaceText(`${directory}/key.pub.pem`, key.publicKeyPem);
  return { directory, record: await openHeadRecord({ directory: `${directory}/record`, key, clock }) };
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

async function setAside(
  { store, reason }: NonNullable<AuditorOptions['setAside']>,
  own: Own | undefined,
  { clock, log }: AuditorProcess,
): Promise<number> {
  await own?.record.setAside(store, reason);
  if (own !== undefined && (store === BUS || store === RUN_STORE))
    await writeMessages(messageFile(own), messagesSetAside(clock.nowMs()));
  if (own !== undefined && store === VERDICT_STORE) await forgetVerdicts(own);
  log({ level: 'info', message: 'older heads are no longer compared', store, reason });
  return exitCodes.fine;
}

/** Accepts the open findings and keeps the progress. */
async function forgetVerdicts(own: Own): Promise<void> {
  const saved = await readVerdicts(verdictFile(own));
  if (saved !== undefined) await writeVerdicts(verdictFile(own), { ...saved, open: [] });
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
  #verdicts: VerdictAudit | undefined;
  #alarmed = false;

  constructor(options: AuditorOptions, own: Own | undefined, process: AuditorProcess) {
    this.#options = options;
    this.#own = own;
    this.#process = process;
    this.#messages = new MessageAudit(process.clock);
  }

  async run(): Promise<number> {
    const { port, listenAll, once, journalDirectory } = this.#options;
    const saved = this.#own === undefined || once ? undefined : await this.#takeUp(this.#own);
    this.#verdicts = await this.#openVerdicts();
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
    }
  }

  async #openVerdicts(): Promise<VerdictAudit | undefined> {
    const { makeRules, clock } = this.#process;
    const { journalDirectory: directory, once } = this.#options;
    if (makeRules === undefined) return undefined;
    const saved = this.#own === undefined || once ? undefined : await readVerdicts(verdictFile(this.#own));
    return new VerdictAudit({ directory, clock, makeRules, saved, once });
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

  async #follow(auditor: Auditor): Promise<number> {
    const { log } = this.#process;
    log({ level: 'info', message: 'the auditor follows the journal', journal: this.#options.journalDirectory });
    const bus = this.#followBus();
    try {
      await this.#lookAgain(auditor);
    } finally {
      await bus;
    }
    log({ level: 'info', message: 'the auditor ends' });
    return exitCodes.fine;
  }

  async #followBus(): Promise<void> {
    const { clock, signal, followBus } = this.#process;
    const { busSocket: path } = this.#options;
    if (followBus !== undefined) return followBus(this.#messages, signal);
    if (path !== undefined) await followTap({ path, watch: this.#messages, clock, signal });
  }

  async #lookAgain(auditor: Auditor): Promise<void> {
    const { clock, signal, log } = this.#process;
    while (!signal.aborted) {
      try {
        await this.#look(auditor);
      } catch (error) {
        if (error instanceof OwnRecordError) throw error;
        const { success, error: errors } = this.#figures.looksTotal;
        this.#figures = { ...this.#figures, looksTotal: { success, error: errors + 1 } };
        log({ level: 'error', message: 'a check failed; the auditor tries again', error: String(error) });
      }
      // An aborted sleep rejects; the loop's condition ends it.
      await clock.sleep(this.#options.lookEveryMs, signal).catch(() => undefined);
    }
  }

  async #look(auditor: Auditor): Promise<void> {
    const startMs = this.#process.clock.monotonicMs();
    const chains = await auditor.look();
    const report = await this.#withVerdicts(await this.#withMessages(chains, startMs), auditor);
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

  async #withVerdicts(report: LookReport, { walked }: Auditor): Promise<LookReport> {
    const verdicts = this.#verdicts;
    if (verdicts === undefined) return report;
    const found = await verdicts.look(walked);
    if (found.length > 0) await this.#own?.record.tell(found);
    const saved = verdicts.save();
    if (this.#own !== undefined && !this.#options.once && saved !== undefined)
      await writeVerdicts(verdictFile(this.#own), saved);
    return { ...report, open: [...report.open, ...verdicts.open], fresh: [...report.fresh, ...found] };
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
      verdicts: this.#verdicts?.figures ?? noVerdicts,
    };
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

function positionFile({ directory }: Own): string {
  return `${directory}/positions.json`;
}

function messageFile({ directory }: Own): string {
  return `${directory}/messages.json`;
}

function verdictFile({ directory }: Own): string {
  return `${directory}/verdicts.json`;
}

function findingLine(finding: Finding): LogLine {
  const { kind, store, message: messageId, seq, file, line, detail } = finding;
  const { severity, whatToDo } = findingTexts[kind];
  const place = { kind, store, messageId, seq, file, line, detail, whatToDo };
  return {
    level: severity === 'Alarm' ? 'error' : 'warn',
    message: 'found',
    finding: findingSentence(finding),
    ...place,
  };
}
