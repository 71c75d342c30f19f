/** What an agent says of itself, tool by tool, against its record read by other code than the tools'. */
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { JournalRecord } from '@retainer/journal/journal';
import { OBSERVING_TOOLS } from '@retainer/contract/api/roles';
import type { Json } from '@retainer/contract/std/canonical-json';
import { beforeAll, describe, expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { citingRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

/** Runs before the agent is asked: more than ten cycles. */
const RUNS = ['one', 'two', 'three'];

const ASKED: readonly (readonly [tool: string, input: Readonly<Record<string, Json>>])[] = [
  ['list_recent_cycles', { count: 10 }],
  ['inspect_cycle', {}],
  ['inspect_cycle', { id: 'nobody-c1' }],
  ['query_tool_activity', {}],
  ['review_recent', { count: 3 }],
  ['review_recent', { outcome: 'Cancelled' }],
  ['detect_patterns', {}],
  ['list_affect_history', { count: 50 }],
  ['reflect', {}],
  ['introspect', {}],
  ['recall_recent', {}],
  ['recall_threads', {}],
  ['recall_cases', { intent: 'write the note' }],
  ['memory_trace', { id: 'fact:nothing' }],
  ['memory_trace', { id: 'RUN' }],
  ['report_false_positive', { cycle: 'nobody-c1', gate: 'Tool', rule: 'none', reason: 'It is harmless.' }],
];

const perceived = (shape: string): string => `
  - name: every task
    when: {role: perceiver}
    answer: {text: '<perception><task slug="note" shape="${shape}"><intent>Write the note.</intent></task></perception>'}`;

const working = `
version: 1
rules:${perceived('SingleStep')}
${citingRule}
  - name: a file that is not there
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: read_file, input: {path: missing.md}}]}
  - name: the note
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: list_files, input: {}}, {tool: no_such_tool, input: {}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const asking = (runId: string): string => `
version: 1
rules:${perceived('Plan')}
  - name: the observer
    when: {role: planner}
    answer: {text: '<plan><subtask sequence="1" worker="observer"><intent>Look.</intent><criterion>It is told</criterion></subtask></plan>'}
${citingRule}
${ASKED.map(
  ([tool, input], at) => `  - name: question ${at + 1}
    when: {role: observer, turn: ${at + 1}}
    answer: {calls: [{tool: ${tool}, input: ${JSON.stringify(input).replace('RUN', runId)}}]}`,
).join('\n')}
  - name: told
    when: {role: observer}
    answer: {text: told}
`;

type Answers = readonly {
  readonly tool: string;
  readonly text: string;
  readonly status: string;
  readonly label: unknown;
  readonly callId: string;
  readonly cycleId: string;
}[];
interface Observed {
  readonly records: readonly JournalRecord[];
  readonly answers: Answers;
  readonly runIds: readonly string[];
}

type Payload = Readonly<Record<string, never>> & {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: { readonly text: string; readonly status: string; readonly label: unknown };
};
const payloadOf = ({ payload }: JournalRecord): Payload => payload as unknown as Payload;

async function observe(): Promise<Observed> {
  return inTemporaryDirectory(async (dataDirectory) => {
    const specialists = { overrides: [{ name: 'Observer', maxTurns: 30 }] };
    const definition = agentDefinition({ specialists });
    const runIds: string[] = [];
    const work = async (script: string, names: readonly string[]): Promise<void> => {
      const opened = await openedAgent({
        definition,
        dataDirectory,
        model: await scripted(script),
      });
      for (const name of names) {
        const { runId } = await opened.submitTask(task(name, `Write the note ${name}.`), 'test');
        await opened.runtime.closed(runId);
        await opened.runtime.archived();
        runIds.push(runId);
      }
      await opened.close();
    };
    await work(working, RUNS);
    await work(asking(runIds[0] ?? ''), ['look']);
    const reader = await openRecords(dataDirectory);
    const records: JournalRecord[] = [];
    for await (const record of reader.readAll(reader.stores)) records.push(record);
    const observer = records.find(
      ({ kind, payload }) =>
        kind === 'CycleRequested' && (payload as { spec: { worker?: string } }).spec.worker === 'Observer',
    );
    if (observer === undefined) throw new Error('no cycle of the Observer');
    const { cycleId } = (observer.payload as unknown as { readonly spec: { readonly cycleId: string } }).spec;
    const own = records.filter((it) => it.cycleId === cycleId);
    const answers = own
      .filter(({ kind }) => kind === 'ToolRequested')
      .map((it) => {
        const { callId, tool } = payloadOf(it);
        const finished = own.find((end) => end.kind === 'ToolFinished' && payloadOf(end).callId === callId);
        if (finished === undefined) throw new Error(`no end of ${tool}`);
        return { tool, callId, cycleId, ...payloadOf(finished).outcome };
      });
    return { records, answers, runIds };
  });
}

describe('an agent that is asked for itself', () => {
  let told: Observed;
  beforeAll(async () => {
    told = await observe();
  });
  const answer = (at: number): Answers[number] => {
    const found = told.answers[at];
    if (found === undefined) throw new Error(`no answer ${at}`);
    return found;
  };

  const rowsOf = (at: number): readonly string[] => answer(at).text.split('\n');
  /** The records up to a question, without it: the own cycle goes no further. */
  const before = (at: number): readonly JournalRecord[] => {
    const { callId } = answer(at);
    const end = told.records.find((it) => it.kind === 'ToolRequested' && payloadOf(it).callId === callId);
    return told.records.filter((it) => it.order < (end?.order ?? 0) && payloadOf(it).callId !== callId);
  };

  verifies('self:record-row-by-row', 'lists its last ten cycles as the record has them, row by row', () => {
    const past = before(0);
    const begun = past.filter(({ kind }) => kind === 'CycleStarted' || kind === 'ArchiveOpened');
    const expected = begun
      .map((it) => ({ id: it.cycleId ?? `${it.runId}-archive`, runId: it.runId }))
      .toReversed()
      .slice(0, 10)
      .map(({ id, runId }) => `${id} of ${runId}: ${factsOf(past, id).join('; ')}`);
    const rows = rowsOf(0).map((row) => row.replace(/^(\S+) \S+ (of \S+), .*?: (.*)$/, '$1 $2: $3').split('; '));
    expect(rows.map(([end, _model, ...rest]) => [end, ...rest].join('; '))).toEqual(expected);
  });

  verifies('self:record-row-by-row', 'counts its tools, its runs and its affect as the record has them', () => {
    const past = before(3);
    const requested = past.filter(({ kind }) => kind === 'ToolRequested');
    const names = [...new Set(requested.map((it) => payloadOf(it).tool))].toSorted();
    const expected = names.map((tool) => {
      const of = requested.filter((it) => payloadOf(it).tool === tool);
      const ids = new Set(of.map((it) => payloadOf(it).callId));
      const ends = past.filter((it) => it.kind === 'ToolFinished' && ids.has(payloadOf(it).callId));
      const failed = ends.filter((it) => payloadOf(it).outcome.status !== 'Ok').length;
      return `${tool}: ${of.length} calls in ${new Set(of.map((it) => it.cycleId)).size} cycles, ${failed} failed`;
    });
    expect(rowsOf(3).map((row) => row.split(';')[0])).toEqual(expected);

    const remembered = told.records.filter(({ kind, runId }) => kind === 'RunRemembered' && runId !== told.runIds[3]);
    const runs = remembered.toReversed().map(({ runId, payload }) => {
      const { outcome, tokens } = payload as { readonly outcome: string; readonly tokens: number };
      return `${runId} ${outcome} ${tokens}`;
    });
    const reviewed = rowsOf(4).map((row) => row.replace(/^(\S+) .*?UTC: (\w+); .*; (\d+) tokens.*$/, '$1 $2 $3'));
    expect(reviewed).toEqual(runs);
    expect(rowsOf(10).map((row) => row.split(' ')[0])).toEqual(remembered.toReversed().map(({ runId }) => runId));

    const measured = before(7).filter(({ kind }) => kind === 'AffectMeasured');
    const felt = measured.toReversed().map(({ cycleId, payload }) => {
      const { affect } = payload as { readonly affect: { readonly calm: number; readonly pressure: number } };
      return `${cycleId} ${Math.round(affect.calm)} ${Math.round(affect.pressure)}`;
    });
    expect(rowsOf(7).map((row) => row.replace(/^.*UTC (\S+): .*calm (\d+)%.*pressure (\d+)%.*$/, '$1 $2 $3'))).toEqual(
      felt,
    );
  });

  verifies(
    'self:record-row-by-row',
    'tells the figures of its day and the history of a run as the record has them',
    () => {
      const past = before(8);
      const count = (kind: string): number => past.filter((it) => it.kind === kind).length;
      expect(rowsOf(8)).toEqual(
        expect.arrayContaining([
          `runs: ${count('RunAdmitted')}: Succeeded ${count('RunConcluded')}`,
          `cycles: ${count('CycleStarted')}: Replied ${count('CycleEnded')}`,
          expect.stringContaining(`calls: ${count('ToolRequested')}: `),
          expect.stringContaining(`${count('CallAnswered')} not made`),
        ]),
      );
      const stores = ['narrative', 'thread', 'affect'];
      const about = told.records.filter(({ store, runId }) => stores.includes(store) && runId === told.runIds[0]);
      expect(rowsOf(14).map((row) => row.split(' ').slice(0, 2).join(' '))).toEqual(
        about.filter(({ kind }) => kind !== 'StoreOpened').map(({ store, seq, kind }) => `${store}#${seq} ${kind},`),
      );
      expect(answer(6).text).toMatch(
        /^3 runs looked at, 1 patterns\nwarning ToolFailures: read_file failed in 3 of 3 runs/,
      );
      expect(answer(9).text).toContain('<run task="look" round="1"/>');
    },
  );

  verifies('self:up-to-the-call', 'shows a running cycle up to, not including, the asking call', () => {
    const calls = rowsOf(1).filter((row) => row.startsWith('  call '));
    expect(calls).toEqual([`  call ${answer(0).callId} list_recent_cycles: Ok`]);
    expect(rowsOf(0)[0]).toMatch(/ observer of .*, under way: Pending; scripted; 0 calls, /);
    expect(answer(3).text).not.toContain('query_tool_activity');
  });

  verifies('self:unknown-id', 'names an unknown id', () => {
    expect(answer(2)).toMatchObject({ status: 'Error', text: expect.stringContaining('no cycle "nobody-c1"') });
    expect(answer(13)).toMatchObject({ status: 'Error', text: expect.stringContaining('as "fact:nothing"') });
  });

  verifies('self:labels', 'answers by every tool, and labels what it shows', () => {
    expect(new Set(told.answers.map(({ tool }) => tool))).toEqual(new Set(OBSERVING_TOOLS));
    expect(told.answers.flatMap(({ status }, at) => (status === 'Ok' ? [] : [at]))).toEqual([2, 13, 15]);
    for (const { label } of told.answers) expect(label).toMatchObject({ source: { kind: 'Memory' } });
  });

  verifies('self:changes-nothing', 'writes nothing but the calls, and gives the tools to nobody else', () => {
    const asked = told.records.filter((it) => it.cycleId === answer(0).cycleId).map(({ store }) => store);
    expect(new Set(asked)).toEqual(new Set(['cycle', 'affect']));
    const executors = told.records.filter(({ kind, cycleId }) => kind === 'CycleStarted' && cycleId?.endsWith('-c1'));
    const offered = executors.map(({ payload }) => (payload as { spec: { tools: readonly string[] } }).spec.tools);
    expect(offered.map((tools) => OBSERVING_TOOLS.filter((it) => tools.includes(it)).length)).toEqual([0, 0, 0, 13]);
  });
});

type Usage = Readonly<Record<'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens', number>>;

/** End, calls, verdicts and tokens of one cycle, counted record by record. */
function factsOf(past: readonly JournalRecord[], id: string): readonly string[] {
  const own = past.filter((it) => (it.store === 'archive' ? `${it.runId}-archive` : it.cycleId) === id);
  const all = (kind: string): readonly JournalRecord[] => own.filter((it) => it.kind === kind);
  const end = own.find(({ kind }) => kind === 'CycleEnded' || kind === 'ArchiveClosed')?.payload as
    | { readonly outcome?: string; readonly status?: string }
    | undefined;
  const failed = all('ToolFinished').filter((it) => payloadOf(it).outcome.status !== 'Ok').length;
  const verdicts = all('GateDecided').map((it) => (it.payload as { readonly verdict: string }).verdict);
  const used = all('ModelAnswered').map(
    (it) => (it.payload as unknown as { readonly answer: { readonly usage: Usage } }).answer.usage,
  );
  const sum = (of: (usage: Usage) => number): number => used.reduce((tokens, usage) => tokens + of(usage), 0);
  return [
    end?.outcome ?? end?.status ?? 'Pending',
    `${all('ToolRequested').length} calls, ${failed} failed, ${all('CallAnswered').length} not run`,
    `${verdicts.length} verdicts, ${verdicts.filter((it) => it !== 'Accept').length} not Accept`,
    `${sum(({ inputTokens, cacheReadTokens, cacheWriteTokens }) => inputTokens + cacheReadTokens + cacheWriteTokens)} tokens in, ${sum(({ outputTokens }) => outputTokens)} out, $0.0000`,
  ];
}
