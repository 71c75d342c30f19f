/** The work that an agent plans for itself, through whole runs of a real agent with a scripted model, and over its restart. */
import type { JournalRecord } from '@retainer/journal/journal';
import { describe, expect } from 'vitest';
import { WORK_TOOLS } from '@retainer/contract/api/roles';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { recordIn } from '@retainer/mind/part/record-in';
import { workStore } from '@retainer/mind/parts/work/store';
import { openedAgent } from '../support/opened-agent.ts';
import { citingRule } from '../support/runs.ts';
import { TRUSTED } from '../support/work-life.ts';
import { verifies } from '../verifies.ts';

const INTENT = 'Plan the survey.';
const PLAN =
  '<plan><subtask sequence="1" worker="project-manager"><intent>Plan it.</intent><criterion>There is an item</criterion></subtask></plan>';

const ID = String.raw`(?s)(?P<id>w-[0-9a-f]{6,})`;

const SCRIPT = String.raw`
version: 1
rules:
  - name: every task needs a plan
    when: {role: perceiver}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>${INTENT}</intent></task></perception>'}
  - name: one step
    when: {role: planner}
    answer: {text: '${PLAN}'}
${citingRule}
  - name: merged
    when: {role: meta-validator}
    answer: {text: '<merge><output>It is planned.</output><summary>Planned.</summary></merge>'}
  - name: an item that is too thin, and one that is not
    when: {role: project-manager, turn: 1}
    answer: {calls: [
      {tool: add_task_to_endeavour, input: {title: Nothing, description: No step., steps: []}},
      {tool: add_task_to_endeavour, input: {title: Measure, description: Measure the field., steps: [{description: Walk.}, {description: Note it.}]}}]}
  - name: it is worked on
    when: {role: project-manager, turn: 2, last: {text: '${ID}'}}
    answer: {calls: [{tool: activate_task, input: {itemId: '{{last.id}}'}}, {tool: flag_risk, input: {itemId: '{{last.id}}', risk: It may rain.}}]}
  - name: it is given up
    when: {role: project-manager, turn: 3, last: {text: '${ID}'}}
    answer: {calls: [{tool: abandon_task, input: {itemId: '{{last.id}}', reason: It rained.}}]}
  - name: done
    when: {role: [project-manager, executor]}
    answer: {text: done}
`;

function recordHeard(records: readonly JournalRecord[], kind: string): Promise<JournalRecord> {
  return expect
    .poll(() => records.find((it) => it.kind === kind), { timeout: 20_000, interval: 20 })
    .toBeDefined()
    .then(() => {
      const found = records.find((it) => it.kind === kind);
      if (found === undefined) throw new Error(`no ${kind}`);
      return found;
    });
}

async function opened(dataDirectory: string, records: JournalRecord[]): Promise<OpenedAgent> {
  return openedAgent({
    definition: agentDefinition(),
    dataDirectory,
    model: await scripted(SCRIPT),
    onRecord: (record) => void records.push(record),
  });
}

describe('work that an agent plans', () => {
  verifies(
    'work:tools',
    'is in the hands of its Project Manager, ends with a lesson, and outlives a restart',
    async () => {
      await inTemporaryDirectory(async (dataDirectory) => {
        const records: JournalRecord[] = [];
        const agent = await opened(dataDirectory, records);
        const { runId } = await agent.submitTask(task('survey', INTENT), 'test');
        await agent.runtime.closed(runId);
        await recordHeard(records, 'PostMortemAdded');
        await agent.close();

        const ofWork = records.filter(({ store }) => store === 'work');
        const [created] = ofWork;
        const { itemId } = (created?.payload ?? {}) as { readonly itemId: string };
        expect(ofWork.map(({ kind }) => kind).filter((kind) => kind !== 'PreMortemAdded')).toEqual([
          'ItemCreated',
          'ItemActivated',
          'RiskFlagged',
          'ItemEnded',
          ...(ofWork.at(-1)?.kind === 'CycleCounted'
            ? ['PostMortemAdded', 'CycleCounted']
            : ['CycleCounted', 'PostMortemAdded']),
        ]);
        expect(ofWork.find(({ kind }) => kind === 'PostMortemAdded')).toMatchObject({
          principal: 'appraiser',
          payload: {
            title: 'Measure',
            postMortem: { verdict: 'AbandonedWithLearnings', lessonsLearned: ['It rained.'] },
          },
        });
        expect(records.filter(({ store, principal }) => store === 'case' && principal === 'appraiser')).toMatchObject([
          {
            kind: 'CaseWritten',
            payload: {
              caseId: `${itemId}-case`,
              category: 'Pitfall',
              problem: { intent: 'Measure' },
              outcome: { status: 'Failure', confidence: 0.5 },
            },
          },
        ]);
        const offered = records
          .filter(({ kind }) => kind === 'ModelRequested')
          .map(({ payload, cycleId }) => {
            const { tools } = (
              payload as { readonly request: { readonly tools: readonly { readonly name: string }[] } }
            ).request;
            return [cycleId, tools.filter(({ name }) => WORK_TOOLS.includes(name as never)).length] as const;
          });
        expect(new Set(offered.map(([, count]) => count))).toEqual(new Set([0, WORK_TOOLS.length]));

        const later: JournalRecord[] = [];
        const again = await opened(dataDirectory, later);
        const { ended, items } = again.runtime.parts.known().work;
        expect([items.size, ended.get(itemId)?.status, ended.get(itemId)?.postMortem?.verdict]).toEqual([
          0,
          'Abandoned',
          'AbandonedWithLearnings',
        ]);
        const by = { by: 'ada', reason: 'Not wanted.' };
        await again.runtime.accept('o-1', 'spool', { type: 'DeleteWork', id: itemId, ...by });
        await recordHeard(later, 'ItemDeleted');
        await again.close();

        const last = await opened(dataDirectory, []);
        const known = last.runtime.parts.known().work;
        expect([known.ended.has(itemId), known.deleted.get(itemId)]).toMatchObject([false, by]);
        await last.close();
      });
    },
  );
});

describe('a cycle that begins', () => {
  verifies('work:told-to-agent', 'is told what the agent works on, from the record of its start on', async () => {
    await inTemporaryDirectory(async (dataDirectory) => {
      const records: JournalRecord[] = [];
      const agent = await opened(dataDirectory, records);
      const item = {
        title: 'Fence it',
        description: 'Fence the field.',
        origin: 'Agent',
        label: TRUSTED,
      } as const;
      await agent.runtime.partsFor('Tools').write([
        recordIn(workStore, 'ItemCreated', {
          ...item,
          itemId: 'w-1',
          dependsOn: [],
          steps: [{ description: 'Dig.' }],
        }),
        recordIn(workStore, 'ItemActivated', { itemId: 'w-1' }),
      ]);
      const { runId } = await agent.submitTask(task('survey', INTENT), 'test');
      await agent.runtime.closed(runId);
      await agent.close();
      const told = records
        .filter(({ kind }) => kind === 'CycleStarted')
        .filter(({ payload }) => JSON.stringify(payload).includes('Work items active: 1'));
      expect(told.length).toBeGreaterThan(0);
      expect(JSON.stringify(told[0]?.payload)).toContain('w-1');
    });
  });
});
