/**
 * A life with one mistake that no memory of a single pair stops: each Task has a sheet of its own, and the agent looks for it among
 * the drafts first, where no sum is. The model reads its requests; it keeps off the drafts only where a line of memory speaks of all
 * of them.
 */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { ArchivistSettings } from '@retainer/agent-pod/loop/archive-driver';
import type { Clock } from '@retainer/contract/std/clock';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { RunEventOf, RunSpec } from '@retainer/mind/run/event';
import { scripted } from './agents.ts';
import { makeRuntime, World } from './crash-world.ts';
import { MemoryJournal } from './memory-journal.ts';
import { criterion } from './run-scenarios.ts';
import { runSpec } from './runs.ts';

export const draftsRules = String.raw`
version: 1
rules:
  - name: puts the lesson into words
    when: {role: dreamer, text: 'Notes about change on targets that begin with (?P<place>\S+):(?s).*, but (?P<better>\S+/) has'}
    answer: {text: '<words>Do not use change on {{text.place}}: no sum is there. Take the sheet from {{text.better}} instead.</words>'}
  - name: has nothing to say
    when: {role: dreamer}
    answer: {text: '<words>Sums that were found in the final sheets.</words>'}
  - name: what is wanted
    when: {role: perceiver, text: '^The message:\n  (?P<words>[^\n]+)'}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>{{text.words|xml}}</intent></task></perception>'}
  - name: was told in this run
    when: {role: planner, text: '(?s)sheet (?P<sheet>[a-z]+)\..*no sum in drafts, but final/ has'}
    answer: {text: '<plan><subtask><intent>Add up sheet {{text.sheet}} from final/ this time.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: keeps off what a lesson tells of
    when: {role: planner, text: '(?s)sheet (?P<sheet>[a-z]+)\..*MUST NOT: [^\n]*change on drafts/: [^\n]* from (?P<better>final/)[^\n]* \[(?P<name>m\d+)\]\n'}
    answer: {text: '<plan><subtask basedOn="{{text.name}}"><intent>Add up sheet {{text.sheet}} from {{text.better}}.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: keeps off it, with the lesson before the Task
    when: {role: planner, text: '(?s)MUST NOT: [^\n]*change on drafts/: [^\n]* from (?P<better>final/)[^\n]* \[(?P<name>m\d+)\]\n.*sheet (?P<sheet>[a-z]+)\.'}
    answer: {text: '<plan><subtask basedOn="{{text.name}}"><intent>Add up sheet {{text.sheet}} from {{text.better}}.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: goes the usual way
    when: {role: planner, text: 'sheet (?P<sheet>[a-z]+)\.'}
    answer: {text: '<plan><subtask><intent>Add up sheet {{text.sheet}}.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: looks where it is told to
    when: {role: executor, turn: 1, text: 'Add up sheet (?P<sheet>[a-z]+) from final/'}
    answer: {calls: [{tool: change, input: {path: 'final/{{text.sheet}}.csv'}}]}
  - name: looks among the drafts
    when: {role: executor, turn: 1, text: 'Add up sheet (?P<sheet>[a-z]+)\.'}
    answer: {calls: [{tool: change, input: {path: 'drafts/{{text.sheet}}.csv'}}]}
  - name: done
    when: {role: executor}
    answer: {text: It is done.}
  - name: a draft has no sum
    when: {role: agent-validator, text: 'drafts/'}
    answer: {text: '<attempt><verdict criterion="1" met="false" failureClass="Logical"><reason>no sum in drafts, but final/ has</reason></verdict><whatWasWrong>no sum in drafts, but final/ has</whatWasWrong><whatToDo>sum</whatToDo></attempt>'}
  - name: a final sheet has
    when: {role: agent-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict></attempt>'}
`;

/** Ten Tasks that have nothing in common but the habit, and an eleventh. */
export const sheets: readonly (readonly [sheet: string, intent: string])[] = [
  ['sales', 'Tell what Acme sold in March, see sheet sales.'],
  ['rain', 'Find the wettest day of the valley, see sheet rain.'],
  ['stock', 'Count the bolts in the warehouse, see sheet stock.'],
  ['wages', 'Check the pay of the night shift, see sheet wages.'],
  ['trips', 'Which driver went farthest, see sheet trips.'],
  ['bees', 'How much honey came of each hive, see sheet bees.'],
  ['votes', 'Who won the election of the club, see sheet votes.'],
  ['grades', 'Say how the class did in algebra, see sheet grades.'],
  ['calls', 'Rank customers by their complaints, see sheet calls.'],
  ['power', 'What did heating use in winter, see sheet power.'],
  ['trees', 'Estimate the timber of the northern wood, see sheet trees.'],
];

const trusted: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] };

/** The run of a Task of this life. */
export function draftsRun(runId: string, intent: string): RunSpec {
  const control = AgentControl.parse({ profile: 'Hardened', maxReplans: 2, fastLoop: { maxRetries: 0 } });
  const task = { namespace: 'default', name: runId };
  const criteria = [criterion('The sum is given')];
  return runSpec({ runId, task, intent, input: intent, criteria, control }, ['change']);
}

export interface LifeParts {
  readonly rules?: string;
  readonly archivist?: ArchivistSettings;
  readonly clock?: Clock;
  readonly label?: Label;
}

export class DraftsLife {
  readonly journal: MemoryJournal;
  readonly #parts: LifeParts;

  constructor(parts: LifeParts = {}, journal = new MemoryJournal()) {
    this.#parts = parts;
    this.journal = journal;
  }

  /** Plays a run in a process of its own. @returns where it went */
  async run(runId: string, intent: string): Promise<readonly string[]> {
    await this.within(async (runtime) => {
      await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: draftsRun(runId, intent) });
      await runtime.closed(runId);
      await runtime.archived();
    });
    return this.of(runId, 'CycleConcluded').flatMap(({ calls }) => calls.map(({ target = '' }) => target));
  }

  dream(): Promise<void> {
    return this.within((runtime) => runtime.dream('Interval'));
  }

  async within(work: (runtime: AgentRuntime) => Promise<void>): Promise<void> {
    const { rules = draftsRules, archivist, clock, label = trusted } = this.#parts;
    const world = new World();
    world.label = label;
    const runtime = makeRuntime({
      journal: this.journal,
      world,
      model: await scripted(rules),
      ...(archivist === undefined ? {} : { archivist }),
      ...(clock === undefined ? {} : { clock }),
    });
    await runtime.start();
    await work(runtime);
    await runtime.stop();
  }

  /** What the first planner of a run was told. */
  planner(runId: string): string {
    return this.of(runId, 'CycleRequested').find(({ purpose }) => purpose.role === 'Planner')?.spec.input ?? '';
  }

  /** The lines of memory that the first plan cites. */
  cited(runId: string): readonly string[] {
    const sent = this.of(runId, 'MessageSent').flatMap(({ messages }) => messages);
    return sent.flatMap((it) => (it.type === 'DispatchManifest' ? (it.payload.basedOn ?? []) : []));
  }

  of<K extends 'MessageSent' | 'CycleRequested' | 'CycleConcluded'>(runId: string, kind: K): readonly RunEventOf<K>[] {
    return this.journal.records
      .filter((it) => it.kind === kind && it.runId === runId)
      .map(({ payload }) => payload as unknown as RunEventOf<K>);
  }
}
