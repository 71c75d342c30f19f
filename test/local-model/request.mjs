/**
 * Reads the body of `POST /v1/messages`: what the Messages API refuses is refused, with its words. Pure.
 *
 * @typedef {object} Block
 * @property {'text' | 'tool_use' | 'tool_result' | 'thinking' | 'redacted_thinking'} type
 * @property {string} [text]  of a text
 * @property {string} [name]  of a call
 * @property {unknown} [input]  of a call
 * @property {string | readonly Block[]} [content]  of a result
 * @property {boolean} [is_error]  of a result
 *
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} [description]
 * @property {Readonly<Record<string, any>>} input_schema
 *
 * @typedef {object} MessagesRequest
 * @property {string} model  any: there is one model
 * @property {number} max_tokens
 * @property {boolean} [stream]
 * @property {number} [temperature]  0 to 1
 * @property {string | readonly Block[]} [system]
 * @property {readonly { readonly role: 'user' | 'assistant', readonly content: string | readonly Block[] }[]} messages
 * @property {readonly Tool[]} [tools]
 * @property {{ readonly type: 'auto' | 'any' | 'none' | 'tool', readonly name?: string }} [tool_choice]
 * @property {{ readonly format?: { readonly type: string, readonly schema: Readonly<Record<string, any>> } }} [output_config]
 */

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === 'string';
const CHOICES = ['auto', 'any', 'none', 'tool'];

/** What each kind of block must hold; of a result the content may be absent. */
const BLOCKS = {
  text: ({ text }) => isText(text),
  tool_use: ({ name, input }) => isText(name) && isObject(input),
  tool_result: ({ content = '' }) => isContent(content),
  thinking: () => true,
  redacted_thinking: () => true,
};

const isBlock = (block) => isObject(block) && Object.hasOwn(BLOCKS, block.type) && BLOCKS[block.type](block);
const isContent = (content) => isText(content) || (Array.isArray(content) && content.every(isBlock));
const isTool = (tool) => isObject(tool) && isText(tool.name) && isObject(tool.input_schema);
const isMessage = (message) =>
  isObject(message) && ['user', 'assistant'].includes(message.role) && isContent(message.content);

const isMessages = (messages) => Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);

function isChoice(choice, { tools = [] }) {
  if (!isObject(choice) || !CHOICES.includes(choice.type)) return false;
  return choice.type !== 'tool' || tools.some(({ name }) => name === choice.name);
}

const isFormat = (config) =>
  isObject(config) &&
  (config.format === undefined ||
    (isObject(config.format) && config.format.type === 'json_schema' && isObject(config.format.schema)));

/** What each field must be, in the order in which faults are told. A field that may be absent is checked where it stands. */
const FIELDS = [
  { field: 'model', isNeeded: true, holds: isText, must: 'must be a string' },
  {
    ...{ field: 'max_tokens', isNeeded: true, must: 'must be a whole number greater than 0' },
    holds: (value) => Number.isInteger(value) && value > 0,
  },
  {
    ...{ field: 'messages', isNeeded: true, holds: isMessages },
    must: `must be a list that is not empty, of a role (user, assistant) and a content: a string, or blocks of ${Object.keys(BLOCKS).join(', ')}`,
  },
  { field: 'system', holds: isContent, must: 'must be a string or a list of text blocks' },
  { field: 'stream', holds: (value) => typeof value === 'boolean', must: 'must be true or false' },
  {
    ...{ field: 'temperature', must: 'must be a number from 0 to 1' },
    holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  {
    ...{ field: 'tools', must: 'must be a list of tools with a name and an input_schema' },
    holds: (value) => Array.isArray(value) && value.every(isTool),
  },
  {
    field: 'tool_choice',
    holds: isChoice,
    must: `must have a type (${CHOICES.join(', ')}), and the name of an offered tool`,
  },
  { field: 'output_config', holds: isFormat, must: 'format must be a json_schema with a schema' },
];

/**
 * @param {string} text
 * @returns {{ readonly request: MessagesRequest } | { readonly fault: string }}
 */
export function readRequest(text) {
  const body = parsed(text);
  if (!isObject(body)) return { fault: 'the body must be a JSON object' };
  const wrong = FIELDS.find(({ field, isNeeded, holds }) =>
    body[field] === undefined ? isNeeded === true : !holds(body[field], body),
  );
  return wrong === undefined ? { request: body } : { fault: `${wrong.field}: ${wrong.must}` };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
