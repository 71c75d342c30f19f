/**
 * Asks the person at the terminal about calls that wait, one after the other.
 *
 * I1  Only a line that begins with y or n decides; the end of the input decides nothing.
 * I2  A decision made elsewhere takes the question back.
 */
import { createInterface } from 'node:readline';
import { approvalQuestions, type ApprovalQuestion } from '@retainer/mind/cycle/state';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { Output } from './output.ts';
import { effectLines } from './render-approval.ts';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly prompts: NodeJS.WritableStream;
  /** Who sits there, as the operating system says. */
  readonly user: { readonly name: string; readonly uid: number | undefined };
}

type Asking = Pick<OpenedAgent['runtime'], 'openCycles' | 'accept'>;

export class TerminalApprovals {
  readonly #runtime: Asking;
  readonly #terminal: Terminal;
  readonly #output: Output;
  readonly #asked = new Set<string>();
  #asking: Promise<void> = Promise.resolve();
  #open: { readonly requestId: string; readonly over: AbortController } | undefined;

  constructor(runtime: Asking, terminal: Terminal, output: Output) {
    this.#runtime = runtime;
    this.#terminal = terminal;
    this.#output = output;
  }

  /** Asks what is new and takes back what is decided. @returns when all that was asked is decided, or nobody answers */
  look(): Promise<void> {
    const open = this.#questions();
    if (this.#open !== undefined && !open.some(({ requestId }) => requestId === this.#open?.requestId))
      this.#open.over.abort();
    for (const question of open.filter(({ requestId }) => !this.#asked.has(requestId))) {
      this.#asked.add(question.requestId);
      this.#asking = this.#asking.then(() => this.#ask(question));
    }
    return this.#asking;
  }

  stop(): void {
    this.#open?.over.abort();
  }

  #questions(): readonly ApprovalQuestion[] {
    return this.#runtime.openCycles().flatMap(approvalQuestions);
  }

  async #ask({ requestId, argumentsDigest, ...call }: ApprovalQuestion): Promise<void> {
    if (!this.#questions().some((it) => it.requestId === requestId)) return;
    const over = new AbortController();
    this.#open = { requestId, over };
    this.#output.note(`${call.tool} (effect class ${call.effectClass}) needs your leave:`, 'Warning');
    for (const line of effectLines({ requestId, ...call })) this.#output.note(`  ${line}`);
    const said = await this.#read(over.signal);
    this.#open = undefined;
    if (said === undefined) return;
    const { name, uid } = this.#terminal.user;
    await this.#runtime.accept(`terminal:${requestId}`, 'terminal', {
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      decision: said.isYes ? 'Approve' : 'Deny',
      by: name,
      reason: said.reason,
      knownBy: { how: 'OsUser', ...(uid === undefined ? {} : { uid }) },
    });
  }

  /** @returns undefined: the input ended, or the question was taken back */
  async #read(signal: AbortSignal): Promise<{ readonly isYes: boolean; readonly reason: string } | undefined> {
    const lines = createInterface({ input: this.#terminal.input, output: this.#terminal.prompts, signal });
    // A terminal gives Ctrl-C to whoever reads it.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.setPrompt('approve exactly this? y or n, and why: ');
    lines.prompt();
    try {
      for await (const line of lines) {
        const [, word = '', reason = ''] = /^\s*(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line) ?? [];
        if (word !== '') return { isYes: /^y/i.test(word), reason: reason.trim() || 'said so at the terminal' };
        lines.prompt();
      }
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      lines.close();
    }
  }
}
