/**
 * All tools. The catalog side is pure and serves the cycle; `tool` serves only `execute.ts`.
 *
 * Source: design 4 (tools); springdrift 6 (an unknown tool is an answer, not the end).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { deepFreeze } from '@retainer/contract/std/frozen';
import { err, type Result } from '@retainer/contract/std/result';
import type { ToolSpec } from '@retainer/mind/request/model-request';
import type { ToolCatalog } from '@retainer/mind/cycle/catalog';
import { knowTools, type KnownTools } from '@retainer/mind/gate/tool-facts';
import { askPerson } from './ask-person.ts';
import { bash } from './catalog/bash.ts';
import { detectPatternsTool } from './catalog/detect-patterns.ts';
import { editFile } from './catalog/edit-file.ts';
import { fetchUrl } from './catalog/fetch-url.ts';
import { findFiles } from './catalog/find-files.ts';
import { inspectCycle } from './catalog/inspect-cycle.ts';
import { introspect } from './catalog/introspect.ts';
import { listAffectHistory } from './catalog/list-affect-history.ts';
import { listFiles } from './catalog/list-files.ts';
import { listRecentCycles } from './catalog/list-recent-cycles.ts';
import { memoryRead } from './catalog/memory-read.ts';
import { memoryRecall } from './catalog/memory-recall.ts';
import { memoryTrace } from './catalog/memory-trace.ts';
import { memoryWrite } from './catalog/memory-write.ts';
import { queryToolActivity } from './catalog/query-tool-activity.ts';
import { readFile } from './catalog/read-file.ts';
import { recallCases } from './catalog/recall-cases.ts';
import { recallRecent } from './catalog/recall-recent.ts';
import { recallThreads } from './catalog/recall-threads.ts';
import { reflect } from './catalog/reflect.ts';
import { reviewRecent } from './catalog/review-recent.ts';
import { runCodeTool } from './catalog/run-code.ts';
import { searchFiles } from './catalog/search-files.ts';
import { serveCode } from './catalog/serve-code.ts';
import { stopServing } from './catalog/serve-stop.ts';
import { writeFile } from './catalog/write-file.ts';
import { inputSchemaOf, parseArguments } from './parse-arguments.ts';
import { requestApproval } from './request-approval.ts';
import type { Tool, ToolDescriptor, ToolSettings } from './tool.ts';

/** Every tool, in the order that a model sees. A new tool is its file and its line here. */
export const catalog: readonly ToolDescriptor[] = [
  listFiles,
  readFile,
  writeFile,
  editFile,
  findFiles,
  searchFiles,
  bash,
  runCodeTool,
  serveCode,
  stopServing,
  memoryWrite,
  memoryRead,
  memoryRecall,
  recallRecent,
  recallThreads,
  recallCases,
  memoryTrace,
  reflect,
  introspect,
  listRecentCycles,
  inspectCycle,
  reviewRecent,
  detectPatternsTool,
  queryToolActivity,
  listAffectHistory,
  fetchUrl,
  requestApproval,
  askPerson,
];

/** The pure half of the catalog, for code that judges tools without running them. */
export const knownTools: KnownTools = factsIn(catalog);

export interface ToolRegistry extends ToolCatalog {
  /** In the order that a model sees. */
  readonly names: readonly string[];
  /** For `execute.ts` only. */
  tool(name: string): Tool | undefined;
}

/** @param descriptors  the catalog; another one in tests of a new tool */
export function createRegistry(settings: ToolSettings, descriptors: readonly ToolDescriptor[] = catalog): ToolRegistry {
  const known = descriptors === catalog ? knownTools : factsIn(descriptors);
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
