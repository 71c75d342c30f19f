/** A link that a program of the run made is the run's own, as a file is. */
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { readSoFar } from '@retainer/mind/cycle/read-texts';
import { toolCallRecords } from '@retainer/mind/run/verdict/tool-calls';
import { expect } from 'vitest';
import { createRegistry, knownTools } from '../../agent-pod/src/parts/catalog.ts';
import { characterSpec } from '../support/agents.ts';
import { CycleUnderTest } from '../support/cycles.ts';
import { scenarios, worked } from '../support/run-scenarios.ts';
import { RunWorld, type Mind } from '../support/run-world.ts';
import { verifies } from '../verifies.ts';

const SHA256 = 'a'.repeat(64);

verifies('provenance:links-labelled', 'is among what its run wrote, for the same cycle and for later ones', () => {
  const gate = compileGate(characterSpec().spec, 'c'.repeat(64), knownTools);
  if (!gate.ok) throw new Error(gate.error.join('; '));
  const catalog = createRegistry({ sandboxLanguages: ['bash'] });
  const cycle = new CycleUnderTest({ tools: ['bash'] }, { config: { gate: gate.value, catalog } });
  cycle.answer({ calls: [['bash', { script: 'ln -s a b' }]] });
  const [callId = ''] = cycle.now.pendingTools;
  const files = [{ path: 'a', sizeBytes: 1, sha256: SHA256 }];
  const ran = { status: 'Ok', text: 'done', outputBytes: 4, outputSha256: SHA256, durationMs: 1 } as const;
  cycle.when({ kind: 'ToolFinished', atMs: cycle.tick(), callId, outcome: { ...ran, files, links: ['b'] } });
  expect(readSoFar(cycle.now, knownTools).written).toEqual(['a', 'b']);
  expect(toolCallRecords(cycle.now.calls, knownTools)).toMatchObject([{ files, links: ['b'] }]);
});

verifies('provenance:links-labelled', 'is the run’s own in its next attempt, too', () => {
  const [, corrected] = scenarios;
  if (corrected === undefined) throw new Error('a scenario has a second attempt');
  const mind: Mind = (purpose, spec) =>
    purpose.role === 'Executor' && purpose.attempt === 1
      ? worked(purpose, { links: ['made-by-it'] })
      : corrected.mind(purpose, spec);
  const world = new RunWorld({ ...corrected, mind }).play();
  const [first, second] = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor');
  expect(first?.spec.written).toBeUndefined();
  expect(second?.spec.written).toContain('made-by-it');
});
