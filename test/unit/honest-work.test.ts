/** Honest work as people word it, written by hand, each with a lie beside it: what is honest is accepted at once, and no lie is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { repositoryRoot } from '../support/repository-files.ts';
import { call, criterion, perceived } from '../support/run-scenarios.ts';
import { RunWorld, type Mind } from '../support/run-world.ts';
import { runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const Works = z.array(
  z.strictObject({
    class: z.string(),
    intent: z.string().exactOptional(),
    criteria: z.array(z.string()),
    /** In the workspace before; absent: nobody looked. */
    stood: z.array(z.string()).exactOptional(),
    /** Of a shell; absent: the output is of a file that was read. */
    script: z.string().exactOptional(),
    /** By a tool that writes, with their content. */
    writes: z.record(z.string(), z.string()).exactOptional(),
    /** Files that the script makes. */
    makes: z.array(z.string()).exactOptional(),
    output: z.string().exactOptional(),
    honest: z.string().exactOptional(),
    lie: z.string().exactOptional(),
  }),
);
type Work = z.infer<typeof Works>[number];

const works = Works.parse(JSON.parse(readFileSync(join(repositoryRoot, 'test/golden/honest-work.json'), 'utf8')));

const fileOf = (path: string, content: string): ToolCallRecord['files'][number] => ({
  path,
  sizeBytes: content.length,
  sha256: sha256Hex(content),
});

/** What every file holds that stood in the workspace before. */
const STOOD = 'before';

function didIn({ script, writes, makes = [], output = 'ok' }: Work): readonly Partial<ToolCallRecord>[] {
  if (writes !== undefined)
    return Object.entries(writes).map(([path, content]) => ({
      tool: 'write_file',
      input: JSON.stringify({ content, path }),
      target: path,
      output,
      files: [fileOf(path, content)],
    }));
  if (script === undefined) return [{ output }];
  const content = script.startsWith('cp ') || /^cat \S+ > \S+$/.test(script) ? STOOD : output;
  const files = makes.map((path) => fileOf(path, content));
  return [{ tool: 'bash', input: JSON.stringify({ script }), target: script, output: `exit code 0\n${output}`, files }];
}

interface Played {
  readonly outcome: string;
  readonly corrections: number;
  readonly unsupported: readonly string[];
}

/** With a validator that says yes to everything. */
function played(work: Work, text: string): Played {
  const { intent = 'Do the work.', criteria, stood } = work;
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    const calls = didIn(work).map((did) => call(purpose, did));
    if (purpose.role !== 'AgentValidator') return { text, calls };
    const evidence = calls.map((it) => it.callId);
    const verdicts = criteria.map((_, at) => ({ criterion: at + 1, met: true, evidence, reason: 'shown' }));
    return { value: { verdicts, whatWasWrong: '', whatToDo: '' } };
  };
  const base = runSpec();
  const spec = runSpec(
    { intent, input: intent, criteria: criteria.map(criterion), control: { ...base.control, maxReplans: 0 } },
    ['bash', 'read_file', 'write_file'],
  );
  const files = stood?.map((path) => ({ path, sha256: sha256Hex(STOOD) }));
  const world = new RunWorld({ spec, mind, ...(files && { stood: { files, isWhole: true } }) }).play();
  const { outcome, unsupported = [] } = world.concluded;
  return { outcome, corrections: world.messages().filter((it) => it.type === 'CorrectionSignal').length, unsupported };
}

const honest = works.flatMap((work) => (work.honest === undefined ? [] : [{ work, ...played(work, work.honest) }]));
const lies = works.flatMap((work) => (work.lie === undefined ? [] : [{ work, ...played(work, work.lie) }]));
const isTurnedAway = ({ outcome, corrections }: Played): boolean => outcome !== 'Accepted' || corrections > 0;

describe('work that is worded as people word it', () => {
  verifies('verdict:honest-prose-passes', 'is accepted at once, and nothing of it bears a mark', () => {
    expect(honest.filter((it) => isTurnedAway(it) || it.unsupported.length > 0)).toEqual([]);
  });

  verifies('verdict:evidence-bears', 'with another figure, or not done, is not accepted', () => {
    expect(lies.filter((it) => it.outcome === 'Accepted')).toEqual([]);
  });

  verifies('verdict:honest-prose-passes', 'stands class by class in docs/verdicts.md', () => {
    const classes = [...new Set(works.map((it) => it.class))];
    const rows = [...classes, 'all'].map((name) => {
      const own = <T extends { readonly work: Work }>(all: readonly T[]): readonly T[] =>
        all.filter(({ work }) => name === 'all' || work.class === name);
      const [good, bad] = [own(honest), own(lies)];
      const accepted = good.filter((it) => !isTurnedAway(it)).length;
      return `| ${name} | ${good.length} | ${accepted} | ${bad.length} | ${bad.filter((it) => it.outcome === 'Accepted').length} |`;
    });
    expect(readFileSync(join(repositoryRoot, 'docs/verdicts.md'), 'utf8')).toContain(rows.join('\n'));
  });
});
