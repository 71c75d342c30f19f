/**
 * Answers of small models with open weights, as they were recorded: each is read, mended, asked for again or set aside as its row says.
 * Nothing here was made up for the test.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseStructured } from '@retainer/agent-pod/infer/structured';
import { withOwnIds } from '@retainer/mind/assemble/shown-ids';
import { AttemptVerdicts } from '@retainer/mind/request/answers/attempt-verdicts';
import { ANSWER_KINDS } from '@retainer/contract/api/roles';
import { repositoryRoot } from '../support/repository-files.ts';
import { criterion, scenarios } from '../support/run-scenarios.ts';
import { RunWorld } from '../support/run-world.ts';
import { runSpec } from '../support/runs.ts';

const Row = z.strictObject({
  /** The class of the fault. */
  seen: z.string(),
  kind: z.enum(ANSWER_KINDS),
  /** Of the person, to whom the answer is one. */
  message: z.string().default(''),
  /** The message of the turn before. */
  before: z.string().optional(),
  answer: z.string(),
  /** What the correction says; absent: the answer is taken. */
  faults: z.array(z.string()).optional(),
  mended: z.array(z.string()).default([]),
  /** What the run takes as its task. */
  understood: z.string().optional(),
  /** The calls that the verdicts cite, by their own ids, where c1-t1 and c1-t2 were shown. */
  evidence: z.array(z.string()).optional(),
});
type Row = z.infer<typeof Row>;

const rows = z.array(Row).parse(parse(await readFile(join(repositoryRoot, 'test/golden/answers/seen.yaml'), 'utf8')));

/** What a run takes as its task where its perceiver gave this value. */
function understoodBy({ message, before }: Row, value: unknown): string {
  const spec = {
    ...runSpec({ criteria: [criterion('The output of code shows it.')] }, ['read_file', 'run_code']),
    intent: message,
    input: message,
    ...(before === undefined ? {} : { session: { turns: [{ input: before, summary: 'Done.' }], user: [] } }),
  };
  const plain = scenarios[0]?.mind;
  const world = new RunWorld({
    spec,
    mind: (purpose, of) => (purpose.role === 'Perceiver' ? { value: value as never } : plain?.(purpose, of)),
  });
  const found = world
    .play()
    .messages()
    .find((it) => it.type === 'TaskSpec');
  return found?.type === 'TaskSpec' ? found.payload.intent : '';
}

describe.each(rows)('$kind, $seen', (row) => {
  it('becomes what its row says', async () => {
    const parsed = await parseStructured(row.kind, row.answer, '');
    if (row.faults !== undefined) {
      expect(parsed.ok).toBe(false);
      for (const fault of row.faults) expect(parsed.ok ? '' : parsed.error).toContain(fault);
      return;
    }
    if (!parsed.ok) throw new Error(parsed.error);
    expect(parsed.mended ?? []).toEqual(row.mended);
    if (row.understood !== undefined) expect(understoodBy(row, parsed.value)).toBe(row.understood);
    if (row.evidence !== undefined) {
      const { verdicts } = AttemptVerdicts.parse(parsed.value);
      const cited = withOwnIds(verdicts, [{ callId: 'c1-t1' }, { callId: 'c1-t2' }]).flatMap((it) => it.evidence);
      expect(cited).toEqual(row.evidence);
    }
  });
});
