/**
 * An answer in the forms of the Messages API: the events of a stream, or one message. Pure.
 *
 * @import { AnswerBlock } from './answer.mjs'
 *
 * @typedef {object} Answer
 * @property {string} id
 * @property {string} model
 * @property {readonly AnswerBlock[]} blocks
 * @property {string} stopReason
 * @property {number} inputTokens  of the whole prompt
 * @property {number} cachedTokens  of these, those that the engine had read before
 * @property {number} outputTokens
 */

const usageOf = ({ inputTokens, cachedTokens, outputTokens }) => ({
  input_tokens: inputTokens - cachedTokens,
  cache_read_input_tokens: cachedTokens,
  cache_creation_input_tokens: 0,
  output_tokens: outputTokens,
});

const head = ({ id, model }) => ({ id, type: 'message', role: 'assistant', model });

/** @param {Answer} answer @returns {readonly (readonly [event: string, data: object])[]} */
export function messageEvents(answer) {
  const { blocks, stopReason } = answer;
  const usage = usageOf(answer);
  const nothingYet = { content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  return [
    ['message_start', { message: { ...head(answer), ...nothingYet } }],
    ...blocks.flatMap((block, index) => blockEvents(block, index, callId(answer, index))),
    [
      'message_delta',
      { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } },
    ],
    ['message_stop', {}],
  ];
}

const callId = ({ id }, index) => `${id.replace('msg', 'toolu')}_${index}`;

function blockEvents(block, index, id) {
  const [start, delta] =
    block.type === 'text'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { type: 'tool_use', id, name: block.name, input: {} },
          { type: 'input_json_delta', partial_json: block.json },
        ];
  return [
    ['content_block_start', { index, content_block: start }],
    ['content_block_delta', { index, delta }],
    ['content_block_stop', { index }],
  ];
}

/** @param {Answer} answer  whose calls have whole inputs */
export function messageOf(answer) {
  const content = answer.blocks.map((block, index) =>
    block.type === 'text'
      ? block
      : { type: 'tool_use', id: callId(answer, index), name: block.name, input: inputOf(block.json) },
  );
  return { ...head(answer), content, stop_reason: answer.stopReason, stop_sequence: null, usage: usageOf(answer) };
}

/** An input that was cut off is none: the stop reason says so. */
function inputOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** By status. Source: Messages API (errors). */
const ERROR_TYPES = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
  500: 'api_error',
};

/** @param {keyof typeof ERROR_TYPES} status @param {string} message */
export const errorOf = (status, message) => ({ type: 'error', error: { type: ERROR_TYPES[status], message } });
