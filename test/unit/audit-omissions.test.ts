/** A table of omissions: of every kind of record that runs decide, one is left out, and the run is decided again. */
import { expect } from 'vitest';
import { runMachine } from '@retainer/agent-pod/loop/run-driver';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { MachineReview, type MachineReplay } from '@retainer/mind/replay/replay-machine';
import { runDecisions, type RunEvent, type RunInput } from '@retainer/mind/run/event';
import type { RunState } from '@retainer/mind/run/state';
import { testTools } from '../support/known-tools.ts';
import { rareScenarios, scenarios, type Scenario } from '../support/run-scenarios.ts';
import { faultless, RunWorld, type Mind } from '../support/run-world.ts';
import { verifies } from '../verifies.ts';

const [plain] = scenarios;

/** The validator comes back once with nothing: it is asked again. */
function askedTwice({ mind, ...scenario }: Scenario): Scenario {
  let asked = 0;
  const failing: Mind = (purpose, cycle) => {
    asked += purpose.role === 'AgentValidator' ? 1 : 0;
    return purpose.role === 'AgentValidator' && asked === 1
      ? { outcome: 'Failed', reason: 'the model failed' }
      : mind(purpose, cycle);
  };
  return { ...scenario, name: 'asked twice', mind: failing };
}

const all = [...scenarios, ...rareScenarios, ...(plain === undefined ? [] : [askedTwice(plain)])];

/** Runs as they are recorded now, and as they were when a record of its own delivered each message. */
const recorded = [...all, ...scenarios.map((it) => ({ ...it, name: `${it.name}, with a bus`, bus: faultless }))].map(
  (scenario) => ({ name: scenario.name, events: new RunWorld(scenario).play().events }),
);

function replayed(events: readonly RunEvent[]): MachineReplay {
  const review = new MachineReview<RunState, RunInput, RunEvent>(() => runMachine(testTools));
  for (const [seq, event] of events.entries()) {
    const own = event.kind === 'RunAdmitted' ? { ...event, deciders: DECIDERS } : event;
    review.take({ event: own, store: 'run', seq, order: seq, epoch: 1 });
  }
  return review.end(true);
}

/** The last record of each kind. */
function places(events: readonly RunEvent[], kinds: readonly string[]): readonly number[] {
  return kinds.map((kind) => events.findLastIndex((it) => it.kind === kind)).filter((at) => at >= 0);
}

/** Inputs that others were seen to leave out. */
const acknowledged = ['MessageReceived', 'CycleConcluded', 'MemoryRecalled', 'Delivered', 'Archived'];
/** Only a message of a round that is over is dropped, and no message of these runs is late. */
const neverThere = ['MessageDropped'];

verifies('audit:omissions-found', 'every kind of record that a run decides or acts on', () => {
  const tried = new Set<string>();
  const missed: string[] = [];
  for (const { name, events } of recorded) {
    expect(replayed(events).divergence).toBeUndefined();
    for (const at of places(events, [...Object.keys(runDecisions), ...acknowledged])) {
      const kind = events[at]?.kind ?? '';
      tried.add(kind);
      if (replayed(events.toSpliced(at, 1)).divergence === undefined) missed.push(`${name}: ${kind} at ${at}`);
    }
  }
  expect(missed).toEqual([]);
  expect([...tried, ...neverThere].toSorted()).toEqual([...Object.keys(runDecisions), ...acknowledged].toSorted());
});
