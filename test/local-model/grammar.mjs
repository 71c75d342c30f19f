/**
 * The schema that an answer is held to while it is written: of the JSON Schema of tools, what the engine's grammar can keep. Pure.
 *
 * @import { Offer } from './offer.mjs'
 */

/** @param {Offer} offer @returns {Readonly<Record<string, any>> | undefined} undefined where any text is an answer */
export function answerSchema(offer) {
  switch (offer.kind) {
    case 'Text':
      return undefined;
    case 'Schema':
      return plainSchema(offer.schema);
    case 'Call':
      return plainSchema(offer.tool.input_schema);
    case 'Tools':
      return offer.dialect === 'native' ? undefined : callOrReply(offer);
  }
}

function callOrReply({ tools, mustCall }) {
  const calls = tools.map(({ name, input_schema }) => ({
    type: 'object',
    properties: { tool: { const: name }, input: plainSchema(input_schema) },
  }));
  const reply = { type: 'object', properties: { reply: { type: 'string' } } };
  return { oneOf: mustCall ? calls : [...calls, reply] };
}

const BASIC = ['string', 'number', 'integer', 'boolean', 'null'];

/**
 * The engine writes every property that it is told of, so those that a call may leave out are left out. Of patterns and limits of
 * numbers it knows nothing: whoever asked checks them.
 */
function plainSchema(schema) {
  const {
    type,
    enum: values,
    const: value,
    anyOf,
    oneOf = anyOf,
    properties = {},
    required = [],
    items,
  } = schema ?? {};
  if (values !== undefined) return { enum: values };
  if (value !== undefined) return { const: value };
  if (oneOf !== undefined) return { oneOf: oneOf.map(plainSchema) };
  if (type === 'array') return { type, items: plainSchema(items) };
  if (type === 'object') {
    const kept = Object.entries(properties).filter(([name]) => required.includes(name));
    return { type, properties: Object.fromEntries(kept.map(([name, inner]) => [name, plainSchema(inner)])) };
  }
  const basic = [type].flat().filter((it) => BASIC.includes(it));
  return { type: basic.length === 0 ? 'string' : basic.length === 1 ? basic[0] : basic };
}
