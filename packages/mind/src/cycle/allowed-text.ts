import { latestText, type Draft } from './draft.ts';
import { inquireNow, recordDecided } from './inquire.ts';

/**
 * What there is when a cycle stops at a limit: it may be delivered, so it passes the output gate, or nothing does.
 *
 * No score can be waited for there. Where a person is in the conversation, the gate decides without one and says so; on an
 * autonomous path a text that would have to be scored does not leave. It stays in the record.
 *
 * A structured answer that is not finished is nobody's to read: it was for its role alone.
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
