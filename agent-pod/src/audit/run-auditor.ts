/** The auditor as a process: opens its own directory, looks again and again, tells people. */
import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { Auditor, type HeadRecordPort, type LookReport } from './auditor.ts';
import { exitCodes, type AuditorOptions } from './auditor-options.ts';
import { findingSentence, findingTexts, isAlarm, type Finding } from './finding.ts';
import { openHeadRecord, OwnRecordError, type HeadRecord } from './head-record.ts';
import { noFigures, renderMetrics, type AuditorFigures } from './metrics.ts';
import { serveMetrics, type MetricsServer } from './metrics-server.ts';
import { readPositions, replaceText, writePositions } from './position-file.ts';
import { openSigningKey } from './signing-key.ts';

export interface AuditorProcess {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** One line for people, as JSON. */
  readonly log: (line: LogLine) => void;
}

export interface LogLine {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Looks that are missed before the auditor counts as unwell; walking a large journal is one look. */
const unwellAfterMs = 60_000;

/** @returns the exit code */
export async function runAuditor(options: AuditorOptions, { clock, signal, log }: AuditorProcess): Promise<number> {
  try {
    const own = await openOwn(options, clock);
    try {
      if (options.setAside !== undefined) return await setAside(options.setAside, own, log);
      await warnIfWritable(options.journalDirectory, log);
      return await new AuditorLoop(options, own, { clock, signal, log }).run();
    } finally {
      await own?.record.close();
    }
  } catch (error) {
    log({ level: 'error', message: 'the auditor cannot go on', error: String(error) });
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
    throw new Error(`${directory} and ${journal} must be apart: the agent could write to the auditor's record`);
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
  log: AuditorProcess['log'],
): Promise<number> {
  await own?.record.setAside(store, reason);
  log({ level: 'info', message: 'older heads are set aside', store, reason });
  return exitCodes.fine;
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
  #alarmed = false;

  constructor(options: AuditorOptions, own: Own | undefined, process: AuditorProcess) {
    this.#options = options;
    this.#own = own;
    this.#process = process;
  }

  async run(): Promise<number> {
    const { port, once, journalDirectory } = this.#options;
    const saved =
      this.#own === undefined || once ? undefined : await readPositions(`${this.#own.directory}/positions.json`);
    const auditor = new Auditor({
      directory: journalDirectory,
      record: this.#own?.record ?? nothingKept,
      clock: this.#process.clock,
      saved,
      once,
      signal: this.#process.signal,
    });
    const server = port === undefined ? undefined : await this.#serve(port);
    try {
      return once ? await this.#lookOnce(auditor) : await this.#follow(auditor);
    } finally {
      await server?.close();
      await auditor.settled();
    }
  }

  async #lookOnce(auditor: Auditor): Promise<number> {
    await access(this.#options.journalDirectory, constants.R_OK);
    await this.#look(auditor);
    const { open, recordsTotal, stores } = this.#figures;
    const alarms = open.filter(isAlarm).length;
    const message = alarms === 0 ? 'the journal is what it was' : 'the journal is not what it was';
    this.#process.log({ level: alarms === 0 ? 'info' : 'error', message, alarms, records: recordsTotal, stores });
    return alarms === 0 ? exitCodes.fine : exitCodes.alarm;
  }

  async #follow(auditor: Auditor): Promise<number> {
    const { clock, signal, log } = this.#process;
    log({ level: 'info', message: 'the auditor follows', journal: this.#options.journalDirectory });
    while (!signal.aborted) {
      try {
        await this.#look(auditor);
      } catch (error) {
        if (error instanceof OwnRecordError) throw error;
        const { success, error: errors } = this.#figures.looksTotal;
        this.#figures = { ...this.#figures, looksTotal: { success, error: errors + 1 } };
        log({ level: 'error', message: 'a look failed and is tried again', error: String(error) });
      }
      // An aborted sleep rejects; the loop's condition ends it.
      await clock.sleep(this.#options.lookEveryMs, signal).catch(() => undefined);
    }
    log({ level: 'info', message: 'the auditor ends' });
    return exitCodes.fine;
  }

  async #look(auditor: Auditor): Promise<void> {
    const startMs = this.#process.clock.monotonicMs();
    const report = await auditor.look();
    this.#count(report, this.#process.clock.monotonicMs() - startMs);
    for (const finding of report.fresh) this.#process.log(findingLine(finding));
    this.#tellChange(report);
    const { once } = this.#options;
    // Places in a copy are none in the original.
    if (this.#own !== undefined && !once) await writePositions(`${this.#own.directory}/positions.json`, auditor.save());
    if (this.#options.metricsFile !== undefined)
      await replaceText(this.#options.metricsFile, renderMetrics(this.#figures));
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
    };
  }

  #tellChange({ open }: LookReport): void {
    const isAlarmed = open.some(isAlarm);
    if (this.#alarmed && !isAlarmed) this.#process.log({ level: 'info', message: 'no alarm is open any more' });
    this.#alarmed = isAlarmed;
  }

  async #serve(port: number): Promise<MetricsServer> {
    const { clock, log } = this.#process;
    const startMs = clock.nowMs();
    const server = await serveMetrics(port, {
      metrics: () => renderMetrics(this.#figures),
      unwell: () => {
        const sinceMs = clock.nowMs() - (this.#figures.lastLookAtMs ?? startMs);
        return sinceMs > unwellAfterMs ? `no look has ended for ${Math.round(sinceMs / 1000)} s` : undefined;
      },
    });
    log({ level: 'info', message: 'metrics are served', url: `http://127.0.0.1:${server.port}/metrics` });
    return server;
  }
}

function findingLine(finding: Finding): LogLine {
  const { kind, store, seq, file, line, detail } = finding;
  const { severity, whatToDo } = findingTexts[kind];
  const place = { kind, store, seq, file, line, detail, whatToDo };
  return { level: severity === 'Alarm' ? 'error' : 'warn', message: findingSentence(finding), ...place };
}
