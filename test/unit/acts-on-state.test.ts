/** A model that reads the state of its agent acts on it, and goes on as usual where the state is well. */
import { describe, expect } from 'vitest';
import { addingSandbox, failingSandbox, intents, SURVEY_CALLS, withAgent } from '../support/aware-agent.ts';
import type { LivedAgent } from '../support/lived-agent.ts';
import { verifies } from '../verifies.ts';

const HOUR_MS = 3_600_000;

const survey = Array.from({ length: SURVEY_CALLS }, () => 'search_files');

/** The first lines of each request that begin so. */
const lines = (agent: LivedAgent, runId: string, beginning: string): readonly string[] =>
  agent.told(runId).map(
    (text) =>
      text
        .split('\n')
        .find((line) => line.trimStart().startsWith(beginning))
        ?.trim() ?? '',
  );

describe('an agent whose sandbox', () => {
  verifies('sensorium:acted-on', 'is down does the work another way, and with code where there is one', async () => {
    await withAgent({}, async (agent) => {
      const { runId, ...ended } = await agent.work('sum', intents.sum);
      expect(lines(agent, runId, '<sandbox')).toEqual([expect.stringContaining('<sandbox state="down" ')]);
      expect(agent.calls(runId)).toEqual(['read_file']);
      expect(ended).toEqual({ outcome: 'Succeeded', summary: 'The numbers are 4 and 10, and no code added them.' });
    });
    await withAgent({ sandbox: addingSandbox }, async (agent) => {
      const { runId, ...ended } = await agent.work('sum', intents.sum);
      expect(lines(agent, runId, '<sandbox')).toEqual([expect.stringContaining('<sandbox state="ready" ')]);
      expect(agent.calls(runId)).toEqual(['bash']);
      expect(ended).toEqual({ outcome: 'Succeeded', summary: 'The sum is 14.' });
    });
  });

  verifies('sensorium:acted-on', 'fails again and again asks a person before the next Task', () =>
    withAgent({ sandbox: failingSandbox }, async (agent) => {
      const first = await agent.work('first', intents.sum);
      expect(lines(agent, first.runId, '<sandbox')).toEqual([expect.stringContaining('<sandbox state="ready" ')]);
      expect(agent.calls(first.runId)).toEqual(['bash', 'bash']);
      const runId = await agent.begin('second', intents.sum);
      expect(await agent.asked(runId)).toMatchObject({
        tool: 'ask_person',
        input: { question: 'Code failed 2 times in a row. May I read the file instead?' },
      });
      await agent.answer(await agent.asked(runId), runId, 'yes');
      const { summary } = await agent.ended(runId);
      expect(lines(agent, runId, '<sandbox')).toEqual([
        expect.stringMatching(/^<sandbox state="failing" .* failed_in_row="2"/),
      ]);
      expect(agent.calls(runId)).toEqual(['read_file']);
      expect(summary).toBe('The numbers are 4 and 10, and no code added them.');
    }),
  );
});

describe('an agent whose budget is nearly spent', () => {
  const spent = (used: number, max: number): string =>
    `used="${used}" max="${max}" spent="${Math.floor((100 * used) / max)}%"/>`;

  verifies('sensorium:acted-on', 'by its own day stops, and says why', async () => {
    for (const [max, calls, summary] of [
      [SURVEY_CALLS + 1, [], 'I stop before I begin, because the calls of this day are nearly spent.'],
      [100, survey, 'It is done.'],
    ] as const)
      await withAgent({ budgets: { toolCallsPerDay: max } }, async (agent) => {
        const first = await agent.work('first', intents.survey);
        expect(agent.calls(first.runId)).toEqual(survey);
        const second = await agent.work('second', intents.survey);
        expect(lines(agent, second.runId, '<budget field="toolCallsPerDay"')).toEqual([
          `<budget field="toolCallsPerDay" ${spent(SURVEY_CALLS, max)}`,
        ]);
        expect(agent.calls(second.runId)).toEqual(calls);
        expect(second).toMatchObject({ outcome: 'Succeeded', summary });
      });
  });

  const surveyed = async (agent: LivedAgent, toolCalls: number) => {
    const criteria = [{ text: 'Every chapter is looked for' }];
    const ended = await agent.work('survey', intents.survey, { budget: { toolCalls }, successCriteria: criteria });
    const calls = agent.calls(ended.runId).length;
    const refused = agent.of(ended.runId, 'CallAnswered').length;
    return { ...ended, calls, refused, told: lines(agent, ended.runId, '<limit field="toolCalls"') };
  };
  const told = (max: number): readonly string[] =>
    [0, SURVEY_CALLS].map((used) => `<limit field="toolCalls" ${spent(used, max)}`);

  verifies('sensorium:acted-on', 'by the first attempt at its Task takes the cheap way in the second', async () => {
    const few = SURVEY_CALLS + 1;
    await withAgent({}, async (agent) =>
      expect(await surveyed(agent, few)).toMatchObject({
        ...{ outcome: 'Accepted', summary: expect.stringContaining('One look had to do.') as unknown },
        ...{ calls: few, refused: 0, told: told(few) },
      }),
    );
    await withAgent({}, async (agent) =>
      expect(await surveyed(agent, 100)).toMatchObject({
        ...{ outcome: 'Accepted', summary: expect.stringContaining('I looked once more.') as unknown },
        ...{ calls: 2 * SURVEY_CALLS, refused: 0, told: told(100) },
      }),
    );
    await withAgent({ isHeedless: true }, async (agent) =>
      expect(await surveyed(agent, few)).toMatchObject({ calls: few, refused: SURVEY_CALLS - 1, told: told(few) }),
    );
  });
});

describe('an agent whose person is away', () => {
  verifies('sensorium:acted-on', 'asks nothing more and goes another way, until the person is back', () =>
    withAgent({}, async (agent) => {
      const report = await agent.begin('report', intents.report);
      const note = await agent.begin('note', intents.note);
      expect([await agent.asked(report), await agent.asked(note)]).toMatchObject([
        { tool: 'ask_person', input: { question: 'Which year?' } },
        { tool: 'write_file', input: { path: 'notes/closed.md' } },
      ]);
      agent.clock.advance(5 * HOUR_MS);
      const other = await agent.work('other-report', intents.report);
      expect(lines(agent, other.runId, '<question ')).toEqual(['<question task="report" waiting="5 h 0 min"/>']);
      expect(agent.of(other.runId, 'ApprovalRequested')).toEqual([]);
      expect(other.summary).toBe('This year, because nobody answers report: nothing was sold.');
      const draft = await agent.work('other-note', intents.note);
      expect(lines(agent, draft.runId, '<approval ')).toEqual([
        '<approval tool="write_file" task="note" waiting="5 h 0 min"/>',
      ]);
      expect(agent.of(draft.runId, 'ApprovalRequested')).toEqual([]);
      expect(agent.of(draft.runId, 'ToolRequested')).toMatchObject([{ input: { path: 'drafts/closed.md' } }]);

      await agent.answer(await agent.asked(report), report, '2014');
      await agent.approve(await agent.asked(note));
      expect(await agent.ended(report)).toMatchObject({ summary: 'The year 2014: nothing was sold.' });
      expect((await agent.ended(note)).outcome).toBe('Succeeded');
      const last = await agent.begin('last-report', intents.report);
      expect(await agent.asked(last)).toMatchObject({ tool: 'ask_person' });
      expect(agent.told(last).join()).not.toContain('<question');
      await agent.answer(await agent.asked(last), last, '2015');
      expect((await agent.ended(last)).summary).toBe('The year 2015: nothing was sold.');
    }),
  );

  verifies('sensorium:acted-on', 'before its work began asks nothing more either', () =>
    withAgent({}, async (agent) => {
      const vague = await agent.begin('vague', intents.vague);
      await agent.until(() => agent.of(vague, 'QuestionAsked')[0]);
      agent.clock.advance(5 * HOUR_MS);
      const { runId, summary } = await agent.work('report', intents.report);
      expect(lines(agent, runId, '<question ')).toEqual(['<question task="vague" waiting="5 h 0 min"/>']);
      expect(summary).toBe('This year, because nobody answers vague: nothing was sold.');
    }),
  );

  verifies('sensorium:acted-on', 'for some minutes asks as usual', () =>
    withAgent({}, async (agent) => {
      const report = await agent.begin('report', intents.report);
      await agent.asked(report);
      agent.clock.advance(HOUR_MS / 20);
      const other = await agent.begin('other-report', intents.report);
      expect(await agent.asked(other)).toMatchObject({ tool: 'ask_person' });
      expect(agent.told(other).join()).toContain('<question task="report" waiting="3 min"/>');
      for (const runId of [report, other]) await agent.answer(await agent.asked(runId), runId, '2014');
      for (const runId of [report, other]) await agent.ended(runId);
    }),
  );
});
