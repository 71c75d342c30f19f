/** An approval is for exactly what was shown: one call, on what stood there, and nothing after it. */
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { CycleInput } from '@retainer/mind/cycle/event';
import { readSoFar } from '@retainer/mind/cycle/read-texts';
import { toolCallRecords } from '@retainer/mind/run/verdict/tool-calls';
import { standingFields, type NamedFiles } from '@retainer/mind/gate/standing';
import type { Json } from '@retainer/contract/std/canonical-json';
import { createRegistry, knownTools } from '../../agent-pod/src/parts/catalog.ts';
import { describe, expect } from 'vitest';
import { characterSpec } from '../support/agents.ts';
import { CycleUnderTest } from '../support/cycles.ts';
import { verifies } from '../verifies.ts';

const registry = createRegistry({ sandboxLanguages: ['bash'] });
const gate = compileGate(characterSpec().spec, 'c'.repeat(64), knownTools);
if (!gate.ok) throw new Error(gate.error.join('; '));

const OLD = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);

type Answered = Extract<CycleInput, { kind: 'ModelAnswered' }>;

/** An autonomous cycle whose Task names no file; `keep.txt` stands in the workspace. */
class Writing {
  readonly cycle: CycleUnderTest;
  /** What stands at every path. */
  standing: string | undefined = OLD;
  /** Files that programs name. */
  named?: NamedFiles;
  #uses = 0;

  constructor(approvalMode: 'ByPolicy' | 'EveryEffect' = 'ByPolicy') {
    const tools = ['write_file', 'bash', 'request_approval'];
    const config = { gate: gate.ok ? gate.value : (undefined as never), catalog: registry };
    this.cycle = new CycleUnderTest({ tools, asked: 'Tidy up.', approvalMode }, { config });
  }

  calls(tool: string, input: Json): void {
    this.#uses += 1;
    const use = `use-${this.#uses}`;
    const looked =
      this.standing === undefined || (tool === 'bash' && this.named === undefined) ? {} : this.#looked(use, tool);
    this.cycle.when({
      kind: 'ModelAnswered',
      atMs: this.cycle.tick(),
      callId: this.cycle.now.pendingModelCall ?? 'none',
      answer: {
        content: [{ type: 'ToolUse', id: use, name: tool, input }],
        stop: 'ToolUse',
        usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
        model: 'm',
        latencyMs: 1,
        attempts: 1,
      } as Answered['answer'],
      costUsd: 0,
      ...looked,
    });
  }

  #looked(use: string, tool: string): Pick<Answered, 'replacements' | 'standing'> {
    const { named } = this;
    const standing = [{ use, sha256: this.standing ?? '', ...(named === undefined ? {} : { named }) }];
    return tool === 'request_approval' || named !== undefined ? { standing } : { replacements: [use], standing };
  }

  decides(decision: 'Approve' | 'Deny' = 'Approve'): void {
    const [asked] = this.cycle.now.pendingApprovals;
    if (asked === undefined) throw new Error('nobody is asked');
    this.cycle.when({
      kind: 'ApprovalDecided',
      atMs: this.cycle.tick(),
      requestId: asked.requestId,
      argumentsDigest: asked.argumentsDigest,
      decision,
      by: 'ann',
      reason: 'read it',
      ...(this.standing === undefined
        ? {}
        : standingFields({ standing: this.standing, ...(this.named === undefined ? {} : { named: this.named }) })),
    });
  }

  runs(path: string): void {
    const [callId = ''] = this.cycle.now.pendingTools;
    const files = [{ path, sizeBytes: 1, sha256: OTHER }];
    const outcome = { status: 'Ok', text: 'done', outputBytes: 4, outputSha256: OTHER, files, durationMs: 1 } as const;
    this.cycle.when({ kind: 'ToolFinished', atMs: this.cycle.tick(), callId, outcome });
    this.standing = OTHER;
  }

  get asked(): readonly string[] {
    return this.cycle.events.flatMap((it) => (it.kind === 'ApprovalRequested' ? [it.requestId] : []));
  }

  get ran(): number {
    return this.cycle.events.filter((it) => it.kind === 'ToolRequested').length;
  }
}

const keep = (content: string): Json => ({ path: 'keep.txt', content });

describe('after an approved write of an existing file', () => {
  verifies('approvals:one-write', 'the same run asks before it writes there once more', () => {
    const writing = new Writing();
    writing.calls('write_file', keep('one'));
    writing.decides();
    writing.runs('keep.txt');
    writing.calls('write_file', keep('two'));
    expect(writing.ran).toBe(1);
    expect(writing.asked).toHaveLength(2);
    const { written } = readSoFar(writing.cycle.now, knownTools);
    expect(written).toEqual([]);
    expect(toolCallRecords(writing.cycle.now.calls, knownTools)).toMatchObject([{ replacedByLeave: true }]);
  });

  verifies('approvals:one-write', 'a file that an approved call made anew is the run’s own', () => {
    const writing = new Writing();
    writing.standing = undefined;
    const input = keep('one');
    writing.calls('request_approval', { tool: 'write_file', input, reason: 'first' });
    writing.decides();
    writing.calls('write_file', input);
    writing.runs('keep.txt');
    expect(readSoFar(writing.cycle.now, knownTools).written).toEqual(['keep.txt']);
    expect(toolCallRecords(writing.cycle.now.calls, knownTools).at(-1)).not.toHaveProperty('replacedByLeave');
  });

  verifies('approvals:one-write', 'of an approved program, no file is the run’s own', () => {
    const writing = new Writing();
    // A program's arguments name no file, so nothing is looked up.
    writing.standing = undefined;
    const input = { script: 'sed -i s/a/b/ keep.txt' };
    writing.calls('request_approval', { tool: 'bash', input, reason: 'first' });
    writing.decides();
    writing.calls('bash', input);
    writing.runs('keep.txt');
    expect(readSoFar(writing.cycle.now, knownTools).written).toEqual([]);
  });
});

describe('what stands where a call writes', () => {
  verifies('approvals:what-stands-there', 'is in the question, and a change until the yes is asked about again', () => {
    const writing = new Writing();
    writing.calls('write_file', keep('one'));
    expect(writing.cycle.now.pendingApprovals).toMatchObject([{ requestId: 'r-c1-t1-a', standing: OLD }]);
    writing.standing = OTHER;
    writing.decides();
    expect(writing.ran).toBe(0);
    expect(writing.cycle.now.pendingApprovals).toMatchObject([{ requestId: 'r-c1-t1-a2', standing: OTHER }]);
    expect(writing.cycle.events.at(-1)).toMatchObject({ reason: expect.stringContaining('has changed since') });
    writing.decides();
    expect(writing.cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', approvalId: 'r-c1-t1-a2' });
  });

  verifies('approvals:what-stands-there', 'is asked about again when the file came to be, or is gone', () => {
    for (const [before, after] of [
      [undefined, OLD],
      [OLD, undefined],
    ]) {
      const writing = new Writing();
      writing.standing = before;
      const input = keep('one');
      writing.calls('request_approval', { tool: 'write_file', input, reason: 'first' });
      writing.decides();
      writing.standing = after;
      writing.calls('write_file', input);
      // Nothing stands there, so nothing needs leave.
      expect(writing.ran).toBe(after === undefined ? 1 : 0);
      expect(writing.asked).toHaveLength(after === undefined ? 1 : 2);
    }
  });

  verifies('approvals:named-files', 'is asked about again when a file changed that a program names', () => {
    const namedBy = (sha256: string): NamedFiles => ({ shown: [{ path: 'tools/deploy.sh', sha256 }] });
    const writing = new Writing('EveryEffect');
    writing.named = namedBy(OLD);
    writing.calls('bash', { script: 'sh tools/deploy.sh' });
    expect(writing.cycle.now.pendingApprovals).toMatchObject([{ standing: OLD, named: namedBy(OLD) }]);
    writing.standing = OTHER;
    writing.named = namedBy(OTHER);
    writing.decides();
    expect(writing.ran).toBe(0);
    expect(writing.cycle.now.pendingApprovals).toMatchObject([
      { requestId: 'r-c1-t1-a2', standing: OTHER, named: namedBy(OTHER) },
    ]);
    writing.decides();
    expect(writing.cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', approvalId: 'r-c1-t1-a2' });
    // It names the file, and replaces nothing by its arguments.
    expect(writing.cycle.now.openCalls).not.toMatchObject([{ replaces: true }]);
  });

  verifies('approvals:what-stands-there', 'a denial holds whatever stands there', () => {
    const writing = new Writing();
    writing.calls('write_file', keep('one'));
    writing.standing = OTHER;
    writing.decides('Deny');
    expect(writing.ran).toBe(0);
    expect(writing.asked).toHaveLength(1);
  });
});
