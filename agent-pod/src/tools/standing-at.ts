/** What stands where a call acts: what it would replace, and the files that it names. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { NAMED_SHOWN_MAX, type Standing } from '@retainer/mind/gate/standing';
import { filesNamedBy, type Place } from './named-files.ts';
import type { ParsedCall } from './parse-arguments.ts';
import type { Tool, ToolContext } from './tool.ts';

/** The lowest effect class of a call that changes something. What changes nothing is bound to nothing that it names. */
const CHANGING_EFFECT_CLASS = 1;

/** @returns undefined where nothing stands */
export async function standingAt(
  place: Place & Pick<ToolContext, 'facts'>,
  { tool, input, facts }: ParsedCall & { readonly tool: Tool },
): Promise<Standing | undefined> {
  const own = await tool.standing?.(input, place);
  const replaced = tool.standing === undefined ? [] : facts.writePaths;
  const isChanging = facts.effectClass >= CHANGING_EFFECT_CLASS;
  const files = isChanging ? await filesNamedBy({ facts: tool.facts, input, replaced }, place) : [];
  if (files.length === 0) return own === undefined ? undefined : { sha256: own };
  const more = files.length - NAMED_SHOWN_MAX;
  return {
    sha256: sha256Hex(canonicalJson({ own: own ?? null, files })),
    named: {
      shown: files.slice(0, NAMED_SHOWN_MAX),
      ...(more > 0 ? { more } : {}),
      ...(own === undefined ? {} : { replaces: true }),
    },
  };
}
