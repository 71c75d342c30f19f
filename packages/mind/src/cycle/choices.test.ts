import { describe, expect } from 'vitest';
import { fetchOf } from '../../../../test/support/choice-channel.ts';
import { CycleUnderTest } from '../../../../test/support/cycles.ts';
import { gateOf } from '../../../../test/support/gate-inquiries.ts';
import { testTools } from '../../../../test/support/known-tools.ts';
import { verifies } from '../../../../test/verifies.ts';
import { askedOutside } from './read-texts.ts';
import { approvalQuestions } from './state.ts';

const HOST = 'docs.example';
const at = (page: number): string => `https://${HOST}/${page}`;
const pages = Array.from({ length: 200 }, (_, page) => at(page)).join('\n');

const config = {
  gate: gateOf({}),
  catalog: {
    specs: (names: readonly string[]) => names.map((name) => ({ name, description: name, inputSchema: {} })),
    known: testTools,
    has: (name: string) => name === 'fetch_url',
    parse: (_name: string, input: unknown) => ({
      ok: true as const,
      value: fetchOf((input as { readonly url: string }).url),
    }),
  },
};

/** A cycle that has fetched the page of links, and then asks for the others, several in each answer. */
function reading(spec: ConstructorParameters<typeof CycleUnderTest>[0], ...answers: readonly (readonly number[])[]) {
  const limits = { turns: 30, toolCalls: 30, failedTurnsInRow: 3, tokens: 1_000_000, costUsd: 1, wallClockMs: 60_000 };
  const more = { approvalWaitMs: 30_000, contextTokens: 100_000, outputTokens: 500, modelTimeoutMs: 10_000 };
  const start = { tools: ['fetch_url'], addresses: [`https://${HOST}/`], limits: { ...limits, ...more }, ...spec };
  const cycle = new CycleUnderTest(start, { config, nonce: 'n' });
  cycle.answer({ calls: [['fetch_url', { url: `https://${HOST}/` }]] });
  cycle.finish('r-c1-t1', pages);
  for (const asked of answers) {
    cycle.answer({ calls: asked.map((page) => ['fetch_url', { url: at(page) }]) });
    for (const callId of cycle.now.pendingTools) cycle.finish(callId, 'words');
  }
  return cycle;
}

const ten = [3, 50, 7, 199, 20, 81, 12, 150, 9, 64].map((page) => [page]);

describe('the choices of a cycle', () => {
  verifies('provenance:choice-budget', 'are free where the persona is not confidential: ten of 200 pages', () => {
    const cycle = reading({}, ...ten);
    expect(cycle.kinds()).not.toContain('ApprovalRequested');
    expect(cycle.events.filter((it) => it.kind === 'ToolRequested')).toHaveLength(11);
    expect(JSON.stringify(cycle.events)).not.toContain('"choice"');
  });

  for (const [what, spec] of [
    ['a confidential persona', { confidential: true }],
    ['memory', { remembered: 'You remember: a fact' }],
  ] as const)
    verifies('provenance:choice-budget', `are counted with ${what}, and stand in the record`, () => {
      const chosen = reading(spec, ...ten.slice(0, 8)).events.flatMap((it) =>
        it.kind === 'ToolRequested' ? [it.choice] : [],
      );
      expect(chosen).toEqual([
        undefined,
        // The page itself, its 200 links, or nothing; and that there is a choice at all.
        ...ten.slice(0, 8).map((_, at) => ({ site: HOST, bits: Math.log2(203) + (at === 0 ? 1 : 0), isNext: false })),
      ]);
    });

  /** Bits of each call that ran; undefined where it cost nothing. */
  const bitsOf = (cycle: CycleUnderTest): readonly (number | undefined)[] =>
    cycle.events.flatMap((it) => (it.kind === 'ToolRequested' ? [it.choice?.bits] : []));
  const again = Math.log2(203);

  verifies('provenance:choice-budget', 'count an address that is asked for once more, in one answer too', () => {
    expect(bitsOf(reading({ confidential: true }, [5], [7], [5]))).toEqual([undefined, again + 1, again, again]);
    expect(bitsOf(reading({ confidential: true }, [5, 7, 5]))).toEqual([undefined, again + 1, again, again]);
  });

  verifies(
    'provenance:choice-budget',
    'count the Task’s own address where an earlier cycle of the run asked for it',
    () => {
      const own = `https://${HOST}/`;
      const bits = bitsOf(reading({ confidential: true, askedOutside: [own] }));
      expect(bits).toEqual([Math.log2(3) + 1]);
      const cycle = reading({ confidential: true }, [5]);
      expect(askedOutside(cycle.now, testTools)).toEqual([own, at(5)]);
      expect(askedOutside(reading({}, [5]).now, testTools)).toEqual([]);
    },
  );

  verifies('provenance:choice-budget', 'are one question for the site, and its yes holds', () => {
    const cycle = reading({ confidential: true });
    const calls = [40, 41].map((page) => ['fetch_url', { url: at(page) }] as const);
    const answered = {
      content: calls.map(([name, input], id) => ({ type: 'ToolUse' as const, id: `u${id}`, name, input })),
    };
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    cycle.when({
      kind: 'ModelAnswered',
      atMs: cycle.tick(),
      callId: cycle.now.pendingModelCall ?? '',
      answer: { ...answered, stop: 'ToolUse', usage, model: 'm', latencyMs: 1, attempts: 1 },
      choicesSpent: { [HOST]: 60 },
    });
    const [question, ...others] = approvalQuestions(cycle.now);
    expect([question?.calls, others]).toEqual([2, []]);
    cycle.decideApproval(question?.requestId ?? '', 'Approve', question?.argumentsDigest ?? '');
    expect(cycle.now.pendingTools).toHaveLength(2);
    expect(cycle.now.freeSites).toEqual([HOST]);
    for (const callId of cycle.now.pendingTools) cycle.finish(callId, 'words');
    cycle.answer({ calls: [['fetch_url', { url: at(90) }]] });
    expect(cycle.now.pendingTools).toHaveLength(1);
  });
});
