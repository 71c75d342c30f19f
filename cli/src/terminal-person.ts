/**
 * Asks the person at the terminal about calls and questions that wait, one after the other.
 *
 * I1  About a call, only a line that begins with y or n decides; a question is answered by a line that is not blank. The end of the
 *     input says nothing.
 * I2  A decision or an answer from elsewhere takes the question back.
 * I3  While this process is in the background, the terminal is not touched: the kernel would stop the process, and all its work. Lines
 *     are read as the terminal gives them, for setting a mode of it stops a process of the background, too.
 * I4  What the agent could not take is asked again, and does not keep later questions from being asked.
 */
import { createInterface } from 'node:readline';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { Output } from './output.ts';
import { askLines, personAsks, type OpenWork, type PersonAsk } from './person-asks.ts';

/** After a decision that the agent could not take, milliseconds: what was in the way, such as a full volume, may be gone. */
const ASK_AGAIN_MS = 5_000;

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly prompts: NodeJS.WritableStream;
  /** Who sits there, as the operating system says. */
  readonly user: { readonly name: string; readonly uid: number | undefined };
  readonly foreground: Foreground;
  /** What to type to decide elsewhere. */
  readonly command: (ask: PersonAsk) => string;
}

/** Whether the terminal is this process's to read. */
export interface Foreground {
  isOurs(): boolean;
  /** Rejects at the signal. */
  untilOurs(signal: AbortSignal): Promise<void>;
}

type Asking = OpenWork & Pick<OpenedAgent['runtime'], 'accept'>;

/** @returns what the line says; undefined: nothing yet */
type Reader<Said> = (line: string) => Said | undefined;

export class TerminalPerson {
  readonly #runtime: Asking;
  readonly #terminal: Terminal;
  readonly #output: Output;
  readonly #asked = new Set<string>();
  #asking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #open: { readonly id: string; readonly over: AbortController } | undefined;

  constructor(runtime: Asking, terminal: Terminal, output: Output) {
    this.#runtime = runtime;
    this.#terminal = terminal;
    this.#output = output;
    // A terminal that has closed is the end of the input (I1). Its reader hears of it; nobody else must.
    terminal.input.on('error', () => undefined);
  }

  /** Asks what is new and takes back what is decided. @returns when all that was asked is decided, or nobody answers */
  look(): Promise<void> {
    const open = personAsks(this.#runtime);
    if (this.#open !== undefined && !open.some(({ id }) => id === this.#open?.id)) this.#open.over.abort();
    for (const ask of open.filter(({ id }) => !this.#asked.has(id))) {
      this.#asked.add(ask.id);
      this.#asking = this.#asking.then(() => this.#ask(ask));
    }
    return this.#asking;
  }

  /** Takes the open question back, and asks none that still waits. */
  stop(): void {
    this.#isStopped = true;
    this.#open?.over.abort();
  }

  async #ask(ask: PersonAsk): Promise<void> {
    const { id } = ask;
    if (this.#isStopped || !personAsks(this.#runtime).some((it) => it.id === id)) return;
    const over = new AbortController();
    this.#open = { id, over };
    this.#output.note(headOf(ask), 'Warning');
    for (const line of askLines(ask)) this.#output.note(`  ${line}`);
    try {
      await (ask.kind === 'Approval' ? this.#askLeave(ask, over.signal) : this.#askAnswer(ask, over.signal));
    } catch (error) {
      this.#asked.delete(id);
      this.#output.note(`this was not taken: ${error instanceof Error ? error.message : String(error)}`, 'Warning');
      // Nothing else may happen that would make it look again.
      setTimeout(() => void this.look(), ASK_AGAIN_MS).unref();
    } finally {
      this.#open = undefined;
    }
  }

  async #askLeave(ask: PersonAsk & { kind: 'Approval' }, signal: AbortSignal): Promise<void> {
    const said = await this.#read(ask, 'approve exactly this? y or n, and why: ', decisionIn, signal);
    if (said === undefined) return;
    const { requestId, argumentsDigest } = ask.call;
    await this.#runtime.accept(`terminal:${requestId}`, 'terminal', {
      type: 'DecideApproval',
      ...{ requestId, argumentsDigest },
      decision: said.isYes ? 'Approve' : 'Deny',
      reason: said.reason,
      ...this.#byPerson(),
    });
  }

  async #askAnswer(ask: PersonAsk & { kind: 'Question' }, signal: AbortSignal): Promise<void> {
    const { id, runId } = ask;
    const text = await this.#read(ask, 'your answer: ', (line) => line.trim() || undefined, signal);
    if (text === undefined) return;
    const command = { type: 'AnswerQuestion', runId, questionId: id, text, ...this.#byPerson() } as const;
    await this.#runtime.accept(`terminal:${id}`, 'terminal', command);
  }

  #byPerson(): { readonly by: string; readonly knownBy: { readonly how: 'OsUser'; readonly uid?: number } } {
    const { name, uid } = this.#terminal.user;
    return { by: name, knownBy: { how: 'OsUser', ...(uid === undefined ? {} : { uid }) } };
  }

  /** @returns undefined: the input ended, or the question was taken back */
  async #read<Said>(
    ask: PersonAsk,
    prompt: string,
    read: Reader<Said>,
    signal: AbortSignal,
  ): Promise<Said | undefined> {
    const { foreground, command } = this.#terminal;
    for (;;) {
      if (!foreground.isOurs()) {
        this.#output.note(`this command is in the background: type fg to answer here, or ${command(ask)}`, 'Warning');
        await foreground.untilOurs(signal).catch(() => undefined);
      }
      if (signal.aborted) return undefined;
      const away = new AbortController();
      // Stopped with Ctrl-Z, it may go on in the background.
      const look = (): void => {
        if (!foreground.isOurs()) away.abort();
      };
      process.on('SIGCONT', look);
      const said = await this.#readLine(prompt, read, AbortSignal.any([signal, away.signal]));
      process.off('SIGCONT', look);
      if (!away.signal.aborted || signal.aborted) return said;
    }
  }

  async #readLine<Said>(prompt: string, read: Reader<Said>, signal: AbortSignal): Promise<Said | undefined> {
    const { input, prompts: output } = this.#terminal;
    const lines = createInterface({ input, output, signal, terminal: false });
    lines.setPrompt(prompt);
    lines.prompt();
    try {
      for await (const line of lines) {
        const said = read(line);
        if (said !== undefined) return said;
        lines.prompt();
      }
      return undefined;
    } catch (error) {
      // I1: what takes the terminal away is the end of the input.
      if (signal.aborted || (error instanceof Error && 'syscall' in error)) return undefined;
      throw error;
    } finally {
      lines.close();
    }
  }
}

function headOf(ask: PersonAsk): string {
  if (ask.kind === 'Question') return `run ${ask.runId} asks you:`;
  return `${ask.call.tool} (effect class ${ask.call.effectClass}) needs your leave:`;
}

function decisionIn(line: string): { readonly isYes: boolean; readonly reason: string } | undefined {
  const [, word = '', reason = ''] = /^\s*(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line) ?? [];
  return word === '' ? undefined : { isYes: /^y/i.test(word), reason: reason.trim() || 'said so at the terminal' };
}
