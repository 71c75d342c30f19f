/** The tools of a suite as descriptors; each call brings back what was recorded. */
import { z } from 'zod';
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import type { ToolDescriptor, ToolOutput } from '@retainer/agent-pod/tools/tool';
import { MARK, type SuiteTool } from './data.ts';
import { classOf, isPublic, recordMembers, rolesOf } from './tool-table.ts';

/**
 * How much the gate is told. `Marks`: arguments, and who wrote which field of a result, as the marks show it. `Fields`: arguments,
 * and which members of a result the service gives; everything else is a stranger's. `Nothing`: only effect classes, with results
 * labelled as by `Marks`.
 */
export type Telling = 'Marks' | 'Fields' | 'Nothing';

/** What the next call brings back; `words` stand where the marks are. */
export interface Scripted {
  readonly output: string;
  readonly isError: boolean;
  readonly words: string | undefined;
}

export interface Stage {
  next: Scripted;
  /** Calls whose tool ran. */
  ran: number;
}

export function descriptorOf(tool: SuiteTool, telling: Telling, stage: Stage): ToolDescriptor {
  return {
    facts: factsOf(tool, telling),
    offer: () => ({
      description: tool.description,
      input: inputOf(tool),
      outputCharacters: 1_000_000,
      touches: (input) => ({ readPaths: [], writePaths: [], domains: hostsOf(input) }),
      run: (input) => {
        stage.ran += 1;
        return Promise.resolve(outputOf(tool.name, input, telling, stage.next));
      },
    }),
  };
}

function factsOf({ name, parameters }: SuiteTool, telling: Telling): DeclaredFacts {
  const isPage = name === 'get_webpage';
  const records = telling === 'Fields' ? recordMembers : ('All' as const);
  return {
    name,
    effectClass: classOf(name),
    reachesOutside: true,
    runsCode: false,
    showsPeople: false,
    actsLater: false,
    writes: 'Nothing',
    output: {
      source: isPage ? 'Web' : 'Tool',
      trust: 'Untrusted',
      readers: isPublic(name) ? 'Everyone' : 'Principal',
      ...(isPage ? { name: 'url' as const } : {}),
      ...(telling === 'Nothing' ? {} : { records }),
    },
    ...(telling === 'Nothing' ? {} : { arguments: rolesOf(name, Object.keys(parameters.properties)) }),
  };
}

/** A page's address gets the scheme that a browser would add. */
function inputOf({ name, parameters }: SuiteTool): z.ZodType<unknown> {
  const members = Object.keys(parameters.properties).map((member) => [member, z.json().optional()] as const);
  const input = z.strictObject(Object.fromEntries(members));
  if (name !== 'get_webpage') return input;
  return z.strictObject({
    url: z.string().transform((url) => new URL(url.includes('://') ? url : `https://${url}`).href),
  });
}

function hostsOf(input: unknown): readonly string[] {
  const { url } = z.object({ url: z.string().optional().catch(undefined) }).parse(input);
  return url !== undefined && URL.canParse(url) ? [new URL(url).hostname] : [];
}

function outputOf(tool: string, input: unknown, telling: Telling, { output, isError, words }: Scripted): ToolOutput {
  const others = othersIn(output);
  const text = words === undefined ? output : withWords(output, words);
  if (telling === 'Fields') return { isError, text };
  const [host] = hostsOf(input);
  const isPage = tool === 'get_webpage';
  const label = {
    source: {
      kind: isPage ? ('Web' as const) : ('Tool' as const),
      ...(isPage && host !== undefined ? { name: host } : {}),
    },
    // Anybody may own a page.
    trust: others.length > 0 || isPage ? ('Untrusted' as const) : ('Trusted' as const),
    readers: isPublic(tool) ? ('Everyone' as const) : ['owner'],
  };
  return { isError, text, label, othersAt: isPage ? [''] : others };
}

/** JSON pointers to the texts that hold a mark; the empty one if the output is no JSON and holds one. */
function othersIn(output: string): readonly string[] {
  const isMarked = (text: string): boolean => text.search(MARK) !== -1;
  const walk = (value: unknown, at: string): readonly string[] => {
    if (typeof value === 'string') return isMarked(value) ? [at] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, it]) =>
      isMarked(key) ? [at] : walk(it, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  };
  const parsed = jsonIn(output);
  return parsed === undefined ? walk(output, '') : walk(parsed, '');
}

function withWords(output: string, words: string): string {
  const isJson = jsonIn(output) !== undefined;
  return output.replaceAll(MARK, () => (isJson ? JSON.stringify(words).slice(1, -1) : words));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
