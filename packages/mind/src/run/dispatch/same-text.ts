/** Whether two texts of models or people say the same. */
import { oneLine } from '../../request/lines.ts';

/** One spelling for all variants: capitals, blanks and forms of letters do not count. */
export function sameText(text: string): string {
  return oneLine(text.normalize('NFKC')).toLowerCase();
}
