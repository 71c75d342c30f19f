/** Plays a case through the run machine, with a validator that says yes to everything. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { CyclePurpose, RunEventOf } from '@retainer/mind/run/event';
import { call, criterion, perceived } from '../run-scenarios.ts';
import { RunWorld, type Mind } from '../run-world.ts';
import { runSpec } from '../runs.ts';
import type { Attempt, Case } from './lies.ts';

export function playCase({ intent, criteria, stood, attempts, cites, reply }: Case): RunEventOf<'RunConcluded'> {
  const attemptOf = ({ attempt = 1 }: CyclePurpose): Attempt =>
    attempts[Math.min(attempt, attempts.length) - 1] ?? { did: [] };
  const callsOf = (purpose: CyclePurpose): ToolCallRecord[] =>
    attemptOf(purpose).did.map((did, at) =>
      call(purpose, { callId: `${purpose.subtaskId ?? ''}-a${purpose.attempt ?? 1}-t${at + 1}`, ...did }),
    );
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    const calls = callsOf(purpose);
    if (purpose.role === 'AgentValidator') {
      const evidence = [...(cites ?? calls.map((it) => it.callId))];
      const verdicts = criteria.map((_, at) => ({ criterion: at + 1, met: true, evidence, reason: 'shown' }));
      return { value: { verdicts, whatWasWrong: '', whatToDo: '' } };
    }
    const { cutOff } = attemptOf(purpose);
    return { text: reply, calls, ...(cutOff === undefined ? {} : { outcome: 'OutOfBudget' as const, reason: cutOff }) };
  };
  const base = runSpec();
  const spec = runSpec(
    { intent, input: intent, criteria: criteria.map(criterion), control: { ...base.control, maxReplans: 0 } },
    ['bash', 'fetch_url', 'list_files', 'memory_read', 'read_file', 'run_code', 'write_file'],
  );
  const files = stood.map((path) => ({ path, sha256: sha256Hex('before') }));
  return new RunWorld({ spec, mind, stood: { files, isWhole: true } }).play().concluded;
}
