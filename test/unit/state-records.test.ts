/** What a record tells a person of an agent's state is what the agent's own cycles were told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programVersion } from '@retainer/agent-pod/boot/program-version';
import { costOf } from '@retainer/agent-pod/infer/price';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { foldSelf, stateLooks } from '@retainer/agent-pod/review/state-records';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { JournalRecord } from '@retainer/journal/journal';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { agentDefinition, scripted, task } from '../support/agents.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: a call that waits for a person
    when: {role: executor, task: 'Write a note', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: a call that is made
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: memory_write, input: {key: garden/color, value: red}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const parts = { version: programVersion(), costOf };

type Started = Extract<CycleEvent, { kind: 'CycleStarted' }>;

const directory = temporaryDirectory();
const records: JournalRecord[] = [];
let agent: OpenedAgent;

/** Resolves when a record of this kind is durable, also if it was before. */
let seen: () => void = () => undefined;
async function recorded(kind: string): Promise<void> {
  while (!records.some((it) => it.kind === kind)) await new Promise<void>((resolve) => (seen = resolve));
}

beforeAll(async () => {
  agent = await openedAgent({
    definition: agentDefinition(),
    dataDirectory: directory.path,
    model: await scripted(script),
    onRecord: (record) => {
      records.push(record);
      seen();
    },
  });
  await agent.submitTask(task('note', 'Write a note'), 'test');
  await recorded('ApprovalRequested');
  for (const name of ['first', 'second', 'third']) {
    const { runId } = await agent.submitTask(task(name, `Water the garden, ${name}`), 'test');
    await agent.runtime.closed(runId);
    await agent.runtime.archived();
  }
});
afterAll(async () => {
  await agent.close();
  await directory.remove();
});

/** Left out is what a cycle has of its own: its moment, its run and its words, and what memory answers to them; and slots of other roles. */
function withoutOwn(told: string, role: string): string {
  const slots = role === 'Perceiver' ? 'threads|facts|cases' : 'counts|runs';
  return told
    .replaceAll(new RegExp(String.raw`^<(${slots})>.*?</\1>\n`, 'gms'), '')
    .replaceAll(/^<run .*>\n(?:<limit .*\n)*<\/run>\n/gm, '')
    .replaceAll(/^<run .*\n/gm, '')
    .replaceAll(/ (?:now|cycle|input|conversation_depth|novelty|novelty_n|high_novelty)="[^"]*"/g, '')
    .replace('<meta_recommendations/>\n', '');
}

async function toldAt(before: readonly JournalRecord[], atMs: number): Promise<string> {
  const self = await foldSelf(new MemoryJournal(before), atMs, parts);
  if (!self.ok) throw new Error(self.error);
  return self.value.at(atMs).told;
}

/** From the moment when a cycle was requested until it began: in between, other records may come. */
function momentsOf({ cycleId, order: until }: JournalRecord): readonly (readonly JournalRecord[])[] {
  const requested = records.find(({ kind, payload }) => kind === 'CycleRequested' && cycleOf(payload) === cycleId);
  return records
    .filter(({ order }) => order > (requested?.order ?? until) && order <= until)
    .map(({ order }) => records.filter((it) => it.order < order));
}

const cycleOf = (payload: unknown): unknown =>
  (payload as { readonly spec?: { readonly cycleId?: string } }).spec?.cycleId;

describe('the state of an agent, from its record', () => {
  verifies('cli:state-as-told', 'is what each of its cycles was told, line by line', async () => {
    const roles: string[] = [];
    for (const record of records.filter(({ kind }) => kind === 'CycleStarted')) {
      const { spec, atMs } = record.payload as unknown as Started;
      const told = spec.system.find(({ text }) => text.includes('<sensorium>'))?.text;
      if (told === undefined) continue;
      const moments = await Promise.all(momentsOf(record).map((before) => toldAt(before, atMs)));
      expect(moments.map((it) => withoutOwn(it, spec.role))).toContain(withoutOwn(told, spec.role));
      roles.push(spec.role);
    }
    expect(roles.toSorted()).toEqual([...Array(4).fill('Executor'), ...Array(4).fill('Perceiver')]);
  });

  it('shows beside the agent what is under way', async () => {
    const state = await stateLooks(directory.path, parts)();
    if (!state.ok) throw new Error(state.error);
    const { view, told, unread } = state.value;
    expect(view).toMatchObject({
      queueDepth: 0,
      approvals: [{ tool: 'write_file', task: 'note' }],
      delegations: [{ task: 'note', turn: 1 }],
      tasks: [{ name: 'note', status: 'waits for a person', done: 0, total: 1 }],
      memory: { facts: 1 },
    });
    expect(view.runs.map(({ task: name }) => name)).toEqual(['first', 'second', 'third']);
    expect(told).toMatch(/^<affect>desperation \d+% · /m);
    expect(unread).toEqual([]);
  });

  it('leaves out a run that the agent has set aside, and one whose record cannot be folded', async () => {
    const asking = records.find(({ kind }) => kind === 'ApprovalRequested');
    const aside = new MemoryJournal(records);
    const named = { runId: asking?.runId ?? '', task: { namespace: 'default', name: 'note' }, startedAtMs: 0 };
    const payload = { ...named, version: programVersion(), where: [] };
    await aside.append([{ store: 'agent', kind: 'RunSetAside', principal: 'agent', runId: named.runId, payload }]);
    const odd = new MemoryJournal(records.map((it) => (it === asking ? { ...it, kind: 'AskedOfTomorrow' } : it)));
    for (const journal of [aside, odd]) {
      const self = await foldSelf(journal, Date.now(), parts);
      if (!self.ok) throw new Error(self.error);
      expect(self.value.at(Date.now()).view).toMatchObject({ approvals: [], delegations: [], tasks: [] });
    }
  });

  it('folds only what stood there when the record was opened', async () => {
    const reader = await openRecords(directory.path);
    const first = records.find(({ kind }) => kind === 'RunRemembered');
    const heads = reader.heads().map((head) => (head.store === first?.store ? { ...head, seq: first.seq } : head));
    const self = await foldSelf({ ...reader, heads: () => heads }, Date.now(), parts);
    if (!self.ok) throw new Error(self.error);
    expect(self.value.at(Date.now()).view.runs.map(({ task: name }) => name)).toEqual(['first']);
  });

  it('counts and names a record that cannot be folded', async () => {
    const fact = records.find(({ kind }) => kind === 'FactWritten');
    // As the agent counts: once for each projection of its store.
    const odd = records.map((it) => (it === fact ? { ...it, kind: 'FactOfTomorrow' } : it));
    const self = await foldSelf(new MemoryJournal(odd), Date.now(), parts);
    if (!self.ok) throw new Error(self.error);
    const { view, unread } = self.value.at(Date.now());
    const where = `record fact/${fact?.seq}`;
    expect(unread.toSorted()).toEqual([`${where} (factChanges)`, `${where} (facts)`]);
    expect(view.integrity.unreadRecords).toBe(2);
  });

  it('is refused where nobody has started the agent', async () => {
    const never = new MemoryJournal(records.filter(({ kind }) => kind !== 'Configured'));
    expect(await foldSelf(never, 0, parts)).toMatchObject({
      ok: false,
      error: expect.stringContaining('no start of an agent'),
    });
  });
});
