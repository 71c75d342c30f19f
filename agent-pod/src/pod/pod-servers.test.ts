/** What a scraper reads of a real agent, over HTTP. */
import { systemClock } from '@retainer/contract/std/system-clock';
import type { AffectMeasured } from '@retainer/mind/parts/affect/affect';
import { expect } from 'vitest';
import { inTemporaryDirectory, scripted, task } from '../../../test/support/agents.ts';
import { openedAgent } from '../../../test/support/opened-agent.ts';
import { oneStepRule } from '../../../test/support/runs.ts';
import { verifies } from '../../../test/verifies.ts';

import { servePod, type PodServers, type PodState } from './pod-servers.ts';

const script = `
version: 1
rules:${oneStepRule}
  - name: a file that is not there
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: read_file, input: {path: missing.md}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const starting: PodState = {
  waitingFor: undefined,
  isDraining: false,
  agent: undefined,
  jobs: undefined,
  mail: undefined,
  isLeaseHeld: () => true,
  isApiServerReachable: () => true,
  serving: undefined,
  waitingTasks: () => 0,
};

interface Scraped {
  /** By dimension, in percent as a measurement has it. */
  readonly affect: Readonly<Record<string, number>>;
  readonly sensoriums: number;
}

async function scrape({ ports }: PodServers): Promise<Scraped> {
  const text = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
  const found = text.matchAll(/^retainer_agent_affect_ratio\{dimension="(\w+)".*\} (.*)$/gm);
  const sensoriums = /^retainer_agent_preamble_slot_characters_count\{.*slot="sensorium"\} (.*)$/m.exec(text);
  return {
    affect: Object.fromEntries([...found].map(([, dimension = '', value]) => [dimension, Number(value) * 100])),
    sensoriums: Number(sensoriums?.[1]),
  };
}

/** An agent from its start to its stop, scraped before its runs and after each. */
async function life(dataDirectory: string, names: readonly string[]) {
  const state = { ...starting };
  const agent = { namespace: 'default', name: 'ada', uid: 'u' };
  const servers = await servePod({ agent, dataDirectory, ports: { http: 0, metrics: 0 } }, state, systemClock);
  const measured: AffectMeasured[] = [];
  const opened = await openedAgent({
    dataDirectory,
    model: await scripted(script),
    onRecord: (record) => {
      servers.metrics.count(record);
      if (record.kind === 'AffectMeasured') measured.push(record.payload as unknown as AffectMeasured);
    },
  });
  state.agent = opened;
  const scraped = [await scrape(servers)];
  for (const name of names) {
    const { runId } = await opened.submitTask(task(name, `Read ${name}.`), 'test');
    await opened.runtime.closed(runId);
    scraped.push(await scrape(servers));
  }
  await opened.close();
  await servers.close();
  return { scraped, measured };
}

verifies('affect:metrics', 'follows the record while the agent works, and is there after a restart', async () => {
  await inTemporaryDirectory(async (directory) => {
    const { scraped, measured } = await life(directory, ['one', 'two']);
    const [before, ...after] = scraped;
    expect(before).toEqual({ affect: {}, sensoriums: 0 });
    expect(measured).toHaveLength(2);
    const told = after.map(({ affect }) => affect);
    expect(told[0]).not.toEqual(told[1]);
    for (const [at, { affect }] of measured.entries()) {
      const { trend: _, ...dimensions } = affect;
      expect(Object.keys(told[at] ?? {})).toEqual(Object.keys(dimensions));
      for (const [dimension, percent] of Object.entries(dimensions))
        expect(told[at]?.[dimension]).toBeCloseTo(percent, 9);
    }
    // A perceiver and an executor for each run; a validator is told nothing.
    expect(after.map(({ sensoriums }) => sensoriums)).toEqual([2, 4]);
    const again = await life(directory, []);
    expect(again.scraped).toEqual([{ affect: told[1], sensoriums: 0 }]);
  });
});
