/**
 * The tools that an Agent is offered. The catalog side is pure and serves the cycle; `tool` serves only `execute.ts`.
 *
 * Source: design 4 (tools); springdrift 6 (an unknown tool is an answer, not the end).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { deepFreeze } from '@retainer/contract/std/frozen';
import { err, type Result } from '@retainer/contract/std/result';
import type { ToolSpec } from '@retainer/mind/request/model-request';
import type { ToolCatalog } from '@retainer/mind/cycle/catalog';
import { knowTools, type KnownTools } from '@retainer/mind/gate/tool-facts';
import { inputSchemaOf, parseArguments } from './parse-arguments.ts';
import type { Tool, ToolDescriptor, ToolSettings } from './tool.ts';

export interface ToolRegistry extends ToolCatalog {
  /** In the order that a model sees. */
  readonly names: readonly string[];
  /** For `execute.ts` only. */
  tool(name: string): Tool | undefined;
}

/** @param known  the facts of the descriptors */
export function registryOf(
  settings: ToolSettings,
  descriptors: readonly ToolDescriptor[],
  known: KnownTools,
): ToolRegistry {
  const tools = descriptors.flatMap((descriptor): readonly Tool[] => {
    const offered = descriptor.offer(settings);
    return offered === undefined ? [] : [{ ...offered, facts: known.factsOf(descriptor.facts.name) }];
  });
  const byName = new Map(tools.map((tool) => [tool.facts.name, tool]));
  const specs = new Map(tools.map((tool) => [tool.facts.name, specOf(tool)]));
  return {
    names: [...byName.keys()],
    known,
    specs: (names) => names.flatMap((name) => specs.get(name) ?? []),
    has: (name) => byName.has(name),
    parse: (name, input) => parseCall(byName, name, input),
    tool: (name) => byName.get(name),
  };
}

export function factsIn(descriptors: readonly ToolDescriptor[]): KnownTools {
  return knowTools(descriptors.map(({ facts }) => facts));
}

function parseCall(tools: ReadonlyMap<string, Tool>, name: string, input: unknown): ReturnType<ToolCatalog['parse']> {
  const tool = tools.get(name);
  if (tool === undefined) return unknownTool(name, [...tools.keys()]);
  const parsed = parseArguments(tool, input);
  return parsed.ok ? { ok: true, value: parsed.value.facts } : parsed;
}

/** Characters of an unknown name that the answer to the model repeats. */
const MAX_NAME_CHARACTERS = 100;

function unknownTool(name: string, names: readonly string[]): Result<never, string> {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
  return err(`There is no tool ${shown}. Tools: ${names.join(', ')}.`);
}

/** Frozen, because every model request records it again, and the journal looks for secrets in it only once. */
function specOf(tool: Tool): ToolSpec {
  return deepFreeze({
    name: tool.facts.name,
    description: tool.description,
    inputSchema: inputSchemaOf(tool) as Json,
  });
}
