/**
 * The tools of Retainer without its chokepoint: files, code in the sandbox, and pages, as their descriptors offer them. Nobody judges
 * a call and nothing records it; its time and the output that a model sees are bounded as always.
 */
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { sha256Hex } from '@retainer/contract/std/hash';
import { systemClock } from '@retainer/contract/std/system-clock';
import { settingsOf } from '@retainer/agent-pod/loop/agent-settings';
import { createRegistry } from '@retainer/agent-pod/parts/catalog';
import { codePod } from '@retainer/agent-pod/parts/code/part';
import { filesPod } from '@retainer/agent-pod/parts/files/part';
import { webPod } from '@retainer/agent-pod/parts/web/part';
import type { ArtifactsPort, KeptText } from '@retainer/agent-pod/ports/tool';
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import { boundOutput } from '@retainer/agent-pod/tools/bound-output';
import { describeFault } from '@retainer/agent-pod/tools/describe-fault';
import type { FetchNetwork } from '@retainer/agent-pod/tools/fetch-page';
import { parseArguments } from '@retainer/agent-pod/tools/parse-arguments';
import type { Tool, ToolContext } from '@retainer/agent-pod/tools/tool';
import { unknownFiles, WorkspaceLabels } from '@retainer/agent-pod/tools/workspace-labels';
import type { ToolSpec } from '@retainer/mind/request/model-request';

/** Of one conversation, on a workspace of its own. */
export interface BareTools {
  readonly specs: readonly ToolSpec[];
  /** Resolves for every fault of a tool. @param callId  names the call for ever */
  call(name: string, input: unknown, call: { readonly callId: string; readonly signal: AbortSignal }): Promise<Output>;
}

interface Output {
  readonly text: string;
  readonly isError: boolean;
}

export interface BareToolsOptions {
  readonly agent: Agent;
  readonly dataDirectory: string;
  readonly network: FetchNetwork;
}

/** Everything that is there may be seen and changed. */
const EVERYTHING = { paths: new Set<string>(), globs: [{ matches: () => true, names: () => true, staticPrefix: '' }] };

/** @throws when nothing isolates code on this machine */
export async function bareToolsOn(options: BareToolsOptions): Promise<(workspaceDirectory: string) => BareTools> {
  const { agent, dataDirectory, network } = options;
  const sandbox = createBubblewrapSandbox({ resultDirectory: join(dataDirectory, 'sandbox') });
  const isolation = await sandbox.probe();
  if (!isolation.ok) throw new Error(`${isolation.error.reason} ${isolation.error.fix}`);
  const settings = settingsOf(agent);
  const registry = createRegistry(
    {
      sandboxLanguages: isolation.value.languages,
      code: settings.sandbox,
      ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
      fetchNetwork: network,
    },
    [filesPod, codePod, webPod].flatMap(({ tools = [] }) => tools),
  );
  return (workspaceDirectory) => {
    const artifacts = artifactsInMemory();
    const labels = new WorkspaceLabels(workspaceDirectory, { known: () => new Map() }, systemClock);
    const contextOf = (callId: string): ToolContext => ({
      ...{
        callId,
        cycleId: 'bare',
        principal: 'owner',
        owners: [],
        runId: workspaceDirectory,
        label: unknownFiles,
        carried: unknownFiles,
        labels,
      },
      ...{ workspaceDirectory, readOnlyPaths: [], freeFiles: undefined, seenFiles: EVERYTHING, sandbox, artifacts },
      ...{ facts: unrecorded(), recall: unrecorded(), parts: unrecorded(), self: unrecorded() },
      added: { files: 0, bytes: 0 },
      isBrought: () => false,
      named: [],
      ...{ principal: 'owner', owners: [] },
      nowMs: () => systemClock.nowMs(),
      toolNames: registry.names,
      outputCharacters: settings.toolOutputCharacters,
    });
    return {
      specs: registry.specs(registry.names),
      async call(name, input, { callId, signal }) {
        const tool = registry.tool(name);
        if (tool === undefined)
          return {
            text: `There is no tool ${JSON.stringify(name)}. Tools: ${registry.names.join(', ')}.`,
            isError: true,
          };
        const parsed = parseArguments(tool, input);
        if (!parsed.ok) return { text: parsed.error, isError: true };
        const until = AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs ?? settings.toolTimeoutMs)]);
        return ran(tool, parsed.value.input, contextOf(callId), until);
      },
    };
  };
}

async function ran(tool: Tool, input: unknown, context: ToolContext, signal: AbortSignal): Promise<Output> {
  const { artifacts, outputCharacters: agents = Infinity, cycleId, runId } = context;
  const isPaged = tool.isPaged === true;
  const own = tool.outputCharacters ?? agents;
  try {
    const output = await tool.run(input, context, signal);
    const { text, status } = await boundOutput(
      output,
      artifacts,
      { tool: tool.facts.name, runId, cycleId },
      { shownCharacters: isPaged ? own : Math.min(own, agents), isPaged, durationMs: 0 },
    );
    return { text, isError: status !== 'Ok' };
  } catch (cause) {
    return { text: `${tool.facts.name} failed: ${describeFault(cause)}`, isError: true };
  }
}

function artifactsInMemory(): ArtifactsPort {
  const texts = new Map<string, KeptText>();
  return {
    put: ({ text }) => {
      const id = sha256Hex(text);
      texts.set(id, { text });
      return Promise.resolve(id);
    },
    read: (id) => Promise.resolve(texts.get(id)),
  };
}

/** A port of the agent's record, which no tool here asks. */
function unrecorded<Port extends object>(): Port {
  return new Proxy<Port>(Object.create(null), {
    get: () => {
      throw new Error('the bare loop keeps no record');
    },
  });
}
