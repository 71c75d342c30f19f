/** An open Task when the character of its agent changes: it goes on, waits for a person, or ends, as the Agent says. */
import { describe, expect, it } from 'vitest';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { compareLastRuns } from '@retainer/agent-pod/review/last-runs';
import { replayGates, replayRun } from '@retainer/agent-pod/review/replay-run';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { systemClock } from '@retainer/contract/std/system-clock';
import { checkVerdicts } from '@retainer/agent-pod/review/verdict-check';
import type { Compared } from '@retainer/mind/cycle/character-change';
import type { Command } from '@retainer/mind/run/inbox';
import { agentDefinition, characterSpec, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { HeardRecords } from '../support/heard-records.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: a call that waits for a person
    when: {role: executor, task: 'Write a note', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const authority = (rules: object): object => ({ authority: { alone: [], consult: [], never: [], ...rules } });
const notes = { paths: ['notes/**'] };
const before = characterSpec(
  authority({ consult: [{ id: 'notes-need-leave', description: 'Changing notes needs leave.', ...notes }] }),
);
const withSpec = (spec: object): CharacterSpec => characterSpec({ ...before.spec, ...spec });
const spelling = withSpec({ persona: 'A careful analyst!' });
const otherRule = withSpec(
  authority({ consult: [{ id: 'notes-need-leave', description: 'Only Ann decides about notes.', ...notes }] }),
);
const noRule = withSpec(authority({}));
const never = withSpec(authority({ never: [{ id: 'no-notes', description: 'Notes are never changed.', ...notes }] }));
const unheard = withSpec({
  gatePolicies: {
    input: { rules: [{ id: 'word', description: 'x', pattern: 'note', verdict: 'Reject', reason: 'Not said.' }] },
  },
});

type OnChange = 'Continue' | 'Hold' | 'Cancel';

/** The comparison with the last runs ends early on a slow machine: no time passes for it here. */
const timeless = { ...systemClock, monotonicMs: () => 0 };

class Story {
  readonly #directory: string;
  readonly #heard = new HeardRecords();
  #agent: OpenedAgent | undefined;
  #origins = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get agent(): OpenedAgent {
    if (this.#agent === undefined) throw new Error('the agent is closed');
    return this.#agent;
  }

  async open(character: CharacterSpec, onCharacterChange: OnChange = 'Continue'): Promise<void> {
    const opened = await openedAgent({
      definition: agentDefinition({ onCharacterChange, control: { maxReplans: 0 } }, character),
      dataDirectory: this.#directory,
      model: await scripted(script),
      clock: timeless,
      onRecord: this.#heard.take,
    });
    this.#agent = opened;
  }

  /** The Task waits for a person. */
  async begin(onCharacterChange: OnChange = 'Continue'): Promise<string> {
    await this.open(before, onCharacterChange);
    const { runId } = await this.agent.submitTask(task('note', 'Write a note.'), 'test');
    await this.until('ApprovalRequested');
    return runId;
  }

  async reopen(character: CharacterSpec, onCharacterChange: OnChange = 'Continue'): Promise<void> {
    await this.close();
    await this.open(character, onCharacterChange);
  }

  async close(): Promise<void> {
    await this.agent.close();
    this.#agent = undefined;
  }

  get records(): readonly JournalRecord[] {
    return this.#heard.all;
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#heard.of(kind);
  }

  until(kind: string, count = 1): Promise<void> {
    return this.#heard.until(kind, count);
  }

  say(command: Command): Promise<boolean> {
    this.#origins += 1;
    return this.agent.runtime.accept(`word:${this.records.length}:${this.#origins}`, 'test', command);
  }

  /** Yes to the request of this number, from the first. */
  approve(number: number): Promise<boolean> {
    const { requestId = '', argumentsDigest = '' } = (this.all('ApprovalRequested')[number - 1] ?? {}) as {
      readonly requestId?: string;
      readonly argumentsDigest?: string;
    };
    return this.say({
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      decision: 'Approve',
      by: 'ann',
      reason: 'fine',
    });
  }

  reader(): Promise<JournalReader> {
    return openRecords(this.#directory);
  }

  outcome(): unknown {
    return this.all('RunConcluded')[0]?.['outcome'];
  }

  async isReplayed(runId: string): Promise<boolean> {
    await this.close();
    const reader = await this.reader();
    const replay = await replayRun(reader, runId);
    expect(replay).toMatchObject({ ok: true, value: { isByteEqual: true } });
    expect((await checkVerdicts(reader)).findings).toEqual([]);
    return true;
  }
}

const inStory = (play: (story: Story) => Promise<void>) => () =>
  inTemporaryDirectory((directory) => play(new Story(directory)));

describe('a Task that waits for a person when the character is edited', () => {
  verifies(
    'loop:changed-character-continues',
    'goes on after a spelling mistake, with the question that a person was asked',
    inStory(async (story) => {
      const runId = await story.begin();
      await story.reopen(spelling);
      await story.until('CharacterChanged', 2);
      const changes = story.all('CharacterChanged');
      expect(changes.map(({ parts }) => parts)).toEqual([['persona'], ['persona']]);
      expect(story.all('ApprovalWithdrawn')).toEqual([]);
      await story.approve(1);
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Succeeded');
      const digests = new Set(story.all('GateDecided').map(({ characterDigest }) => characterDigest));
      expect([...digests]).toEqual([changes[0]?.['from'], changes[0]?.['to']]);
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-asks-anew',
    'asks again where the rule changed, and the old yes counts no more',
    inStory(async (story) => {
      const runId = await story.begin();
      await story.reopen(otherRule);
      await story.until('ApprovalRequested', 2);
      expect(story.all('CharacterChanged')[0]?.['parts']).toEqual(['authority.consult/notes-need-leave']);
      expect(story.all('ApprovalWithdrawn')).toHaveLength(1);
      expect(story.all('ApprovalRequested')[1]?.['reason']).toContain('Only Ann decides');
      await story.approve(1);
      expect(story.all('ToolRequested')).toEqual([]);
      await story.approve(2);
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Succeeded');
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-asks-anew',
    'makes the call where no rule asks any more',
    inStory(async (story) => {
      const runId = await story.begin();
      await story.reopen(noRule);
      await story.until('RunClosed');
      expect(story.all('ToolRequested')).toHaveLength(1);
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-asks-anew',
    'is refused the call where a rule forbids it now',
    inStory(async (story) => {
      const runId = await story.begin();
      await story.reopen(never);
      await story.until('RunClosed');
      expect(story.all('ToolRequested')).toEqual([]);
      expect(story.all('GateDecided').some(({ rule }) => rule === 'authority.never/no-notes')).toBe(true);
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-continues',
    'ends Refused where the new input gate refuses its words',
    inStory(async (story) => {
      const runId = await story.begin();
      await story.reopen(unheard);
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Refused');
      expect(story.all('RunConcluded')[0]?.['refusal']).toMatchObject({ gate: 'Input', reason: 'Not said.' });
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-holds',
    'waits for a person under Hold, and goes on at their word',
    inStory(async (story) => {
      const runId = await story.begin('Hold');
      await story.reopen(spelling, 'Hold');
      expect(story.all('RunSetAside')).toMatchObject([{ runId, held: { parts: ['persona'] } }]);
      await expect(story.agent.runtime.closed(runId)).rejects.toThrow('retainer task continue');
      await story.reopen(spelling, 'Hold');
      expect(story.all('CharacterChanged')).toEqual([]);
      await story.say({ type: 'RetryRun', runId, by: 'ann', reason: 'it is fine' });
      expect(story.all('StoodStill').map(({ why }) => why)).toContain('Restarted');
      await story.approve(1);
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Succeeded');
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-holds',
    'ends at a person’s word under Hold',
    inStory(async (story) => {
      const runId = await story.begin('Hold');
      await story.reopen(spelling, 'Hold');
      await story.say({ type: 'CancelRun', runId, by: 'ann', reason: 'not so' });
      expect(story.all('RunGivenUp')).toMatchObject([{ runId, by: 'ann' }]);
      await story.close();
    }),
  );

  verifies(
    'loop:changed-character-holds',
    'waits no longer once the character is back',
    inStory(async (story) => {
      const runId = await story.begin('Hold');
      await story.reopen(spelling, 'Hold');
      await story.reopen(before, 'Hold');
      await story.approve(1);
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Succeeded');
      expect(story.all('CharacterChanged')).toEqual([]);
      expect(await story.isReplayed(runId)).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-ends-runs',
    'ends under Cancel',
    inStory(async (story) => {
      await story.begin('Cancel');
      await story.reopen(spelling, 'Cancel');
      await story.until('RunClosed');
      expect(story.outcome()).toBe('Cancelled');
      await story.close();
    }),
  );
});

/** One Task has ended where no rule forbade its note, and another waits for leave to write the same. */
async function twoRuns(story: Story): Promise<readonly [ended: string, open: string]> {
  await story.open(noRule);
  const ended = await story.agent.submitTask(task('first', 'Write a note.'), 'test');
  await story.until('RunClosed');
  const asks = task('second', 'Write a note.', { approval: { mode: 'EveryEffect' } });
  const open = await story.agent.submitTask(asks, 'test');
  await story.until('ApprovalRequested');
  await story.close();
  return [ended.runId, open.runId];
}

/** As `retainer replay --character` tells it of each. */
async function toldByReplay(story: Story, runIds: readonly string[]): Promise<Compared> {
  const reader = await story.reader();
  const replays = await Promise.all(runIds.map((runId) => replayGates(reader, runId, never)));
  const told = replays.map((it) => (it.ok ? it.value : { compared: Number.NaN, differences: [] }));
  return {
    runs: runIds.length,
    decisions: told.reduce((sum, { compared }) => sum + compared, 0),
    otherwise: told.reduce((sum, { differences }) => sum + differences.length, 0),
  };
}

describe('the record of a changed character', () => {
  verifies(
    'loop:changed-character-compared',
    'holds what a replay of the last runs tells, for those who look at an open Task',
    inStory(async (story) => {
      const runIds = await twoRuns(story);
      const told = await toldByReplay(story, runIds);
      expect((await toldByReplay(story, runIds.slice(0, 1))).otherwise).toBeGreaterThanOrEqual(1);
      await story.open(never);
      await story.until('RunClosed', 2);
      expect(story.all('ToolRequested')).toHaveLength(1);
      expect(story.all('CharacterChanged').map(({ compared }) => compared)).toEqual([told, undefined]);
      expect(await story.isReplayed(runIds[1])).toBe(true);
    }),
  );

  verifies(
    'loop:changed-character-compared',
    'holds the newest run alone where time is short',
    inStory(async (story) => {
      const [, newest] = await twoRuns(story);
      // 1.5 s between two looks at the clock.
      let nowMs = 0;
      const slow = { monotonicMs: () => (nowMs += 1500) };
      expect(await compareLastRuns(await story.reader(), never, slow)).toEqual(await toldByReplay(story, [newest]));
    }),
  );
});

it('has other characters than the first', () => {
  expect(new Set([before, spelling, otherRule, noRule, never, unheard].map((it) => JSON.stringify(it))).size).toBe(6);
});
