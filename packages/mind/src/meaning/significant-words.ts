/** The words of a text that carry its subject, in letters and digits of any script. Source: artoo A.11. */
import { wordsOf } from './words.ts';

/** English words that carry no subject. Those of other languages stay: they make a slug less precise, never wrong. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its i me my we us our you your he she they them their is are was were be been ' +
    'do does did can could would should will shall may might must have has had of to in on at by for from with into ' +
    'onto about as and or but if then so please just also all any some what which who whom whose how when where why ' +
    'there here not no'
  ).split(' '),
);

/** In lower case and in order; all words if none is significant. */
export function significantWords(text: string): readonly string[] {
  const words = wordsOf(text);
  const significant = words.filter((word) => !FUNCTION_WORDS.has(word));
  return significant.length > 0 ? significant : words;
}
