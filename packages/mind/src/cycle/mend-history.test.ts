import { describe, expect, it } from 'vitest';
import { CycleUnderTest, cycleSpec } from '../../../../test/support/cycles.ts';
import { Seeded } from '../../../../test/support/seeded.ts';
import { verifies } from '../../../../test/verifies.ts';
import { promptTokens } from '../assemble/request-size.ts';
import type { ModelRequest } from '../request/model-request.ts';
import { LEFT_OUT } from './mend-history.ts';

function requests(cycle: CycleUnderTest): readonly ModelRequest[] {
  return cycle.events.flatMap((event) => (event.kind === 'ModelRequested' ? [event.request as ModelRequest] : []));
}

const last = (cycle: CycleUnderTest): ModelRequest => requests(cycle).at(-1) as ModelRequest;

function refuse(cycle: CycleUnderTest, message: string): void {
  const failure = { kind: 'InvalidRequest', message, attempts: 1, latencyMs: 1 } as const;
  cycle.when({ kind: 'ModelFailed', atMs: 1_000_001, callId: cycle.now.pendingModelCall ?? '', failure });
}

/** A conversation of so many calls, each with a result of so many characters. */
function talk(sizes: readonly number[]): CycleUnderTest {
  const limits = { ...cycleSpec().limits, turns: 100, toolCalls: 100, tokens: 1e9, contextTokens: 1e6, costUsd: 1e6 };
  const cycle = new CycleUnderTest({ limits });
  sizes.forEach((size, index) => {
    cycle.answer({ thought: `sealed ${index}`, calls: [['look', index]] });
    cycle.finish(`r-c1-t${index + 1}`, `${index}`.repeat(size).slice(0, size));
  });
  return cycle;
}

describe('a conversation that its server refuses', () => {
  const wordings: readonly (readonly [string, (asked: number, max: number) => string])[] = [
    ['Messages API', (asked, max) => `400 prompt is too long: ${asked} tokens > ${max} maximum`],
    [
      'with its answer',
      (asked, max) => `input length and \`max_tokens\` exceed context limit: ${asked} + 500 > ${max + 500}, decrease`,
    ],
    [
      'compatible',
      (asked, max) =>
        `This model's maximum context length is ${max} tokens. However, your messages resulted in ${asked} tokens.`,
    ],
    [
      'in brackets',
      (asked, max) => `input token count (${asked}) exceeds the maximum number of tokens allowed (${max})`,
    ],
    ['of a proxy', () => 'answered 413: the request is larger than a server on the way takes'],
    ['of a local server', () => 'the request exceeds the available context size, try increasing it'],
    ['without a size', () => 'request_too_large: the request is too large'],
  ];

  for (const [name, wording] of wordings)
    verifies(
      'cycle:refused-conversation',
      `for its length (${name}) is shortened until it is taken, never sent twice`,
      () => {
        for (let seed = 1; seed <= 12; seed += 1) {
          const seeded = new Seeded(seed);
          const cycle = talk(Array.from({ length: 1 + seeded.below(12) }, () => 400 + seeded.below(40_000)));
          const first = promptTokens(last(cycle));
          // The server counts otherwise than the estimate.
          const ratio = 0.5 + seeded.below(200) / 100;
          const max = Math.ceil(first * ratio * (0.3 + seeded.below(60) / 100));
          let tries = 0;
          while (cycle.now.ended === undefined && promptTokens(last(cycle)) * ratio > max && tries < 20) {
            tries += 1;
            refuse(cycle, wording(Math.ceil(promptTokens(last(cycle)) * ratio), max));
          }
          const sent = requests(cycle)
            .slice(-1 - tries)
            .map(({ messages }) => JSON.stringify(messages));
          expect(new Set(sent).size, `seed ${seed}`).toBe(sent.length);
          expect(cycle.now.ended?.reason, `seed ${seed}: ${first * ratio} of ${max}`).toBeUndefined();
          // The stated maximum is met at once.
          if (wording(1, 2).includes('2')) expect(tries).toBeLessThanOrEqual(2);
        }
      },
    );

  it('for the length of its answer asks for less', () => {
    const cycle = talk([500]);
    const asked = last(cycle).maxOutputTokens;
    refuse(cycle, `max_tokens: ${asked} > ${asked - 100}, which is the maximum allowed number of output tokens for m`);
    expect(last(cycle).maxOutputTokens).toBe(asked - 100);
    cycle.answer({ calls: [['look', 9]] });
    cycle.finish('r-c1-t2');
    expect(last(cycle).maxOutputTokens).toBeLessThanOrEqual(asked - 100);
  });

  it('for thoughts of another model goes on without thoughts', () => {
    const cycle = talk([500, 500]);
    expect(JSON.stringify(last(cycle))).toContain('sealed 0');
    refuse(cycle, 'messages.1.content.0: Invalid `signature` in `thinking` block');
    expect(JSON.stringify(last(cycle))).not.toContain('sealed');
    expect(cycle.now.ended).toBeUndefined();
  });

  it.each([
    { at: 'messages.2.content.0', kept: 'look', gone: '00000', name: 'a result' },
    { at: 'messages.4.content.0', kept: '00000', gone: '11111', name: 'a later result' },
    { at: 'messages.1.content.1', kept: '11111', gone: '00000', name: 'a call, which takes its result with it' },
  ])('for one block ($name) goes on without it', ({ at, kept, gone }) => {
    const cycle = talk([500, 500]);
    refuse(cycle, `${at}: text content must be valid`);
    const told = JSON.stringify(last(cycle).messages);
    expect(told).toContain(LEFT_OUT);
    expect(told).toContain(kept);
    expect(told).not.toContain(gone);
    const uses = last(cycle).messages.flatMap(({ content }) =>
      content.flatMap((it) => (it.type === 'ToolUse' ? [it.id] : [])),
    );
    const results = last(cycle).messages.flatMap(({ content }) =>
      content.flatMap((it) => (it.type === 'ToolResult' ? [it.toolUseId] : [])),
    );
    expect(results.toSorted()).toEqual(uses.toSorted());
  });

  it.each([
    { name: 'the work itself', message: 'messages.0.content.0: no' },
    { name: 'something else', message: 'tools.3.name: no such thing' },
    { name: 'a block that is not there', message: 'messages.99.content.0: no' },
  ])('for $name fails, and is not sent again', ({ message }) => {
    const cycle = talk([500]);
    const before = requests(cycle).length;
    refuse(cycle, message);
    expect(requests(cycle)).toHaveLength(before);
    expect(cycle.now.ended).toMatchObject({ outcome: 'Failed' });
  });

  it('for the same block twice fails', () => {
    const cycle = talk([500]);
    refuse(cycle, 'messages.2.content.0: no');
    refuse(cycle, 'messages.2.content.0: no');
    expect(cycle.now.ended).toMatchObject({ outcome: 'Failed' });
  });
});
