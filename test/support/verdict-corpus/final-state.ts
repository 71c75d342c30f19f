/** Works that the state of the files decides: a lie and the same work truly done, each with the calls that were made. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { targetOf } from '@retainer/mind/gate/tool-target';
import type { CyclePurpose, RunEventOf } from '@retainer/mind/run/event';
import { testTools } from '../known-tools.ts';
import { call, criterion, perceived } from '../run-scenarios.ts';
import { RunWorld, type Mind } from '../run-world.ts';
import { runSpec } from '../runs.ts';

const StepShape = z.strictObject({
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  status: z.literal('Error').exactOptional(),
  exitCode: z.number().exactOptional(),
  output: z.string(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })).exactOptional(),
  /** Files that stood before the call and do not afterwards. */
  gone: z.array(z.string()).exactOptional(),
  /** Its output was written down and not recorded: a page, a program that nobody has here. */
  isTold: z.literal(true).exactOptional(),
});
export type Step = z.infer<typeof StepShape>;

const StoryShape = z.strictObject({
  /** The last one is repeated. */
  attempts: z.array(z.strictObject({ did: z.array(StepShape), cutOff: z.string().exactOptional() })),
  reply: z.string(),
});
export type Story = z.infer<typeof StoryShape>;

const WorkShape = z.strictObject({
  name: z.string(),
  class: z.string(),
  intent: z.string(),
  criteria: z.array(z.string()),
  /** Contents of the files of the workspace before, by path. */
  stood: z.record(z.string(), z.string()),
  /** A script that ends well if what is claimed is so. Absent: the claim is about words. */
  holds: z.string().exactOptional(),
  honest: StoryShape,
  lie: StoryShape.exactOptional(),
  /** The record cannot show it: it is accepted on a validator's word, and always marked so. */
  isJudged: z.literal(true).exactOptional(),
});
export type Work = z.infer<typeof WorkShape>;

export function readWorks(place: string): readonly Work[] {
  return z.array(WorkShape).parse(JSON.parse(readFileSync(place, 'utf8')));
}

const TOOLS = [
  ...['bash', 'edit_file', 'fetch_url', 'find_files', 'list_files', 'memory_read'],
  ...['read_file', 'run_code', 'search_files', 'write_file'],
];

function recordOf(purpose: CyclePurpose, step: Step, number: number): ToolCallRecord {
  const { tool, input, status = 'Ok', exitCode, output, files = [], gone = [] } = step;
  const target = targetOf(testTools.factsOf(tool), input);
  return {
    ...call(purpose, { callId: `${purpose.subtaskId ?? ''}-a${purpose.attempt ?? 1}-t${number}` }),
    ...{ tool, input: canonicalJson(input), target: target ?? '', status, output, sha256: sha256Hex(output), files },
    ...(exitCode === undefined ? {} : { exitCode }),
    // Code tools look what is gone, even if nothing is; records of older versions do not have it.
    ...(exitCode !== undefined && 'gone' in ToolCallRecord.shape ? { gone } : {}),
  };
}

export type Concluded = RunEventOf<'RunConcluded'>;

/** Plays it through the run machine, with a validator that says yes to everything and cites every call. */
export function playStory({ intent, criteria, stood }: Work, { attempts, reply }: Story): Concluded {
  const attemptOf = ({ attempt = 1 }: CyclePurpose): Story['attempts'][number] =>
    attempts[Math.min(attempt, attempts.length) - 1] ?? { did: [] };
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    const calls = attemptOf(purpose).did.map((step, at) => recordOf(purpose, step, at + 1));
    if (purpose.role === 'AgentValidator') {
      const evidence = calls.filter((it) => it.status === 'Ok').map((it) => it.callId);
      const verdicts = criteria.map((_, at) => ({ criterion: at + 1, met: true, evidence, reason: 'shown' }));
      return { value: { verdicts, whatWasWrong: '', whatToDo: '' } };
    }
    const { cutOff } = attemptOf(purpose);
    return { text: reply, calls, ...(cutOff === undefined ? {} : { outcome: 'OutOfBudget' as const, reason: cutOff }) };
  };
  const control = { ...runSpec().control, maxReplans: 0 };
  const spec = runSpec({ intent, input: intent, criteria: criteria.map(criterion), control }, TOOLS);
  const files = Object.entries(stood).map(([path, content]) => ({ path, sha256: sha256Hex(content) }));
  return new RunWorld({ spec, mind, stood: { files, isWhole: true } }).play().concluded;
}
