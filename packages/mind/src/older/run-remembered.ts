import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';

/** Version 1 held words. They stand beside the entry as they were. */
export function runRememberedFrom1(older: Json): Json {
  return changed(older, ({ summary = '', unmet = [], reasons = [], ...entry }) => ({
    ...entry,
    words: { summary, unmet, reasons },
  }));
}
