import { runningStatus } from '../deliver/task-status-body.ts';
import { expect, it } from 'vitest';
import { CycleUnderTest } from '../../../test/support/cycles.ts';
import { testTools } from '../../../test/support/known-tools.ts';
import { scenarios } from '../../../test/support/run-scenarios.ts';
import { RunWorld } from '../../../test/support/run-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { runView } from './pod-tasks.ts';

const [plain] = scenarios;
if (plain === undefined) throw new Error('there is a plain scenario');
const { state } = new RunWorld(plain).play();

function asking(): CycleUnderTest {
  const cycle = new CycleUnderTest({ tools: ['send', 'ask_person'] });
  cycle.answer({ calls: [['ask_person', { question: 'Which file?' }]] });
  return cycle;
}

verifies('cycle:asks-a-person', 'stands in status.question, and not among the pending approvals', () => {
  const view = runView(state, [asking().now]);
  expect(view).toMatchObject({ approvals: [], isBetweenWaits: true });
  const status = runningStatus({ ...view, characterDigest: 'c', generation: 1 }, testTools);
  expect(status).toMatchObject({ question: { id: 'r-c1-t1-a', text: 'Which file?' } });
  expect(status.pendingApprovals).toBeUndefined();
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'AwaitingAnswer', status: 'True' }));
});

it('shows the question of the run itself first, and those of the work in turn', () => {
  const question = { questionId: 'r-q1', question: 'Which year?', askedAtMs: 1, expiresAtMs: undefined };
  expect(runView({ ...state, question }, [asking().now]).question?.questionId).toBe('r-q1');
});
