/**
 * What a life costs at each start: the built agent on a record with many entries and cases, first folded, then from the cache of the
 * start before. Beside it the same agent on an empty record.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAgent } from '@retainer/agent-pod/open-agent';
import type { NewRecord } from '@retainer/journal/journal';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { CaseWritten } from '@retainer/mind/parts/cases/cases';
import type { RunReflected, RunRemembered } from '@retainer/mind/parts/narrative/narrative';
import type { RecallCase } from '@retainer/mind/memory/recall/recall-case';
import { agentDefinition, scripted } from '../test/support/agents.ts';
import { oneStepRule } from '../test/support/runs.ts';
import { bySize } from './bench-size.ts';
import { fail, row } from './figures.ts';
import { startIdleAgent, type Start } from './start-idle-agent.ts';

const ENTRIES = bySize({ smoke: 5_000, full: 100_000 });
/** Records of one append. */
const BATCH = 1_000;
/** A run each, over some three years. */
const RUN_MS = 900_000;
const BEGAN_MS = Date.UTC(2024, 0, 1);

/** @param cases  those of the record, one for every tenth run */
export async function benchStarts(cases: readonly RecallCase[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
  try {
    const [empty, old] = [join(root, 'empty'), join(root, 'old')];
    await writeLife(old, cases);
    await startIdleAgent(empty);
    const base = await startIdleAgent(empty);
    const folded = await startIdleAgent(old);
    const cached = await startIdleAgent(old);
    tell('empty record', base, 'goal ≤ 108 MiB');
    tell(
      `${ENTRIES} entries, ${cases.length} cases, folded`,
      folded,
      `goal ≤ 1500 ms and ≤ 150 MiB above the empty one: ${(folded.readyMs - base.readyMs).toFixed(0)} ms, ${mib(folded.rssBytes - base.rssBytes)}`,
    );
    tell('the same from the cache', cached, `goal ≤ 500 ms above: ${(cached.readyMs - base.readyMs).toFixed(0)} ms`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function tell(name: string, { readyMs, rssBytes }: Start, goal: string): void {
  row(`start, ${name}`, `${readyMs.toFixed(0)} ms`, `${mib(rssBytes)} at rest; ${goal}`);
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}

async function writeLife(dataDirectory: string, cases: readonly RecallCase[]): Promise<void> {
  const model = await scripted(`version: 1\nrules:${oneStepRule}\n`);
  const opened = await openAgent({ definition: agentDefinition(), dataDirectory, model, secrets: [], onFault: fail });
  if (!opened.ok) throw new Error(opened.error.join('\n'));
  const { journal } = opened.value;
  for (let from = 0; from < ENTRIES; from += BATCH) {
    const runs = Array.from({ length: BATCH }, (_, at) => from + at);
    await journal.append(runs.map((at) => recordOf(at, 'RunRemembered', entryOf(at, cases))));
    await journal.append(runs.map((at) => recordOf(at, 'RunReflected', wordsOf(at, cases))));
    const learnt = runs.filter((at) => at % (ENTRIES / cases.length) === 0);
    await journal.append(learnt.map((at) => ({ ...recordOf(at, 'CaseWritten', caseOf(at, cases)), store: 'case' })));
  }
  await opened.value.close();
  // It was written past the projections, which do not know it.
  await rm(join(dataDirectory, 'cache'), { recursive: true });
}

type Payload = RunRemembered | RunReflected | CaseWritten;

function recordOf(at: number, kind: string, payload: Payload): NewRecord {
  const timeMs = BEGAN_MS + at * RUN_MS;
  return { store: 'narrative', kind, payload, principal: 'agent', runId: `run-${at}`, timeMs };
}

const label: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

function problemAt(at: number, cases: readonly RecallCase[]): RecallCase {
  const known = cases[at % cases.length];
  if (known === undefined) throw new Error('there are no cases');
  return known;
}

function entryOf(at: number, cases: readonly RecallCase[]): RunRemembered {
  const startedAtMs = BEGAN_MS + at * RUN_MS;
  return {
    task: { namespace: 'default', name: `task-${at}` },
    conversation: 'tasks',
    intent: problemAt(at, cases).intent,
    outcome: 'Accepted',
    tools: ['read_file', 'run_code'],
    tokens: 4_000,
    startedAtMs,
    endedAtMs: startedAtMs + 60_000,
    label,
  };
}

function wordsOf(at: number, cases: readonly RecallCase[]): RunReflected {
  const { intent, domain, keywords, entities } = problemAt(at, cases);
  return {
    prose: `It was asked: ${intent}. The figures came from the output of code, and the criteria were met.`,
    intent,
    domain,
    keywords: [...keywords],
    entities: [...entities],
    topics: [],
    status: 'Full',
    label,
    by: 'a-model',
  };
}

function caseOf(at: number, cases: readonly RecallCase[]): CaseWritten {
  const { intent, domain, keywords, entities } = problemAt(at, cases);
  return {
    caseId: `case-${at}`,
    category: 'Strategy',
    problem: { input: intent, intent, domain, entities: [...entities], keywords: [...keywords], complexity: 'Simple' },
    solution: { approach: 'Let code compute it.', agents: [], tools: ['run_code'], steps: ['run_code'] },
    outcome: { status: 'Success', confidence: 1, assessment: 'It was met.', pitfalls: [] },
    label,
  };
}
