/** Metrics of the control loop: rounds, directives, corrections, loss and its gradients. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { RunEvent, RunEventOf } from '@retainer/mind/run/event';

/** Loss, 0 to 1. */
const LOSS_BUCKETS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Change of the loss, −1 to 1; narrow buckets around the plateau. */
const GRADIENT_BUCKETS = [-0.5, -0.3, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.2, 0.3, 0.5, 1];

export interface ControlMetrics {
  /** @param event  durable */
  count(event: RunEvent): void;
}

export function createControlMetrics(registry: Registry): ControlMetrics {
  const meters = makeMeters(registry);
  return {
    count: (event) => {
      switch (event.kind) {
        case 'MessageSent':
          for (const { type, payload } of event.messages)
            if (type === 'CorrectionSignal' && payload.selfConsistency !== 'Blind')
              meters.corrections.inc({ failure_class: payload.failureClass });
          return;
        case 'RoundSteered':
          return countRound(meters, event);
        case 'RunConcluded':
          return event.loss === undefined ? undefined : meters.loss.observe(event.loss.l);
        default:
          return undefined;
      }
    },
  };
}

type Meters = ReturnType<typeof makeMeters>;

function makeMeters(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[]): Counter =>
    new Counter({ name: `retainer_agent_${name}`, help, labelNames: [...labelNames], registers });
  return {
    rounds: counter('rounds_total', 'Steered rounds of the control loop, by what was steered.', ['occasion']),
    directives: counter('directives_total', 'Directives of the steerer.', ['directive']),
    overrides: counter('directive_overrides_total', 'Directives that override the decision table, by reason.', [
      'override',
    ]),
    corrections: counter('corrections_total', 'Corrections of an attempt at a subtask.', ['failure_class']),
    loss: new Histogram({
      name: 'retainer_agent_run_loss',
      help: 'Loss of the last round of ended runs.',
      buckets: LOSS_BUCKETS,
      registers,
    }),
    ...gradients(registry),
  };
}

/** Both gradients of each round, though only one decides. Source: artoo A.9 (values and names). */
function gradients(registry: Registry): { readonly gradL: Histogram; readonly gradQ: Histogram } {
  const make = (name: string, help: string): Histogram =>
    new Histogram({ name, help, buckets: GRADIENT_BUCKETS, registers: [registry] });
  return {
    gradL: make('retainer_ggs_grad_l', 'Change of the loss L since the previous round.'),
    gradQ: make('retainer_ggs_grad_q', 'Change of the quality loss Q since the previous round.'),
  };
}

function countRound(meters: Meters, { explanation }: RunEventOf<'RoundSteered'>): void {
  const { occasion, directive, override, gradL, gradQ } = explanation;
  meters.rounds.inc({ occasion });
  meters.directives.inc({ directive });
  if (override !== undefined) meters.overrides.inc({ override });
  meters.gradL.observe(gradL);
  meters.gradQ.observe(gradQ);
}
