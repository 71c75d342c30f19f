/** The agent itself notes that a gate refused wrongly: its Observer, by a tool. People read it as the agent's view, and nothing obeys it. */
import { gateRefusals, type GateRefusal } from '@retainer/agent-pod/review/gate-refusals';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { JournalRecord } from '@retainer/journal/journal';
import { KEPT_TOOLS, ROLES } from '@retainer/contract/api/roles';
import { beforeAll, describe, expect } from 'vitest';
import { agentDefinition, characterSpec, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { retainer } from '../support/retainer-command.ts';
import { citingRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const perceived = (shape: string): string => `
version: 1
rules:
  - name: every task
    when: {role: perceiver}
    answer: {text: '<perception><task slug="note" shape="${shape}"><intent>Write the note.</intent></task></perception>'}
${citingRule}`;

const refused = `${perceived('SingleStep')}
  - name: a file that nobody may change
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: write_file, input: {path: kept.md, content: new}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const REASON = 'The task names this very file.';

const noting = ({ cycleId, gate, rule }: GateRefusal): string => `${perceived('Plan')}
  - name: the observer
    when: {role: planner}
    answer: {text: '<plan><subtask sequence="1" worker="observer"><intent>Look.</intent><criterion>It is told</criterion></subtask></plan>'}
${[rule, 'no-such/rule']
  .map(
    (named, at) => `  - name: note ${at + 1}
    when: {role: observer, turn: ${at + 1}}
    answer: {calls: [{tool: report_false_positive, input: ${JSON.stringify({ cycle: cycleId, gate, rule: named, reason: REASON })}}]}`,
  )
  .join('\n')}
  - name: told
    when: {role: observer}
    answer: {text: told}
`;

interface Noted {
  readonly before: readonly GateRefusal[];
  readonly after: readonly GateRefusal[];
  readonly records: readonly JournalRecord[];
  readonly listed: string;
  readonly explained: string;
}

async function note(): Promise<Noted> {
  return inTemporaryDirectory(async (dataDirectory) => {
    const authority = { never: [{ id: 'kept', description: 'Leave it.', paths: ['kept.md'] }] };
    const definition = agentDefinition({}, characterSpec({ authority }));
    const work = async (script: string, name: string): Promise<string> => {
      const opened = await openedAgent({ definition, dataDirectory, model: await scripted(script) });
      const { runId } = await opened.submitTask(task(name, 'Write kept.md.'), 'test');
      await opened.runtime.closed(runId);
      await opened.close();
      return runId;
    };
    await work(refused, 'write');
    const before = await gateRefusals(await openRecords(dataDirectory));
    const [refusal] = before;
    if (refusal === undefined) throw new Error('nothing was refused');
    const runId = await work(noting(refusal), 'look');
    const reader = await openRecords(dataDirectory);
    const records: JournalRecord[] = [];
    for await (const record of reader.readAll(reader.stores)) records.push(record);
    const listed = await retainer('gate', 'false-positive', '--data', dataDirectory);
    const explained = await retainer('explain', runId, '--data', dataDirectory);
    const after = await gateRefusals(reader);
    return { before, after, records, listed: listed.stdout, explained: explained.stdout };
  });
}

describe('a refusal that the agent itself calls wrong', () => {
  let noted: Noted;
  beforeAll(async () => {
    noted = await note();
  });

  verifies('gates:agents-own-note', 'is listed and told as its view', () => {
    const [first, ...others] = noted.after;
    expect(first).toEqual({ ...noted.before[0], agentsView: REASON });
    expect(others.map(({ agentsView }) => agentsView)).toEqual(others.map(() => undefined));
    expect(noted.listed).toContain(`the agent itself calls it wrong: ${REASON}`);
    expect(noted.explained).toMatch(/observer +(?:asks for|calls|uses)? ?report_false_positive/);
  });

  verifies('gates:agents-own-note', 'counts for nothing: it is no report of a person', () => {
    expect(noted.records.filter(({ kind }) => kind === 'FalsePositiveReported')).toEqual([]);
  });

  verifies('gates:agents-own-note', 'must be one: an error names what was refused', () => {
    const texts = noted.records.flatMap(({ kind, payload }) =>
      kind === 'ToolFinished' ? [JSON.stringify(payload)] : [],
    );
    expect(texts.filter((text) => text.includes('It is noted for people as your view.'))).toHaveLength(1);
    expect(
      texts.filter((text) => text.includes(`No gate refused that in cycle ${noted.before[0]?.cycleId}`)),
    ).toHaveLength(1);
  });

  verifies('gates:agents-own-note', 'costs no request of another role', () => {
    expect(KEPT_TOOLS).toContain('report_false_positive');
    const having = Object.entries(ROLES).filter(
      ([, role]) =>
        'tools' in role &&
        Array.isArray(role.tools) &&
        (role.tools as readonly string[]).includes('report_false_positive'),
    );
    expect(having.map(([name]) => name)).toEqual(['Observer']);
  });
});
