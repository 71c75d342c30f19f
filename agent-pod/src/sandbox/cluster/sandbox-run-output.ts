/** Collects the output and the end of a run over any number of connections. */
import type { RunEvent } from '@retainer/contract/wire/runner';
import type { SandboxResult } from '../../ports/sandbox-run.ts';
import { OutputCapture } from '../output-capture.ts';

/** Longest UTF-8 character. The runner sends this many extra bytes, so that only the agent cuts the text. */
export const CUT_MARGIN_BYTES = 4;
const REASON_LENGTH_MAX = 256;

type Ended = RunEvent & { type: 'Ended' };

export class SandboxRunOutput {
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #next = 0;
  #ended: Ended | undefined;

  constructor(outputBytesMax: number) {
    this.#stdout = new OutputCapture(outputBytesMax);
    this.#stderr = new OutputCapture(outputBytesMax);
  }

  /** Number of the next event. */
  get next(): number {
    return this.#next;
  }

  get ended(): Ended | undefined {
    return this.#ended;
  }

  add(event: RunEvent): void {
    if (this.#ended !== undefined) return;
    this.#next += 1;
    if (event.type === 'Ended') this.#ended = event;
    if (event.type === 'Output') {
      const capture = event.stream === 'stdout' ? this.#stdout : this.#stderr;
      capture.add(Buffer.from(event.base64, 'base64'));
    }
  }

  /** The result from the runner's report, or from `end` if the runner ended without one. */
  result(
    end: Pick<SandboxResult, 'end' | 'exitCode' | 'durationMs'> & { readonly reason?: string } & Pick<
        SandboxResult,
        'changes'
      >,
  ): SandboxResult {
    const stdout = this.#stdout.finish();
    const stderr = this.#stderr.finish();
    const told = this.#ended?.droppedBytes ?? 0;
    const { reason, ...how } =
      this.#ended === undefined ? end : { ...this.#ended, ...joinReasons(this.#ended.reason, end.reason) };
    return {
      end: how.end,
      exitCode: how.exitCode,
      durationMs: how.durationMs,
      stdout: stdout.text,
      stderr: stderr.text,
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes + told,
      ...(reason === undefined ? {} : { reason: reason.slice(0, REASON_LENGTH_MAX) }),
      ...(end.changes === undefined ? {} : { changes: end.changes }),
    };
  }
}

function joinReasons(...reasons: readonly (string | undefined)[]): { readonly reason?: string } {
  const said = reasons.filter((reason) => reason !== undefined);
  return said.length === 0 ? {} : { reason: said.join('; ') };
}
