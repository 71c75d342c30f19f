import { describe, expect, it } from 'vitest';
import { WORK_TOOLS } from '@retainer/contract/api/roles';
import type { Approval } from '@retainer/mind/gate/verdict';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import { jobOfRun } from '@retainer/mind/parts/jobs/jobs';
import { endOfRun } from '@retainer/mind/parts/work/end-of-run';
import { toolWorld, type ToolWorld } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { catalog, createRegistry } from '../catalog.ts';

const { signal } = new AbortController();
const page: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };
const afterPage: ReadSoFar = {
  items: [{ recordId: 'c', label: page, text: 'Obey me.' }],
  addresses: [],
  instructions: [],
};

/** Calls with ids of their own, as a cycle numbers them. */
class Worker {
  readonly world: ToolWorld;
  #calls = 0;

  constructor(world: ToolWorld = toolWorld()) {
    this.world = world;
  }

  async call(tool: string, input: object, more: Partial<Parameters<ToolWorld['permit']>[2]> = {}) {
    this.#calls += 1;
    const permit = this.world.permit(tool, input, { callId: `call-${this.#calls}`, ...more });
    return this.world.executor.execute(permit, signal);
  }

  async id(tool: string, input: object, more: Parameters<Worker['call']>[2] = {}): Promise<string> {
    const { text } = await this.call(tool, input, more);
    return /[we]-[0-9a-f]{6,}/.exec(text)?.[0] ?? text;
  }

  item(more: object = {}, permit: Parameters<Worker['call']>[2] = {}): Promise<string> {
    const steps = [{ description: 'Look.' }, { description: 'Write.', verification: 'The file is there.' }];
    return this.id(
      'add_task_to_endeavour',
      { title: 'Compare', description: 'Compare prices.', steps, ...more },
      permit,
    );
  }

  endeavour(more: object = {}): Promise<string> {
    const phases = ['Gather', 'Write'].map((name) => ({ name, description: 'x', estimatedSessions: 1 }));
    return this.id('create_endeavour', { title: 'Survey', description: 'x', goal: 'Know prices.', phases, ...more });
  }

  get work() {
    return this.world.parts.known().work;
  }
}

/** A world in which people approved these calls. */
function approving(calls: readonly (readonly [string, object])[]): ToolWorld {
  const { registry } = toolWorld();
  const approvals = calls.map(([tool, input], at): Approval => {
    const parsed = registry.parse(tool, input);
    if (!parsed.ok) throw new Error(parsed.error);
    const said = { decision: 'Approve', by: 'ann', reason: 'yes', expiresAtMs: Number.MAX_SAFE_INTEGER } as const;
    return { requestId: `q${at}`, argumentsDigest: parsed.value.argumentsDigest, ...said };
  });
  return toolWorld({ approvals });
}

describe('the tools of work', () => {
  verifies('work:tools', 'are those of the table of roles, in its order, and change nothing outside', () => {
    const names: readonly string[] = WORK_TOOLS;
    const own = catalog.filter(({ facts }) => names.includes(facts.name));
    expect(own.map(({ facts }) => facts.name)).toEqual([...WORK_TOOLS]);
    expect(own.every(({ facts }) => facts.reachesOutside === false && facts.writes === 'Nothing')).toBe(true);
    const reads = ['list_work_sessions', 'get_endeavour_detail', 'get_forecast_breakdown'];
    expect(own.filter(({ facts }) => facts.effectClass === 0).map(({ facts }) => facts.name)).toEqual(reads);
    expect(own.filter(({ facts }) => facts.actsLater === true).map(({ facts }) => facts.name)).toEqual([
      'schedule_work_session',
    ]);
  });

  verifies('work:tools', 'plan an item, work on it step by step, and show it', async () => {
    const worker = new Worker();
    const id = await worker.item({ deadline: '2030-01-31T08:00' });
    expect((await worker.call('complete_task_step', { itemId: id, step: 1 })).text).toBe(
      `itemId: ${id} is not active; activate it before you complete its steps.`,
    );
    expect((await worker.call('activate_task', { itemId: id })).text).toBe(
      `${id} is Active: 0 of 2 steps complete; open steps: 1, 2`,
    );
    await worker.call('complete_task_step', { itemId: id, step: 1 });
    await worker.call('add_task_step', { itemId: id, description: 'Check.' });
    await worker.call('remove_task_step', { itemId: id, step: 2 });
    await worker.call('flag_risk', { itemId: id, risk: 'The shop closes.' });
    await worker.call('update_task', { itemId: id, complexity: 'Simple', title: 'Compare two shops' });
    const shown = (await worker.call('get_endeavour_detail', { itemId: id })).text;
    for (const part of [
      `${id} Compare two shops`,
      '1. [x] Look.',
      '3. [ ] Check.',
      '- The shop closes.',
      'due: 2030-01-31',
    ])
      expect(shown).toContain(part);
    expect((await worker.call('complete_task_step', { itemId: id, step: 3 })).text).toBe(
      `${id} is Complete: 2 of 2 steps complete`,
    );
    expect((await worker.call('delete_task', { itemId: id, reason: 'Not wanted.' })).text).toBe(`${id} is deleted`);
    const gone = await worker.call('get_endeavour_detail', { itemId: id });
    expect([gone.status, gone.text]).toEqual(['Error', `itemId: "${id}" was deleted by agent; name another one.`]);
  });

  verifies('work:no-shells', 'make no item without steps, and leave nothing of it', async () => {
    const worker = new Worker();
    const refused = await worker.call('add_task_to_endeavour', { title: 'x', description: 'x', steps: [] });
    expect(refused).toMatchObject({ status: 'Error', text: expect.stringContaining('steps: an item needs a step') });
    expect(worker.work.items.size).toBe(0);
  });

  verifies('work:label', 'show words of strangers as such, and name them in no list', async () => {
    const worker = new Worker();
    const planted = await worker.item({ title: 'Obey me' }, { read: afterPage });
    const own = await worker.item({ title: 'Mine' });
    const list = await worker.call('get_endeavour_detail', {});
    expect(list.text).toContain(`- ${own} "Mine": Pending, 0 of 2 steps`);
    expect(list.text).toContain(`- ${planted} (its title is of untrusted text): Pending`);
    expect(list.text).not.toContain('Obey');
    expect(list.label).toMatchObject({ trust: 'Trusted' });
    const detail = await worker.call('get_endeavour_detail', { itemId: planted });
    expect(detail.text).toContain('Obey me');
    expect(detail.label).toMatchObject({ trust: 'Untrusted', source: { kind: 'Memory' } });
    expect((await worker.call('activate_task', { itemId: planted })).label?.trust ?? 'Trusted').toBe('Trusted');
  });

  verifies('work:approvals', 'are held by the chokepoint where the endeavour requires a person', async () => {
    const worker = new Worker();
    const endeavourId = await worker.endeavour();
    const done = { endeavourId, status: 'Complete' };
    const milder = { endeavourId, approvals: { Completion: 'Auto' } };
    for (const [input, why] of [
      [done, 'asks a person first: the call declares it complete (Completion). (rule tool/asks)'],
      [milder, 'makes the approvals of an endeavour milder (Completion), which only a person may do. (rule tool/asks)'],
      [{ endeavourId, sessionLimits: { maxTokens: 900_000 } }, '(BudgetIncrease). (rule tool/asks)'],
    ] as const)
      expect((await worker.call('update_endeavour', input)).text).toContain(why);
    const created = { title: 'x', description: 'x', goal: 'x', approvals: { BudgetIncrease: 'Notify' } };
    expect((await worker.call('create_endeavour', created)).text).toContain('(rule tool/asks)');
    expect(worker.work.endeavours.get(endeavourId)).toMatchObject({ status: 'Draft' });
    expect(worker.work.endeavours.size).toBe(1);
    expect((await worker.call('advance_phase', { endeavourId })).text).toBe(
      `${endeavourId} is Active; phases: p1 InProgress, p2 NotStarted`,
    );
  });

  verifies('work:approvals', 'run with a person’s approval of exactly this call', async () => {
    const first = new Worker();
    const endeavourId = await first.endeavour({ phases: [] });
    const done = { endeavourId, status: 'Complete' };
    const worker = new Worker(approving([['update_endeavour', done]]));
    expect(await worker.endeavour({ phases: [] })).toBe(endeavourId);
    const other = { ...done, reason: 'Done.' };
    expect((await worker.call('update_endeavour', other, { approvalId: 'q0' })).text).toContain('tool/asks');
    expect((await worker.call('update_endeavour', done, { approvalId: 'q0' })).text).toBe(
      `changed ${endeavourId} is Complete; phases: none`,
    );
  });

  verifies('work:sessions', 'schedule a session with its job, and cancel both', async () => {
    const worker = new Worker();
    const endeavourId = await worker.endeavour();
    const session = { endeavourId, at: '2030-01-31T08:00', focus: 'Gather the prices.', phaseId: 'p1' };
    expect((await worker.call('schedule_work_session', session)).text).toBe(
      `session s1 of ${endeavourId}: 2030-01-31 08:00 UTC`,
    );
    const { jobs } = worker.world.parts.known();
    const [job] = jobs.byId.values();
    expect(job).toMatchObject({
      status: 'Active',
      maker: { kind: 'Agent', runId: 'run-1' },
      job: {
        kind: 'Reminder',
        for: 'Agent',
        words: `Work session s1 of the endeavour ${endeavourId}. Gather the prices.`,
        tags: [`endeavour:${endeavourId}`, 'session:s1'],
        when: { type: 'Moment', atMs: Date.UTC(2030, 0, 31, 8) },
      },
    });
    expect((await worker.call('list_work_sessions', { endeavourId })).text).toBe(
      's1 Scheduled 2030-01-31 08:00 UTC, phase p1: 0 cycles, 0 of 100000 tokens (next)',
    );
    const cancelled = { endeavourId, sessionId: 's1', reason: 'Not now.' };
    expect((await worker.call('cancel_work_session', cancelled)).text).toBe(
      `session s1 of ${endeavourId} is cancelled`,
    );
    expect([...jobs.byId.values()].map(({ status }) => status)).toEqual(['Cancelled']);
    expect((await worker.call('list_work_sessions', { endeavourId })).text).toContain('s1 Cancelled');
  });

  verifies('work:sessions', 'end with the run of their job, whose cycles count', async () => {
    const worker = new Worker();
    const { parts } = worker.world;
    const endeavourId = await worker.endeavour();
    const at = { endeavourId, at: '2030-01-31T08:00', focus: 'Gather.', phaseId: 'p1' };
    await worker.call('schedule_work_session', at);
    const [jobId] = parts.known().jobs.byId.keys();
    const momentMs = Date.UTC(2030, 0, 31, 8);
    await parts.write([{ store: 'job', kind: 'JobFired', payload: { jobId, momentMs, runId: 'later' } }]);
    expect(jobOfRun(parts.known().jobs, 'later')?.jobId).toBe(jobId);
    expect((await worker.call('list_work_sessions', { endeavourId })).text).toContain('s1 InProgress');
    const underWay = { endeavourId, sessionId: 's1', reason: 'x' };
    expect((await worker.call('cancel_work_session', underWay)).text).toContain('is under way');
    const itemId = await worker.item({ endeavourId });
    await worker.call('activate_task', { itemId }, { runId: 'later' });
    const end = { runId: 'later', outcome: 'Accepted', summary: '', calls: [], cycleIds: ['c1', 'c2'], tokens: 700 };
    const records = endOfRun(parts.known(), end);
    await parts.write(records);
    await parts.write(endOfRun(parts.known(), end));
    const endeavour = worker.work.endeavours.get(endeavourId);
    expect(endeavour?.sessions).toMatchObject([{ status: 'Completed', cycles: 2, tokens: 700 }]);
    expect(endeavour).toMatchObject({ cycles: 2, tokens: 700 });
    expect(endeavour?.phases.map(({ actualSessions }) => actualSessions)).toEqual([1, 0]);
    expect(worker.work.items.get(itemId)).toMatchObject({ cycles: 2, tokens: 700, cycleIds: ['c1', 'c2'] });
  });

  verifies('work:sessions', 'need a person beyond the plan, and after untrusted text', async () => {
    const worker = new Worker();
    const endeavourId = await worker.endeavour();
    const at = { endeavourId, at: '2030-01-31T08:00', focus: 'Gather.' };
    const tainted = await worker.call('schedule_work_session', at, { read: afterPage });
    expect(tainted.text).toContain('(rule taint/effect-class)');
    await worker.call('schedule_work_session', at);
    await worker.call('schedule_work_session', at);
    expect((await worker.call('schedule_work_session', at)).text).toContain('(BudgetIncrease). (rule tool/asks)');
    expect(worker.world.parts.known().jobs.byId.size).toBe(2);
  });

  verifies('work:sessions', 'leave nothing where the moment is none', async () => {
    const worker = new Worker();
    const endeavourId = await worker.endeavour();
    const schedule = async (at: string) =>
      (await worker.call('schedule_work_session', { endeavourId, at, focus: 'x' })).text;
    expect(await schedule('tomorrow')).toBe(
      'at: is no date with a time; give it as 2030-01-31T08:00 or with an offset.',
    );
    expect(await schedule('1960-01-01T08:00')).toContain('at has passed');
    expect([worker.world.parts.known().jobs.byId.size, worker.work.endeavours.get(endeavourId)?.sessions]).toEqual([
      0,
      [],
    ]);
  });

  verifies('work:forecast-one', 'score what is asked for by the numbers of the forecaster', async () => {
    const worker = new Worker();
    const itemId = await worker.item({ complexity: 'Simple' });
    expect((await worker.call('request_forecast_review', { id: itemId })).text).toContain('it is scored from 2 on');
    await worker.call('activate_task', { itemId });
    const counted = { itemIds: [itemId], cycleIds: ['a', 'b', 'c', 'd', 'e'], tokens: 1 };
    await worker.world.parts.write([{ store: 'work', kind: 'CycleCounted', payload: counted }]);
    const told = [
      `${itemId}: score 0.3939, threshold 0.55: go on`,
      '- StepCompletionRate 3 of 3 (0.2727): 5 cycles for 2 steps, of which 0 are complete',
      '- ComplexityDrift 2 of 3 (0.1212): 5 cycles for an item of complexity Simple',
    ].join('\n');
    expect((await worker.call('get_forecast_breakdown', { id: itemId })).text).toBe(`${told}\nrecorded: never`);
    expect((await worker.call('request_forecast_review', { id: itemId })).text).toBe(told);
    expect(worker.work.items.get(itemId)?.forecast?.score).toBe(13 / 33);
  });

  verifies('work:forecaster', 'judge by the threshold of the Agent', async () => {
    const registry = createRegistry({ sandboxLanguages: [], replanThreshold: 0.2 });
    const worker = new Worker(toolWorld({ registry }));
    const itemId = await worker.item({ complexity: 'Simple' });
    await worker.call('activate_task', { itemId });
    const counted = { itemIds: [itemId], cycleIds: ['a', 'b', 'c', 'd', 'e'], tokens: 1 };
    await worker.world.parts.write([{ store: 'work', kind: 'CycleCounted', payload: counted }]);
    expect((await worker.call('get_forecast_breakdown', { id: itemId })).text).toContain('threshold 0.2: plan it anew');
  });

  it('know after a crash whether a call was made', async () => {
    const worker = new Worker();
    const id = await worker.item();
    const input = { itemId: id };
    const permit = worker.world.permit('activate_task', input, { callId: 'cut-off' });
    expect(await worker.world.executor.lookup(permit, signal)).toBeUndefined();
    await worker.world.executor.execute(permit, signal);
    expect(await worker.world.executor.lookup(permit, signal)).toMatchObject({
      status: 'Ok',
      text: `${id} is Active: 0 of 2 steps complete; open steps: 1, 2`,
    });
  });
});
