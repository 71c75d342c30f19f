/**
 * What an answer to a request may be: this alone decides what the prompt says of tools, which grammar holds the answer, and how its
 * text is read. Pure.
 *
 * A role may call tools where tools stand in its request and its choice is not `none`; no word of a prompt is looked at.
 *
 * @import { MessagesRequest, Tool } from './request.mjs'
 *
 * @typedef {'grammar' | 'native'} Dialect  `grammar`: a call is one JSON object, and cannot have a slip. `native`: as the model was
 *   trained to call, with all its slips
 *
 * @typedef {{ readonly kind: 'Text' }
 *   | { readonly kind: 'Schema', readonly schema: Readonly<Record<string, any>> }
 *   | { readonly kind: 'Call', readonly tool: Tool }
 *   | { readonly kind: 'Tools', readonly tools: readonly Tool[], readonly mustCall: boolean, readonly dialect: Dialect }} Offer
 *   Call: of this tool, whatever else is said
 */

/** @param {MessagesRequest} request @param {Dialect} dialect @returns {Offer} */
export function offerOf({ tools = [], tool_choice: choice = { type: 'auto' }, output_config: config = {} }, dialect) {
  const chosen = tools.find(({ name }) => choice.type === 'tool' && name === choice.name);
  if (chosen !== undefined) return { kind: 'Call', tool: chosen };
  if (config.format !== undefined) return { kind: 'Schema', schema: config.format.schema };
  if (tools.length === 0 || choice.type === 'none') return { kind: 'Text' };
  return { kind: 'Tools', tools, mustCall: choice.type === 'any', dialect };
}
