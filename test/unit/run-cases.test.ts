/** What a case teaches the next run: through the runtime, the record and the index of cases. The model reads its requests. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { openMeaning } from '@retainer/agent-pod/boot/word-table';
import type { CaseUsed } from '@retainer/mind/parts/cases/cases';
import type { MemoryWord } from '../support/memory-word.ts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { RunEventOf } from '@retainer/mind/run/event';
import { describe, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { criterion } from '../support/run-scenarios.ts';
import { runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const SALES = 'Sum the sales of March.';
/** Shares no word with it that carries a subject. */
const PARAPHRASE = 'Add up the revenue of that spring month.';
const STRANGER = 'Explain how photosynthesis works to a child.';

/** It goes to the usual file, unless a line of memory tells what came of that; a run that went there is found wrong. */
const rulesOf = (shape: 'Plan' | 'SingleStep'): string => String.raw`
version: 1
rules:
  - name: what is wanted
    when: {role: perceiver, text: '^The message:\n  (?P<words>[^\n]+)'}
    answer: {text: '<perception><task slug="work" shape="${shape}"><intent>{{text.words|xml}}</intent></task></perception>'}
  - name: tells what is missing
    when: {role: planner, text: '(?m)^given up after '}
    answer: {text: '<report><missing>A sum: the usual file has no row of that month.</missing><nextMove>Look elsewhere.</nextMove></report>'}
  - name: keeps off what failed
    when: {role: planner, text: '(?m)^PITFALL: .*calls: change (?P<path>[^; ]+).* \[(?P<name>m\d+)\]$'}
    answer: {text: '<plan><subtask basedOn="{{text.name}}"><intent>Add them up from another file.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: goes the usual way
    when: {role: planner}
    answer: {text: '<plan><subtask><intent>Add them up.</intent><criterion>The sum is given</criterion></subtask></plan>'}
  - name: follows the lesson
    when: {role: executor, turn: 1, text: '(?m)^PITFALL: .*calls: change data/usual\.csv'}
    answer: {calls: [{tool: change, input: {path: data/other.csv}}]}
  - name: knows nothing better
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: change, input: {path: data/usual.csv}}]}
  - name: done
    when: {role: executor}
    answer: {text: It is done.}
  - name: the usual file has no sum
    when: {role: agent-validator, text: 'data/usual\.csv'}
    answer: {text: '<attempt><verdict criterion="1" met="false" failureClass="Logical"><reason>no sum there</reason></verdict><whatWasWrong>no sum</whatWasWrong><whatToDo>sum</whatToDo></attempt>'}
  - name: any other has
    when: {role: agent-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict></attempt>'}
`;

const trusted: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] };

/** An agent over processes, on one record. */
class Life {
  readonly journal = new MemoryJournal();
  readonly #rules: string;

  constructor(shape: 'Plan' | 'SingleStep') {
    this.#rules = rulesOf(shape);
  }

  /** Plays a run in a process of its own. @returns its outcome, and where it went */
  async run(runId: string, intent: string, label: Label = trusted): Promise<readonly string[]> {
    const world = new World();
    world.label = label;
    const runtime = await this.#start(world);
    const control = AgentControl.parse({ maxReplans: 0, fastLoop: { maxRetries: 0 } });
    const task = { namespace: 'default', name: runId };
    const words = { intent, input: intent, criteria: [criterion('The sum is given')] };
    const reportDuties = [{ text: 'Tell where things stand.', cache: true }];
    const spec = runSpec({ runId, task, ...words, control, reportDuties }, ['change']);
    await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec });
    const { concluded } = await runtime.closed(runId);
    await runtime.stop();
    const paths = this.#of(runId, 'CycleConcluded').flatMap(({ calls }) => calls.map(({ target = '' }) => target));
    return [concluded?.outcome ?? 'none', ...paths];
  }

  /** A person's word, left for the agent as the command of `retainer memory` leaves it. */
  async tell(change: MemoryWord): Promise<void> {
    const runtime = await this.#start(new World());
    const command = { ...change, by: 'ada', reason: 'I say so' } as const;
    await runtime.accept(`word:${this.journal.records.length}`, 'test', command);
    await runtime.stop();
  }

  /** So that only cases can teach. */
  async forgetMegrams(): Promise<void> {
    const ids = this.journal.records.flatMap(({ kind, payload }) =>
      kind === 'MegramWritten' ? [(payload as unknown as { megram: { id: string } }).megram.id] : [],
    );
    await this.tell({ type: 'ForgetMegrams', ids });
  }

  /** Lines of memory that whoever planned, or worked on a single step, was shown. */
  lines(runId: string): readonly string[] {
    const asked = this.#of(runId, 'CycleRequested').filter(({ purpose: { role } }) => role !== 'AgentValidator');
    return asked.flatMap(({ spec: { input } }) => input.split('\n').filter((line) => /^(PITFALL|CASE): /.test(line)));
  }

  manifest(runId: string): { readonly memoryRefs?: readonly string[]; readonly basedOn?: readonly string[] } {
    const sent = this.#of(runId, 'MessageSent').flatMap(({ messages }) => messages);
    return sent.flatMap((it) => (it.type === 'DispatchManifest' ? [it.payload] : []))[0] ?? {};
  }

  recalled(runId: string): RunEventOf<'MemoryRecalled'>['cases'] {
    return this.#of(runId, 'MemoryRecalled')[0]?.cases;
  }

  worker(runId: string): RunEventOf<'CycleRequested'>['spec'] | undefined {
    return this.#of(runId, 'CycleRequested').find(({ purpose }) => purpose.role === 'Executor')?.spec;
  }

  uses(runId: string): readonly CaseUsed[] {
    return this.journal.records
      .filter((it) => it.kind === 'CaseUsed' && it.runId === runId)
      .map(({ payload }) => payload as unknown as CaseUsed);
  }

  async #start(world: World): Promise<ReturnType<typeof makeRuntime>> {
    const { journal } = this;
    const runtime = makeRuntime({ journal, world, model: await scripted(this.#rules), meaning: openMeaning });
    await runtime.start();
    return runtime;
  }

  #of<K extends 'MessageSent' | 'CycleRequested' | 'CycleConcluded' | 'MemoryRecalled'>(runId: string, kind: K) {
    return this.journal.records
      .filter((it) => it.kind === kind && it.runId === runId)
      .map(({ payload }) => payload as unknown as RunEventOf<K>);
  }
}

describe.each(['Plan', 'SingleStep'] as const)('after a run that was given up, with shape %s,', (shape) => {
  verifies(
    'memory:case-learns',
    'a paraphrase is told its lesson, follows it, and goes there again once the case is forgotten',
    async () => {
      const life = new Life(shape);
      expect(await life.run('a', SALES)).toEqual(['Abandoned', 'data/usual.csv']);
      await life.forgetMegrams();
      expect(await life.run('b', PARAPHRASE)).toEqual(['Accepted', 'data/other.csv']);
      expect(life.lines('b')[0]).toMatch(
        /^PITFALL: of a similar task, "Sum the sales of March\.": "Abandoned: 0 of 1 criteria met; what went wrong: A sum: the usual file has no row of that month\., next: Look elsewhere\.; calls: change data\/usual\.csv/,
      );
      const { memoryRefs, basedOn = memoryRefs } = life.manifest('b');
      expect([memoryRefs, basedOn]).toEqual([['a-case'], ['a-case']]);
      expect(life.recalled('b')).toMatchObject([{ id: 'a-case', category: 'Pitfall', matched: ['finance'] }]);
      expect(life.worker('b')?.remembered).toBe(
        life
          .worker('b')
          ?.input.split('\n')
          .find((line) => line.startsWith('PITFALL: ')),
      );
      expect(life.worker('b')?.judged).not.toContain('PITFALL');
      expect(life.uses('b')).toMatchObject([{ caseId: 'a-case', shown: true, cited: true }]);
      expect(await life.run('c', STRANGER)).toEqual(['Abandoned', 'data/usual.csv']);
      expect(life.lines('c')).toEqual([]);
      for (const caseId of ['a-case', 'b-case']) await life.tell({ type: 'CurateCase', caseId, how: 'Suppress' });
      await life.forgetMegrams();
      expect(await life.run('d', PARAPHRASE)).toEqual(['Abandoned', 'data/usual.csv']);
      expect(life.lines('d')).toEqual([]);
    },
  );
});

verifies(
  'recall:case-trust',
  'a run that had read a stranger teaches its end and no target, until a person endorses it',
  async () => {
    const life = new Life('Plan');
    const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };
    expect(await life.run('a', SALES, stranger)).toEqual(['Abandoned', 'data/usual.csv']);
    await life.forgetMegrams();
    expect(await life.run('b', PARAPHRASE)).toEqual(['Abandoned', 'data/usual.csv']);
    expect(life.lines('b')).toEqual([
      'PITFALL: of a similar task, "Sum the sales of March.": "Failure, 0 % of the criteria met; tools: change" [m1]',
    ]);
    await life.tell({ type: 'CurateCase', caseId: 'a-case', how: 'Endorse' });
    await life.tell({ type: 'CurateCase', caseId: 'b-case', how: 'Suppress' });
    expect(await life.run('c', PARAPHRASE)).toEqual(['Accepted', 'data/other.csv']);
  },
);
