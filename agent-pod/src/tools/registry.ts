/**
 * All tools. The catalog side is pure and serves the cycle; `tool` serves `execute.ts` and nobody else.
 *
 * Source: design 4 (tools); springdrift 6.8 (an unknown tool is an answer, not the end).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { err, type Result } from '@retainer/contract/std/result';
import type { ToolSpec } from '@retainer/mind/request/model-request';
import type { ToolCatalog } from '@retainer/mind/cycle/catalog';
import type { SandboxUnavailable } from '../ports/ports.ts';
import type { SandboxLanguage } from '../ports/sandbox-run.ts';
import { createBash } from './catalog/bash.ts';
import { createFetchUrl, type FetchSettings } from './catalog/fetch-url.ts';
import { listFiles } from './catalog/list-files.ts';
import { memoryRead } from './catalog/memory-read.ts';
import { memoryWrite } from './catalog/memory-write.ts';
import { readFile } from './catalog/read-file.ts';
import { createRunCode } from './catalog/run-code.ts';
import { searchFiles } from './catalog/search-files.ts';
import { createServeCode } from './catalog/serve-code.ts';
import { stopServing } from './catalog/serve-stop.ts';
import { writeFile } from './catalog/write-file.ts';
import { codePlace, type CodeOptions } from './code-run.ts';
import { systemNetwork, type FetchNetwork } from './fetch-page.ts';
import { inputSchemaOf, parseArguments } from './parse-arguments.ts';
import { requestApproval } from './request-approval.ts';
import type { Tool } from '../ports/tool.ts';

export interface RegistryOptions {
  /** What `SandboxPort.probe` found. Unavailable: the code tools stay listed and refuse with the hint. */
  readonly sandboxLanguages: readonly SandboxLanguage[] | SandboxUnavailable;
  /** Absent: code is enabled, in every language of the sandbox, within `CODE_LIMITS`. */
  readonly code?: CodeOptions;
  /** Absent: `fetch_url` does not exist. `*` is every public host, `*.example.org` every host below. */
  readonly fetch?: FetchSettings;
  /** Absent: that of the system. */
  readonly fetchNetwork?: FetchNetwork;
}

export interface ToolRegistry extends ToolCatalog {
  /** In the order in which a model is shown them. */
  readonly names: readonly string[];
  /** For `execute.ts` only. */
  tool(name: string): Tool | undefined;
}

export function createRegistry(options: RegistryOptions): ToolRegistry {
  const tools: readonly Tool[] = [
    listFiles,
    readFile,
    writeFile,
    searchFiles,
    ...codeTools(options),
    memoryWrite,
    memoryRead,
    ...(options.fetch === undefined ? [] : [createFetchUrl(options.fetch, options.fetchNetwork ?? systemNetwork)]),
    requestApproval,
  ];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const specs = new Map(tools.map((tool) => [tool.name, specOf(tool)]));
  return {
    names: tools.map((tool) => tool.name),
    specs: (names) => names.flatMap((name) => specs.get(name) ?? []),
    has: (name) => byName.has(name),
    parse: (name, input) => parseCall(byName, name, input),
    tool: (name) => byName.get(name),
  };
}

/** A tool that the Agent rules out does not exist; one that only the machine lacks stays, and says so when it is called. */
function codeTools({ sandboxLanguages, code = {} }: RegistryOptions): readonly Tool[] {
  const place = codePlace(sandboxLanguages, code);
  if (code.enabled === false || place.allowed.length === 0) return [];
  return [
    ...(place.allowed.includes('bash') ? [createBash(place)] : []),
    createRunCode(place),
    ...(code.serve === true ? [createServeCode(place), stopServing] : []),
  ];
}

function parseCall(tools: ReadonlyMap<string, Tool>, name: string, input: unknown): ReturnType<ToolCatalog['parse']> {
  const tool = tools.get(name);
  if (tool === undefined) return unknownTool(name, [...tools.keys()]);
  const parsed = parseArguments(tool, input);
  return parsed.ok ? { ok: true, value: parsed.value.facts } : parsed;
}

/** Characters of an unknown name that are repeated to the model. */
const MAX_NAME_CHARACTERS = 100;

function unknownTool(name: string, names: readonly string[]): Result<never, string> {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
  return err(`There is no tool ${shown}. Tools: ${names.join(', ')}.`);
}

function specOf(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool) as Json };
}
