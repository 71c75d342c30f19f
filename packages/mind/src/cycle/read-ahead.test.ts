import { describe, expect, it } from 'vitest';
import { config, CycleUnderTest, cycleSpec, drawn, gate, startMs } from '../../../../test/support/cycles.ts';
import { NOTHING_FOUND } from '../gate/chain/rule-reading.ts';
import { LONG_CHARACTERS_MIN, TextReader } from '../gate/chain/text-reader.ts';
import { readAhead } from './decide.ts';
import type { CycleInput } from './event.ts';
import type { CycleState } from './state.ts';

const LONG = 'a long text, '.repeat(LONG_CHARACTERS_MIN / 4).trimEnd();

/** The texts that are read before the decision on an input, with their gates. */
function readBefore(state: CycleState | undefined, input: CycleInput): readonly string[] {
  const reads: string[] = [];
  const texts = new TextReader(function* (name, text) {
    reads.push(`${name} ${text === LONG}`);
    yield;
    return NOTHING_FOUND;
  });
  const steps = readAhead(state, input, { ...config, gate: { ...gate, texts } });
  while (steps.next().done !== true);
  return reads;
}

describe('the texts that are read before a decision', () => {
  it('are the long ones that a gate will judge: the input, each call, the reply', () => {
    const spec = cycleSpec({ input: LONG });
    const { characterDigest } = gate;
    expect(readBefore(undefined, { kind: 'CycleStarted', atMs: startMs, spec, characterDigest, ...drawn })).toEqual([
      'Input true',
    ]);
    const cycle = new CycleUnderTest();
    const before = cycle.now;
    const [called] = cycle.answer({
      calls: [
        ['look', { path: 'a', text: LONG }],
        ['change', [LONG]],
      ],
    });
    expect(readBefore(before, called as CycleInput)).toEqual(['Tool true']);
    const asked = new CycleUnderTest();
    const open = asked.now;
    const [replied] = asked.answer({ text: LONG });
    expect(readBefore(open, replied as CycleInput)).toEqual(['Output true']);
  });

  it('are none of a stale input, and none that are short', () => {
    const cycle = new CycleUnderTest();
    const before = cycle.now;
    const [replied] = cycle.answer({ text: LONG });
    expect(readBefore(cycle.now, replied as CycleInput)).toEqual([]);
    const other = new CycleUnderTest();
    const [short] = other.answer({ text: 'short' });
    expect(readBefore(before, short as CycleInput)).toEqual([]);
  });
});
