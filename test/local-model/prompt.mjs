/**
 * The prompt of a request, in the form that Qwen2.5 was trained on (ChatML). Pure.
 *
 * I1  Only words of this file are control words of the model. What others wrote is text, even if it looks like one: a page that
 *     holds `<|im_end|>` ends no turn.
 *
 * @import { Block, MessagesRequest } from './request.mjs'
 * @import { Offer } from './offer.mjs'
 *
 * @typedef {object} PromptPiece
 * @property {string} text
 * @property {boolean} isControl  may hold control words of the model
 */

const control = (text) => ({ text, isControl: true });
const plain = (text) => ({ text, isControl: false });

/** @param {MessagesRequest} request @param {Offer} offer @returns {readonly PromptPiece[]} in order; what is empty is left out */
export function promptOf({ system = '', messages }, offer) {
  const turns = messages.flatMap(({ role, content }) => [
    control(`<|im_start|>${role}\n`),
    ...blocksOf(content).flatMap((block) => blockPieces(block, offer)),
    control('<|im_end|>\n'),
  ]);
  return [
    control('<|im_start|>system\n'),
    ...[plain(textOf(system)), ...toolPieces(offer), control('<|im_end|>\n')],
    ...turns,
    control(
      `<|im_start|>assistant\n${offer.kind === 'Call' ? `<tool_call>\n{"name": "${offer.tool.name}", "arguments": ` : ''}`,
    ),
  ].filter(({ text }) => text !== '');
}

/** @param {string | readonly Block[]} content */
const blocksOf = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);
const textOf = (content) =>
  blocksOf(content)
    .map(({ text = '' }) => text)
    .join('');

/** What a model thought before is not shown to it: it never thinks here. */
function blockPieces(block, offer) {
  switch (block.type) {
    case 'text':
      return [plain(block.text)];
    case 'tool_use':
      return callPieces(block, offer);
    case 'tool_result':
      return [
        control('<tool_response>\n'),
        plain(`${block.is_error === true ? 'ERROR: ' : ''}${textOf(block.content ?? '')}`),
        control('\n</tool_response>\n'),
      ];
    default:
      return [];
  }
}

/** A call of before looks as the model is told to make one now. */
function callPieces({ name, input }, offer) {
  if (offer.kind === 'Tools' && offer.dialect === 'grammar') return [plain(JSON.stringify({ tool: name, input }))];
  return [control('\n<tool_call>\n'), plain(JSON.stringify({ name, arguments: input })), control('\n</tool_call>')];
}

function toolPieces(offer) {
  if (offer.kind === 'Call') return nativeTools([offer.tool]);
  if (offer.kind !== 'Tools') return [];
  return offer.dialect === 'native' ? nativeTools(offer.tools) : listedTools(offer);
}

function listedTools({ tools, mustCall }) {
  const lines = tools.map(
    ({ name, description = '', input_schema }) =>
      `- ${name}: ${description}\n  input: ${JSON.stringify(input_schema.properties ?? {})}`,
  );
  const reply = mustCall ? '' : ' When you have what is needed, your reply to the person: {"reply": TEXT}.';
  const form = `Answer with one JSON object. To use a tool: {"tool": NAME, "input": {…}}.${reply}`;
  return [plain(`\n\nYou have these tools:\n${lines.join('\n')}\n\n${form}`)];
}

/** In the words of the chat template of Qwen2.5. */
function nativeTools(tools) {
  const signatures = tools.map(({ name, description, input_schema }) =>
    JSON.stringify({ type: 'function', function: { name, description, parameters: input_schema } }),
  );
  return [
    control(
      '\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n' +
        'You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n',
    ),
    plain(signatures.join('\n')),
    control(
      '\n</tools>\n\nFor each function call, return a json object with function name and arguments within ' +
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
    ),
  ];
}
