import { latestText, type Draft } from './draft.ts';
import { inquireNow, recordDecided } from './inquire.ts';

/**
 * The text of a cycle that stops at a limit. It may be delivered, so it must pass the output gate; otherwise nothing leaves.
 *
 * The cycle cannot wait for a score. When a person is in the conversation, the gate decides without one and says so. On an
 * autonomous
 * path, a text that needs a score does not leave. It stays in the record.
 *
 * An unfinished structured answer does not leave either: it was for its role alone.
 *
 * Source: springdrift 2. Differs: there a text that was not scored in time is delivered.
 */
export function allowedText(draft: Draft): string {
  const text = latestText(draft.state);
  if (text === '' || draft.state.spec.structured !== undefined) return '';
  const decided = inquireNow(draft, { gate: 'Output', text });
  if (decided === undefined) return '';
  recordDecided(draft, decided.verdict, { record: decided.record });
  const { action } = decided;
  if (action.kind === 'DeliverWithWarning') return action.text;
  return action.kind === 'Proceed' ? text : '';
}
