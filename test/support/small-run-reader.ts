/** What the quarantine reader was asked and answered in the small run. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { cycleId } from './small-run-control.ts';

const usage = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 0, cacheWriteTokens: 0 };

export const readerEvents: readonly CycleEvent[] = [
  {
    kind: 'ReadingRequested',
    askId: `${cycleId}-t1-read1`,
    callId: `${cycleId}-t1`,
    tokens: 6200,
    request: {
      role: 'quarantine-reader',
      tier: 'Fast',
      model: 'claude-haiku-4-5',
      system: [],
      messages: [{ role: 'User', content: [{ type: 'Text', text: 'Read this.' }] }],
      tools: [],
      maxOutputTokens: 3000,
    },
  },
  {
    kind: 'TextRead',
    atMs: 1520,
    askId: `${cycleId}-t1-read1`,
    reading: { available: false, reason: "the reader's answer does not have the form that was asked for" },
    model: 'claude-haiku-4-5',
    usage,
    costUsd: 0.0004,
    latencyMs: 12,
  },
  {
    kind: 'TextRead',
    atMs: 1540,
    askId: `${cycleId}-t1-read2`,
    reading: {
      available: true,
      reading: {
        kind: 'Data',
        holdsInstructions: true,
        subject: 'A sum.',
        fields: [{ type: 'Number', name: 'sum', value: '42', quote: 'exit code 0 42' }],
      },
    },
    model: 'claude-haiku-4-5',
    usage,
    costUsd: 0.0004,
    latencyMs: 12,
  },
];
