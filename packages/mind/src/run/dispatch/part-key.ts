/** The name of a part of the task: what a subtask has to show, whatever its plan. Source: design 5 */
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { oneLine } from '../../request/lines.ts';

/** Texts that stand for a part: its required criteria; where it has none, all of them, and without any the intent. */
export function partTexts({
  criteria,
  intent,
}: {
  readonly criteria: readonly BusCriterion[];
  readonly intent: string;
}): readonly string[] {
  const required = criteria.filter((it) => it.required);
  const texts = (required.length > 0 ? required : criteria).map((it) => it.text);
  return texts.length > 0 ? texts : [intent];
}

/** Equal for subtasks that have to show the same, in whatever order and spelling. */
export function partKey(texts: readonly string[]): string {
  return [...new Set(texts.map(sameText))].toSorted().join('\n');
}

/** One spelling for all variants of a text of models or people: capitals, blanks and forms of letters do not count. */
export function sameText(text: string): string {
  return oneLine(text.normalize('NFKC')).toLowerCase();
}
