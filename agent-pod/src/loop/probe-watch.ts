import type { CycleEvent } from '../cycle/event.ts';
import type { Probes } from '../gate/chain/inquiry.ts';
import { areDegraded, PROBES_DEGRADED_AFTER } from '../gate/score/probe.ts';
import type { Journal } from '../journal/journal.ts';

/**
 * Tells people when the probe model is not to be had: texts pass meanwhile as if nobody had asked for probes.
 *
 * Counted by this process alone: after a restart three more have to fail. Source: springdrift 2.10.
 */
export class ProbeWatch {
  readonly #journal: Pick<Journal, 'append'>;
  readonly #onNotice: (notice: string) => void;
  #newest: readonly Probes[] = [];
  #isDegraded = false;

  constructor(journal: Pick<Journal, 'append'>, onNotice: (notice: string) => void) {
    this.#journal = journal;
    this.#onNotice = onNotice;
  }

  async take({ hijack, leakage }: Extract<CycleEvent, { kind: 'GateProbed' }>): Promise<void> {
    const probes = { hijack: hijack.outcome, leakage: leakage.outcome };
    this.#newest = [...this.#newest, probes].slice(-PROBES_DEGRADED_AFTER);
    const isDegraded = areDegraded(this.#newest);
    if (isDegraded === this.#isDegraded) return;
    this.#isDegraded = isDegraded;
    this.#onNotice(
      isDegraded
        ? `the canary probes brought no answer ${PROBES_DEGRADED_AFTER} times in a row: texts pass without them`
        : 'the canary probes bring answers again',
    );
    const kind = isDegraded ? 'ProbesDegraded' : 'ProbesRecovered';
    const reason = hijack.reason ?? leakage.reason ?? '';
    await this.#journal.append([{ store: 'agent', kind, principal: 'agent', payload: { reason } }]);
  }
}
