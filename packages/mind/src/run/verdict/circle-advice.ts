/** What a worker is told that repeated itself until this ended its work: what came back, and what there is to try instead. */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { oneLine } from '../../request/lines.ts';

/** Characters of the arguments: as many as the list of earlier calls shows of each. */
const ARGUMENTS_CHARACTERS = 400;

/** Most tools that are named: more are no advice. */
const TOOLS_MAX = 8;

/**
 * @param calls  of the attempt, the last one being the repetition
 * @param otherTools  that the worker has, and did not use
 * @returns undefined when there was no call
 */
export function circleAdvice(
  calls: readonly ToolCallRecord[],
  otherTools: readonly string[],
): { readonly whatWasWrong: string; readonly whatToDo: string } | undefined {
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const { tool, input } = last;
  const made = calls.filter((it) => it.tool === tool && it.input === input);
  const ran = made.findLast((it) => it.status !== 'Unrun');
  const untried = otherTools.length === 0 ? '' : ` Not tried yet: ${otherTools.slice(0, TOOLS_MAX).join(', ')}.`;
  const what = `the work went round: ${tool} was called again and again, last with ${oneLine(headAndTail(input, ARGUMENTS_CHARACTERS))}`;
  return ran?.status === 'Ok'
    ? {
        whatWasWrong: `${what}; it succeeded, and brings the same each time`,
        whatToDo: `Work with its result, which stands under the earlier calls. For what is still missing make another call, or answer.${untried}`,
      }
    : {
        whatWasWrong: `${what}; it did not succeed, and will not by itself`,
        whatToDo: `Do not make this call again as it was. Change what made it fail, or go another way.${untried}`,
      };
}
