/** A follow-up of the agent's own: what opens it, what its run may do, and what closes it. A real agent with a scripted model. */
import { describe, expect } from 'vitest';
import { inTemporaryDirectory, task } from '../support/agents.ts';
import { JobLife, SetClock, type JobLifeOptions } from '../support/job-life.ts';
import { oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const DAY_MS = 86_400_000;

/** `notes/` needs a person's leave. A Task that reads finds no file. @param looking  what the run of a follow-up does */
const scriptOf = (looking: string): string => String.raw`
version: 1
rules:${oneStepRule}
  - name: a follow-up
    when: {role: executor, turn: 1, task: Your tool read_file failed}
    answer: {calls: [${looking}]}
  - name: what needs leave
    when: {role: executor, turn: 1, task: Note it}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: red}}]}
  - name: a sheet that is not there
    when: {role: executor, turn: 1, task: Sum the rain}
    answer: {calls: [{tool: read_file, input: {path: rain.csv}}]}
  - name: done
    when: {role: executor}
    answer: {text: That is all that was found.}
`;

const READS = '{tool: read_file, input: {path: rain.csv}}';
const NOTES = '{tool: write_file, input: {path: notes/a.md, content: red}}';

class FollowedLife {
  readonly clock: SetClock;
  readonly life: JobLife;
  #given = 0;

  private constructor(life: JobLife, clock: SetClock) {
    this.life = life;
    this.clock = clock;
  }

  static async begin(looking: string, options: Omit<JobLifeOptions, 'clock' | 'script'>): Promise<FollowedLife> {
    const clock = new SetClock();
    return new FollowedLife(await JobLife.begin({ ...options, clock, script: scriptOf(looking) }), clock);
  }

  /** @returns ids of their runs, which have ended */
  async tasks(count: number): Promise<readonly string[]> {
    const runIds: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const runId = await this.begun('Sum the rain.');
      await this.life.agent.runtime.closed(runId);
      runIds.push(runId);
    }
    return runIds;
  }

  async begun(intent: string): Promise<string> {
    this.#given += 1;
    const { runId } = await this.life.agent.submitTask(task(`work-${this.#given}`, intent), 'test');
    return runId;
  }

  /** Resolves when the scheduler has looked at all that has ended: words to a person are served by the same look. */
  async looked(): Promise<void> {
    this.#given += 1;
    const jobId = `look-${this.#given}`;
    await this.life.make(jobId, { when: { type: 'Moment', atMs: this.clock.nowMs() } });
    const isTold = (): boolean => this.life.all('JobEnded').some((it) => it['jobId'] === jobId);
    for (let count = 1; !isTold(); count += 1) await this.life.until('JobEnded', count);
  }

  followUps(): readonly Readonly<Record<string, unknown>>[] {
    return this.life.all('JobCreated').filter(({ source }) => source === 'FollowUp');
  }

  async untilFollowUps(count: number): Promise<void> {
    for (let made = 1; this.followUps().length < count; made += 1) await this.life.until('JobCreated', made);
  }

  /** The run of the newest follow-up, when it has ended. */
  async untilEnded(): Promise<Readonly<Record<string, unknown>>> {
    const jobId = this.followUps().at(-1)?.['jobId'];
    const ended = () => this.life.all('JobEnded').filter((it) => it['jobId'] === jobId);
    for (let count = 1; ended().length === 0; count += 1) await this.life.until('JobEnded', count);
    return ended().at(-1) ?? {};
  }

  async answer(decision: 'Approve' | 'Deny', runId: string): Promise<void> {
    const { requestId, argumentsDigest } = this.life.all('ApprovalRequested').at(-1) ?? {};
    const asked = { requestId: String(requestId), argumentsDigest: String(argumentsDigest) };
    await this.life.say(`${decision}-${runId}`, {
      type: 'DecideApproval',
      ...asked,
      decision,
      by: 'ada',
      reason: 'not red',
    });
    await this.life.agent.runtime.closed(runId);
  }
}

describe('a tool that fails in three Tasks', () => {
  verifies('jobs:follow-up', 'opens one job of the agent, whose run ends beside a Task that waits for a person', () =>
    inTemporaryDirectory(async (directory) => {
      const it = await FollowedLife.begin(READS, { directory, spec: { limits: { concurrentRuns: 1 } } });
      const { life } = it;
      const waiting = await it.begun('Note it.');
      await life.until('ApprovalRequested');
      const runIds = await it.tasks(3);
      await it.untilFollowUps(1);
      expect(await it.untilEnded()).toMatchObject({ outcome: 'Succeeded' });
      const [made] = it.followUps();
      const jobId = String(made?.['jobId']);
      expect(made).toMatchObject({
        ...{ reason: 'the tool read_file failed in 3 runs', because: runIds, maker: { kind: 'Agent' } },
        ...{ source: 'FollowUp', label: { trust: 'Trusted' } },
      });
      const [fired] = life.all('JobFired');
      expect(fired).toMatchObject({ jobId });
      expect(life.all('RunAdmitted').at(-1)).toMatchObject({
        spec: {
          ...{ runId: fired?.['runId'], autonomous: true, conversation: `job/${jobId}` },
          cause: { kind: 'Job', jobId, maker: 'Agent' },
        },
      });
      await life.agent.runtime.closed(String(fired?.['runId']));
      expect(life.agent.runtime.isOpen(waiting)).toBe(true);
      expect(life.delivered()).toEqual(['That is all that was found.']);
      await life.end();
    }),
  );

  verifies('jobs:follow-up-once', 'opens the next one a day later, for three new runs that are none of its own', () =>
    inTemporaryDirectory(async (directory) => {
      const it = await FollowedLife.begin(READS, { directory });
      await it.tasks(3);
      await it.untilFollowUps(1);
      // Its run meets the same failure.
      await it.untilEnded();
      const soon = await it.tasks(1);
      it.clock.aheadMs = DAY_MS;
      const later = await it.tasks(1);
      await it.looked();
      expect(it.followUps()).toHaveLength(1);
      const last = await it.tasks(1);
      await it.untilFollowUps(2);
      expect(it.followUps()[1]).toMatchObject({ because: [...soon, ...later, ...last] });
      await it.untilEnded();
      await it.life.end();
    }),
  );

  for (const [name, scheduler] of [
    ['may begin nothing of its own', { cyclesPerHour: 0 }],
    ['has used up its hour', { cyclesPerHour: 1 }],
    ['is to have no jobs of its own', { enabled: false }],
  ] as const)
    verifies('jobs:follow-up-budget', `opens none where the agent ${name}`, () =>
      inTemporaryDirectory(async (directory) => {
        const spec = { scheduler: { idleAfter: '0s', ...scheduler } };
        const it = await FollowedLife.begin(READS, { directory, spec });
        if ('cyclesPerHour' in scheduler && scheduler.cyclesPerHour > 0) {
          await it.life.make('tidy', { for: 'Agent', when: { type: 'Moment', atMs: it.clock.nowMs() } });
          await it.life.until('CycleConcluded');
          expect(it.life.agent.runtime.ownTimeWait()?.freeAtMs).toBeGreaterThan(it.clock.nowMs());
        }
        await it.tasks(3);
        await it.looked();
        expect(it.followUps()).toEqual([]);
        await it.life.end();
      }),
    );
});

describe('a follow-up that a person closes', () => {
  verifies('jobs:follow-up-once', 'ends its run, and comes again only after thirty days and three new runs', () =>
    inTemporaryDirectory(async (directory) => {
      const it = await FollowedLife.begin(NOTES, { directory });
      await it.tasks(3);
      await it.untilFollowUps(1);
      await it.life.until('ApprovalRequested');
      const jobId = String(it.followUps()[0]?.['jobId']);
      await it.life.say('close', { type: 'CancelJob', jobId, reason: 'I know.', by: 'ann' });
      expect(await it.untilEnded()).toMatchObject({ jobId, outcome: 'Cancelled' });
      expect(it.life.job(jobId)).toMatchObject({ status: 'Cancelled', statusBy: 'ann' });
      it.clock.aheadMs = 29 * DAY_MS;
      await it.tasks(3);
      await it.looked();
      expect(it.followUps()).toHaveLength(1);
      it.clock.aheadMs = 31 * DAY_MS;
      await it.looked();
      expect(it.followUps()).toHaveLength(2);
      await it.life.end();
    }),
  );
});

describe('the run of a follow-up', () => {
  verifies('jobs:never-what-was-refused', 'does not try again what a person refused in a Task', () =>
    inTemporaryDirectory(async (directory) => {
      const it = await FollowedLife.begin(NOTES, { directory });
      const runId = await it.begun('Note it.');
      await it.life.until('ApprovalRequested');
      await it.answer('Deny', runId);
      await it.tasks(3);
      await it.untilFollowUps(1);
      await it.untilEnded();
      const rejected = it.life
        .all('GateDecided')
        .filter(({ gate, verdict }) => gate === 'Tool' && verdict === 'Reject');
      expect(rejected.map(({ rule }) => rule)).toEqual(['approval/denied', 'approval/denied-before']);
      expect(it.life.all('ApprovalRequested')).toHaveLength(1);
      await it.life.end();
    }),
  );
});
