import { describe, expect } from 'vitest';
import { AgentUpkeep } from '@retainer/contract/api/agent-upkeep';
import { recordIn } from '@retainer/mind/part/record-in';
import { workStore } from '@retainer/mind/parts/work/store';
import type { WorkKind, WorkPayload } from '@retainer/mind/parts/work/kinds';
import { TRUSTED } from '../../../../test/support/work-life.ts';
import { toolWorld, type ToolWorld } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { PartRecord } from '@retainer/mind/part/store';
import { appraiser } from './appraiser.ts';
import { forecaster } from './forecaster.ts';

/** A world of parts that hears what is written, and may fail in the middle. */
class Heard {
  readonly world: ToolWorld = toolWorld();
  readonly written: PartRecord[] = [];
  failsAt: string | undefined;

  readonly parts = {
    known: () => this.world.parts.known(),
    write: async (records: readonly PartRecord[]) => {
      const failing = records.find(({ kind }) => kind === this.failsAt);
      if (failing !== undefined) throw new Error('the disk failed');
      await this.world.parts.write(records);
      this.written.push(...records);
    },
  };

  async put<K extends WorkKind>(kind: K, payload: WorkPayload<K>): Promise<void> {
    await this.world.parts.write([recordIn(workStore, kind, payload as never)]);
  }

  kinds(): readonly string[] {
    return this.written.map(({ kind }) => kind);
  }
}

const jobs = { isWorking: () => true };
const words = { title: 'Measure', description: 'Measure the field.', origin: 'Agent', label: TRUSTED } as const;
const item = (itemId: string) => ({ ...words, itemId, steps: [{ description: 'Walk.' }], dependsOn: [] });

/** One pass: the next wait ends it. */
async function passOf(heard: Heard): Promise<void> {
  const stop = new AbortController();
  const changed = (): Promise<void> => Promise.resolve(stop.abort());
  await appraiser({ clock: heard.world.clock, appraising: { parts: heard.parts, changed }, jobs }).run(stop.signal);
}

describe('the appraiser', () => {
  verifies('work:appraised', 'writes the case, then the post-mortem, and each once over crashes', async () => {
    const heard = new Heard();
    await heard.put('ItemCreated', item('w-1'));
    await heard.put('ItemEnded', { itemId: 'w-1', status: 'Failed', reason: 'It rained.' });
    heard.failsAt = 'PostMortemAdded';
    await expect(passOf(heard)).rejects.toThrow('the disk failed');
    expect(heard.kinds()).toEqual(['CaseWritten']);
    heard.failsAt = undefined;
    await passOf(heard);
    await passOf(heard);
    expect(heard.kinds()).toEqual(['CaseWritten', 'CaseWritten', 'PostMortemAdded']);
    expect([...heard.parts.known().cases.byId.keys()]).toEqual(['w-1-case']);
  });

  verifies('work:appraised', 'thinks of what can go wrong with what is worked on, once', async () => {
    const heard = new Heard();
    await heard.put('ItemCreated', item('w-1'));
    await passOf(heard);
    expect(heard.kinds()).toEqual([]);
    await heard.put('ItemActivated', { itemId: 'w-1' });
    await heard.put('RiskFlagged', { itemId: 'w-1', risk: 'It may rain.', hasMaterialised: false, label: TRUSTED });
    await passOf(heard);
    await passOf(heard);
    expect(heard.written).toMatchObject([
      { kind: 'PreMortemAdded', payload: { preMortem: { failureModes: ['It may rain.'] } } },
    ]);
  });
});

describe('the forecaster', () => {
  const upkeep = AgentUpkeep.parse({ forecaster: { enabled: true, interval: '5m', replanThreshold: 0.2 } });

  verifies('work:forecaster', 'is off by default', () => {
    const heard = new Heard();
    const { clock } = heard.world;
    expect(forecaster({ clock, agent: { upkeep: AgentUpkeep.parse({}) }, parts: heard.parts, jobs })).toEqual([]);
  });

  verifies(
    'work:forecaster',
    'looks at its interval, by the threshold of the Agent, and records what changed',
    async () => {
      const heard = new Heard();
      const { clock } = heard.world;
      await heard.put('ItemCreated', item('w-1'));
      await heard.put('ItemActivated', { itemId: 'w-1' });
      await heard.put('CycleCounted', { itemIds: ['w-1'], cycleIds: ['a', 'b', 'c'], tokens: 1 });
      const [component] = forecaster({ clock, agent: { upkeep }, parts: heard.parts, jobs });
      const stop = new AbortController();
      const running = component?.run(stop.signal);
      await clock.untilSleeping(300_000);
      clock.advance(299_000);
      expect(heard.kinds()).toEqual([]);
      clock.advance(1_000);
      await clock.untilSleeping(300_000);
      expect(heard.written).toMatchObject([
        { kind: 'ForecastScored', payload: { id: 'w-1', score: 9 / 33, threshold: 0.2, suggests: true } },
      ]);
      clock.advance(300_000);
      await clock.untilSleeping(300_000);
      expect(heard.kinds()).toEqual(['ForecastScored']);
      stop.abort();
      await running;
    },
  );
});
