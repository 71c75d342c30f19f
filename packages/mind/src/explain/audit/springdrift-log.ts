/**
 * Logs of the system that the paper describes, read as far as an audit counts them: its cycle log and its narrative, one JSON object
 * on each line.
 *
 * A line that is no such object is malformed. One of another type is counted by its type and says nothing else.
 *
 * Source: springdrift 4 (entries of the narrative, types of the cycle log), 14 (where they lie).
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import {
  addSizes,
  changeDay,
  plusOne,
  withPaid,
  withVerdict,
  type Change,
  type DaySummary,
  type Days,
  type Tally,
} from './day-summary.ts';

/** Folders of the logs; a file holds one day. */
export const SPRINGDRIFT_LOGS = ['cycle-log', 'narrative'] as const;
export type SpringdriftLog = (typeof SPRINGDRIFT_LOGS)[number];

/** Local time without a zone, as that system writes it. */
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
const lineHead = z.object({ cycle_id: z.string().min(1), timestamp, type: z.string().min(1) });

const tokens = z.number().nonnegative();
const details = {
  llm_response: z.object({ input_tokens: tokens, output_tokens: tokens }),
  tool_result: z.object({ success: z.boolean() }),
  dprime_layer: z.object({ layer: z.string(), decision: z.string() }),
  dprime_evaluation: z.object({ decision: z.string() }),
} as const;

/** The part of an entry that is counted, or taken over. Unknown members are left alone. */
export const NarrativeEntry = z.object({
  cycle_id: z.string().min(1),
  timestamp,
  summary: z.string().default(''),
  intent: z.object({ description: z.string().default(''), domain: z.string().default('') }).prefault({}),
  outcome: z.object({ status: z.string(), assessment: z.string().default('') }),
  keywords: z.array(z.string()).default([]),
  topics: z.array(z.string()).default([]),
  metrics: z.object({ input_tokens: tokens.default(0), output_tokens: tokens.default(0) }).prefault({}),
});
export type NarrativeEntry = z.infer<typeof NarrativeEntry>;

/** The name that its calls of tools have among the gates: its log names a layer for texts only. */
const TOOL_GATE = 'tool';

export class SpringdriftSummary {
  readonly days: Days = new Map();
  /** Ids of cycles that were seen: each counts on the day of its first line. */
  readonly #cycles = new Set<string>();
  /** Lines of the cycle log, by type. */
  lines: Tally = {};

  /** @returns why the line is malformed, in a few words; undefined: it was taken */
  take(log: SpringdriftLog, line: string): string | undefined {
    const value = parsed(line);
    if (!value.ok) return value.error;
    return log === 'narrative' ? this.#takeEntry(value.value) : this.#takeLine(value.value);
  }

  /** A file holds the day that it is named after. */
  grew(log: SpringdriftLog, day: string, sizeBytes: number): void {
    addSizes(this.days, [{ store: log, day, sizeBytes }]);
  }

  #takeEntry(value: unknown): string | undefined {
    const entry = NarrativeEntry.safeParse(value);
    if (!entry.success) return faultOf(entry.error);
    const { status } = entry.data.outcome;
    changeDay(this.days, dayOf(entry.data), (day) => ({
      ...day,
      runs: { count: day.runs.count + 1, outcomes: plusOne(day.runs.outcomes, status) },
    }));
    return undefined;
  }

  #takeLine(value: unknown): string | undefined {
    const head = lineHead.safeParse(value);
    if (!head.success) return faultOf(head.error);
    const change = changeOf(head.data.type, value);
    if (!change.ok) return change.error;
    const { cycle_id: cycleId, type } = head.data;
    const isNew = !this.#cycles.has(cycleId);
    this.#cycles.add(cycleId);
    this.lines = plusOne(this.lines, type);
    changeDay(this.days, dayOf(head.data), (day) => change.value(isNew ? withCycle(day) : day));
    return undefined;
  }
}

function parsed(line: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(line));
  } catch {
    return err('it is no JSON');
  }
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}`;
}

function dayOf(line: { readonly timestamp: string }): string {
  return line.timestamp.slice(0, 10);
}

function withCycle(day: DaySummary): DaySummary {
  return { ...day, cycles: { ...day.cycles, count: day.cycles.count + 1 } };
}

function changeOf(type: string, value: unknown): Result<Change, string> {
  switch (type) {
    case 'llm_response':
      return detailed(details.llm_response, value, ({ input_tokens, output_tokens }, day) => {
        const cached = { cacheReadTokens: 0, cacheWriteTokens: 0 };
        const usage = { inputTokens: input_tokens, outputTokens: output_tokens, ...cached };
        return withPaid(day, { calls: 1, usage, costUsd: undefined });
      });
    case 'tool_call':
      return ok((day) => ({ ...day, calls: { ...day.calls, count: day.calls.count + 1 } }));
    case 'tool_result':
      return detailed(details.tool_result, value, ({ success }, { calls, ...day }) => ({
        ...day,
        calls: {
          ...calls,
          outcomes: plusOne(calls.outcomes, success ? 'Ok' : 'Error'),
          failed: calls.failed + (success ? 0 : 1),
        },
      }));
    case 'dprime_layer':
      return detailed(details.dprime_layer, value, ({ layer, decision }, day) => withVerdict(day, layer, decision));
    case 'dprime_evaluation':
      return detailed(details.dprime_evaluation, value, ({ decision }, day) => withVerdict(day, TOOL_GATE, decision));
    default:
      return ok((day) => day);
  }
}

function detailed<Detail>(
  schema: z.ZodType<Detail>,
  value: unknown,
  change: (detail: Detail, day: DaySummary) => DaySummary,
): Result<Change, string> {
  const detail = schema.safeParse(value);
  return detail.success ? ok((day) => change(detail.data, day)) : err(faultOf(detail.error));
}
