/**
 * The blocks of an answer, read from the text that the model wrote. Pure.
 *
 * @import { Offer } from './offer.mjs'
 *
 * @typedef {{ readonly type: 'text', readonly text: string }
 *   | { readonly type: 'tool_use', readonly name: string, readonly json: string }} AnswerBlock
 *   json: the input as the model wrote it, which may be cut off
 *
 * @typedef {'end' | 'limit'} Ending  whether the model ended its answer, or a limit of tokens did
 */

/**
 * @param {string} text
 * @param {Offer} offer
 * @returns {readonly AnswerBlock[]} none where the text is blank
 */
export function answerBlocks(text, offer) {
  switch (offer.kind) {
    case 'Text':
    case 'Schema':
      return textBlocks(text);
    case 'Call':
      return [{ type: 'tool_use', name: offer.tool.name, json: text.trim() }];
    case 'Tools':
      return offer.dialect === 'native' ? nativeBlocks(text, offer.tools) : grammarBlocks(text);
  }
}

/** Why the answer ended. @param {readonly AnswerBlock[]} blocks @param {Ending} ending */
export function stopReasonOf(blocks, ending) {
  if (ending === 'limit') return 'max_tokens';
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

const textBlocks = (text) => (text.trim() === '' ? [] : [{ type: 'text', text: text.trim() }]);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The grammar allows one object; where a limit cut it off, it is a text as any other. */
function grammarBlocks(text) {
  const { tool, input = {}, reply } = parsed(text) ?? {};
  if (typeof tool === 'string') return [{ type: 'tool_use', name: tool, json: JSON.stringify(input) }];
  return textBlocks(typeof reply === 'string' ? reply : text);
}

/** The coder's own ways to write a call: in its tags, in a fence, or bare. Servers of such models read all three. */
const CALL_FORMS = [
  /<tool_call>\s*(?:```(?:json)?\s*)?([\s\S]*?)\s*(?:```\s*)?(?:<\/tool_call>|$)/g,
  /```(?:json|xml)?\s*(\{[\s\S]*?\})\s*```/g,
  /^\s*(\{"name":[\s\S]*\})\s*$/g,
];

/** What is no call of an offered tool stays text. */
function nativeBlocks(text, tools) {
  const names = new Set(tools.map(({ name }) => name));
  const found = CALL_FORMS.flatMap((form) => [...text.matchAll(form)]).flatMap(([whole, json]) => {
    const call = parsed(json);
    return names.has(call?.name) ? [{ whole, name: call.name, json: JSON.stringify(call.arguments ?? {}) }] : [];
  });
  // A fence inside the tags is found twice.
  const calls = found.filter(({ whole }, at) => !found.slice(0, at).some((other) => other.whole.includes(whole)));
  const rest = calls.reduce((left, { whole }) => left.replace(whole, ''), text);
  return [...textBlocks(rest), ...calls.map(({ name, json }) => ({ type: 'tool_use', name, json }))];
}
