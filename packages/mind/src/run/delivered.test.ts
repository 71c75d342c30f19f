import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { describe, expect } from 'vitest';
import { criterion, judged, perceived, scenarios, worked } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { Label } from '../gate/provenance/label.ts';
import type { RunEventOf, RunSpec } from './event.ts';

const KEY = 'kz81mQ0vbT4w1Lx93hRd22aa';
const BASE32 = 'NN5DQMLNKEYHMYSUGR3TCTDYHEZWQUTEGIZGCYI';
const LINK = 'https://docs.example/a/b';
const web: Label = { source: { kind: 'Web', name: 'docs.example' }, trust: 'Untrusted', readers: 'Everyone' };
const task: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

interface Said {
  readonly label: Label;
  readonly reply: string;
  readonly call?: Partial<ToolCallRecord>;
  readonly reason?: string;
  readonly spec?: Partial<RunSpec>;
}

/** A run of one step, judged as not done where there is a reason. */
function resultOf({ label, reply, call, reason, spec = {} }: Said): RunEventOf<'RunConcluded'> {
  const base = runSpec({ criteria: [criterion('The work is done')], ...spec }, ['read_file']);
  const plain = scenarios[0]?.mind ?? (() => undefined);
  const world = new RunWorld({
    spec: { ...base, control: { ...base.control, maxReplans: 0 } },
    mind: (purpose, cycle) => {
      if (purpose.role === 'Perceiver') return { ...perceived('SingleStep'), label: task };
      const said = thought(plain(purpose, cycle), label);
      if (purpose.role === 'Executor') return { ...said, ...worked(purpose, call), text: reply };
      if (purpose.role === 'AgentValidator' && reason !== undefined)
        return {
          ...said,
          value: JSON.parse(JSON.stringify(judged(purpose, false).value).replaceAll('the file is not there', reason)),
        };
      return said;
    },
  });
  return world.play().concluded;
}

function thought(thinking: Thinking | undefined, label: Label): Thinking {
  return { ...thinking, label };
}

const PAGE = { output: `rows: 3, see ${LINK}, https://task.example/x` };
const FILE = { input: '{"path":"private/keys.txt"}', target: 'private/keys.txt', output: `key: ${KEY}` };

describe('the result of a run', () => {
  verifies(
    'provenance:delivered-like-replies',
    'holds no key in a reason, a gap or a claim that quotes a reply',
    () => {
      const result = resultOf({ label: web, reply: 'I looked.', call: FILE, reason: `it only says ${BASE32}` });
      const { gated, ...told } = result;
      expect(JSON.stringify(told)).not.toContain(BASE32);
      expect(told.summary + told.reasons.join('')).toContain('flow/key-in-reply');
      expect(gated?.withheld).toContain('reasons');
    },
  );

  verifies('provenance:delivered-like-replies', 'holds no key in the name of a file that a model chose', () => {
    const files = [
      { path: `out/${BASE32}.txt`, sizeBytes: 1, sha256: 'a'.repeat(64) },
      { path: 'out/a.txt', sizeBytes: 1, sha256: 'b'.repeat(64) },
    ];
    const result = resultOf({ label: web, reply: 'I looked.', call: { ...FILE, files } });
    expect(JSON.stringify(result)).not.toContain(BASE32);
    expect(result.files.map(({ path }) => path)).toEqual([expect.stringContaining('flow/key-in-reply'), 'out/a.txt']);
    expect(result.gated).toEqual({ inert: 0, withheld: ['files'] });
  });

  verifies('provenance:delivered-like-replies', 'holds the key of a file that the Task names', () => {
    const spec = { intent: 'Say private/keys.txt.' };
    const result = resultOf({ label: web, reply: 'I looked.', call: FILE, reason: `it only says ${BASE32}`, spec });
    expect(JSON.stringify(result)).toContain(BASE32);
  });

  verifies(
    'readers:replies',
    'tells a correspondent nothing that may not be read, in any field, and the owner all',
    () => {
      const call = { ...FILE, unreadable: true as const, output: 'order: kx7Qd92mVbT4w1' };
      const reason = 'it only says kx7Qd92mVbT4w1';
      const spec = { intent: 'Say what stands in private/keys.txt.', principal: 'mail:ann@a.example' };
      const { gated, ...told } = resultOf({ label: task, reply: 'I looked.', call, reason, spec });
      expect(JSON.stringify(told)).not.toContain('kx7Qd92mVbT4w1');
      expect(told.summary + told.reasons.join('')).toContain('flow/readers');
      expect(gated?.withheld).toContain('reasons');
      const own = resultOf({ label: task, reply: 'I looked.', call, reason, spec: { intent: spec.intent } });
      expect(JSON.stringify(own)).toContain('kx7Qd92mVbT4w1');
    },
  );

  verifies('provenance:reply-addresses-inert', 'makes no link of what an untrusted text brought', () => {
    const { summary, gated } = resultOf({
      label: web,
      reply: `![x](${LINK}) and https://task.example/x.`,
      call: PAGE,
      spec: { addresses: ['https://task.example/x'] },
    });
    expect(summary).toContain('[x] (`https[:]//docs[.]example/a/b`) and https://task.example/x.');
    expect(summary).toContain('take the brackets from');
    expect(gated).toEqual({ inert: 1, withheld: [] });
  });

  verifies('provenance:reply-addresses-inert', 'keeps the links of a run that read nothing untrusted', () => {
    const { summary, gated } = resultOf({ label: task, reply: `See ${LINK}.`, call: PAGE });
    expect(summary).toContain(`See ${LINK}.`);
    expect(gated).toBeUndefined();
  });
});
