/** Mutants of what makes answers of models whole; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const infer = 'agent-pod/src/infer';
const anyAnswer = ['test/unit/rough-answers.test.ts'];

export const inferMutants = [
  ...of(`${infer}/whole-answer.ts`, anyAnswer, {
    'infer: no two calls of a conversation have one id': ['`${callId}/${calls - 1}`', '`${callId}`'],
    'infer: a blank text stays away': ['if (isBlank(block.text))', "if (block.text === '')"],
    'infer: a text is well formed': ['const text = wellFormed(block.text);', 'const { text } = block;'],
    'infer: thoughts go back unchanged or not at all': ['return isReturnable ? [block]', 'return true ? [block]'],
    'infer: no turn ends with thoughts': ['return content.slice(0, end);', 'return content;'],
    'infer: a call that cannot be taken never runs': ['if (fault === undefined)', 'if (true)'],
    'infer: a name that was changed calls no tool': ['nameFault(call.name, name) ??', ''],
  }),
  ...of(`${infer}/whole-json.ts`, anyAnswer, {
    'infer: no number is rounded silently': ['&& !isExact(value)', '&& false'],
    'infer: no argument is deeper than all can read': ['if (depth > DEPTH_MAX)', 'if (false)'],
    'infer: an argument is well formed': ['return wellFormed(value);', 'return value;'],
  }),
  ...of(`${infer}/whole-usage.ts`, anyAnswer, {
    'infer: a prompt has no more tokens than bytes': ['&& sum <= promptTokensMax(request)', ''],
    'infer: an answer has no more tokens than it may': ['&& tokens <= maxOutputTokens', ''],
  }),
  ...of(`${infer}/anthropic-stream.ts`, anyAnswer, {
    'infer: a block without its end is a broken stream': ['&& blocks.every(isClosed) && (', '&& ('],
  }),
  ...of(`${infer}/event-stream.ts`, anyAnswer, {
    'infer: an event needs no name': ["typeof value['type'] === 'string' ? value['type'] : label", 'label'],
    'infer: the last event needs no blank line': ["...this.#line(rest), ...this.#line('')", '...this.#line(rest)'],
  }),
  ...of(`${infer}/read-answer.ts`, anyAnswer, {
    'infer: a whole answer outlives its connection': ['if (!isWhole(state)) throw error;', 'throw error;'],
  }),
];
