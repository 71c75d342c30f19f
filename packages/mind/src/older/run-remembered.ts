import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';
import { unknownLabel } from './unknown-label.ts';

/** Version 1 held words. They stand beside the entry as they were. */
export function runRememberedFrom1(older: Json): Json {
  return changed(older, ({ summary = '', unmet = [], reasons = [], ...entry }) => ({
    ...entry,
    words: { summary, unmet, reasons },
  }));
}

/** Version 2 may have no label. */
export function runRememberedFrom2(older: Json): Json {
  return changed(older, (fields) => ({ label: unknownLabel('Memory'), ...fields }));
}

/** Until version 3, every run was of the one conversation. */
export function runRememberedFrom3(older: Json): Json {
  return changed(older, (fields) => ({ conversation: 'tasks', ...fields }));
}
