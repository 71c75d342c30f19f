/** The runtime's own questions to models: those of the gates and of the quarantine reader. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { askReader } from './ask-reader.ts';
import { askProbes, askScore, type AskOptions, type AskParts } from './gate-asks.ts';

/** The intent; the answer is recorded under the same `askId`. */
export type Question = Extract<CycleEvent, { kind: 'GateProbeRequested' | 'GateScoreRequested' | 'ReadingRequested' }>;
type Answer = Extract<CycleEvent, { kind: 'GateProbed' | 'GateScored' | 'TextRead' }>;

const kinds: ReadonlySet<CycleEvent['kind']> = new Set<Question['kind']>([
  'GateProbeRequested',
  'GateScoreRequested',
  'ReadingRequested',
]);

export function isQuestion(event: CycleEvent): event is Question {
  return kinds.has(event.kind);
}

export function answerTo(event: Question, parts: AskParts, options: AskOptions): Promise<Answer> {
  switch (event.kind) {
    case 'GateProbeRequested':
      return askProbes(parts, event, options);
    case 'GateScoreRequested':
      return askScore(parts, event, options);
    case 'ReadingRequested':
      return askReader(parts, event, options);
  }
}
