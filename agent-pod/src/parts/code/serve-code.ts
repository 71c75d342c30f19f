/** Starts code that keeps ports open until a deadline. Source: springdrift 11 (serve: VERIFIED, UNVERIFIED); design 7 (Serve). */
import { z } from 'zod';
import type { SandboxLanguage } from '../../ports/sandbox-run.ts';
import type { ServeStart } from '../../ports/serving-port.ts';
import {
  codeFacts,
  codePlace,
  codeTimeoutMs,
  inputsArgument,
  MAX_SCRIPT_CHARACTERS,
  offeredLanguages,
  programLabel,
  refusalOf,
  renderResult,
  touchesInputs,
  type CodePlace,
} from '../../tools/code-run.ts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { OfferedTool, ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { ownWords } from '../../tools/workspace-labels.ts';
import { programView } from '../../tools/program-view.ts';

/** Ports of one SandboxRun. */
const PORTS_MAX = 5;
/** The first port of an unprivileged user, and the port where the sandbox runner itself listens. */
const PORT_MIN = 1024;
const RUNNER_PORT = 7070;

interface Input {
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly seconds: number;
  readonly inputs?: readonly string[] | undefined;
}

export const serveCode: ToolDescriptor<Input> = {
  facts: {
    ...codeFacts,
    name: 'serve_code',
    showsPeople: true,
    actsLater: false,
    verb: { verb: 'keeps code running in the sandbox:', object: 'language', text: 'script' },
  },
  offer(settings) {
    const place = codePlace(settings);
    return place === undefined || settings.code?.serve !== true ? undefined : serveCodeIn(place);
  },
};

function serveCodeIn(place: CodePlace): OfferedTool<Input> {
  const languages = offeredLanguages(place);
  const secondsMax = Math.floor(place.limits.timeoutMs / 1000);
  return {
    description:
      `Starts a program (${languages.join(', ')}) that keeps ports open, in a sandbox of its own, and returns while it ` +
      `runs, for ${secondsMax} seconds at most. It works on a copy of /workspace; what it writes is not kept. People ` +
      'reach it at the addresses that come back, below the address of this agent; links in its pages must be ' +
      'relative. It gets no cookies and no credentials. The reply starts with VERIFIED if a port answers HTTP, with ' +
      'UNVERIFIED if none does yet. End it with stop_serving.',
    input: z.strictObject({
      language: z.enum(languages).describe('Language of the script.'),
      script: z
        .string()
        .min(1)
        .max(MAX_SCRIPT_CHARACTERS)
        .describe('The program; it must listen on the ports, at 127.0.0.1 or at all addresses.'),
      ports: z.array(portSchema).min(1).max(PORTS_MAX).refine(areDistinct, 'each name and each port once'),
      inputs: inputsArgument,
      seconds: z.int().min(1).max(secondsMax).describe('Time until it is ended.'),
    }),
    timeoutMs: codeTimeoutMs(place),
    touches: touchesInputs,
    run: (input, context, signal) => serve(place, input, context, signal),
    lookup: async (_input, { sandbox, callId }) => {
      const start = await sandbox.serving?.lookup(callId);
      return start === undefined ? undefined : render(start, place);
    },
  };
}

const portSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(15)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .describe('Part of the address: lower-case letters, digits, hyphens.'),
  port: z
    .int()
    .min(PORT_MIN)
    .max(65_535)
    .refine((port) => port !== RUNNER_PORT, `${RUNNER_PORT} is taken`)
    .describe('Port that the program listens on.'),
});

function areDistinct(ports: Input['ports']): boolean {
  return (['name', 'port'] as const).every((key) => new Set(ports.map((port) => port[key])).size === ports.length);
}

export const CANNOT_SERVE =
  'Nothing can keep a port open here: this sandbox has no network that could be reached. On a cluster, where each ' +
  'sandbox is a pod of its own, it works.';

async function serve(
  place: CodePlace,
  { language, script, ports, seconds, inputs }: Input,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { sandbox, callId, workspaceDirectory, readOnlyPaths } = context;
  const refusal = refusalOf(place.offer, language) ?? (sandbox.serving === undefined ? CANNOT_SERVE : undefined);
  if (refusal !== undefined || sandbox.serving === undefined)
    return { isError: true, text: refusal ?? CANNOT_SERVE, label: ownWords };
  const view = await programView(context, inputs);
  const limits = { ...place.limits, timeoutMs: seconds * 1000 };
  const request = { idempotencyKey: callId, language, script, stdin: '', workspaceDirectory, readOnlyPaths, limits };
  const { shownPaths } = view;
  const start = await sandbox.serving.serve({ ...request, shownPaths, ports }, signal);
  return render(start, place, programLabel(place, view));
}

/** @param label  of what the program may have printed; absent: nobody knows what it read */
function render(start: ServeStart, place: CodePlace, label?: Label): ToolOutput {
  if (start.type === 'Ended') {
    const { text, ...rest } = renderResult(
      start.result,
      { files: [], notes: [], ...(label === undefined ? {} : { label }) },
      place,
    );
    return { ...rest, isError: true, text: `ENDED: it serves no more.\n${text}` };
  }
  const { serving, isAnswering } = start;
  const verdict = isAnswering
    ? 'VERIFIED: it answers.'
    : 'UNVERIFIED: it runs, and no port has answered HTTP yet. Perhaps it is slow, or listens on another port.';
  const addresses = serving.ports.map(({ name, port }) => `port ${port}: /serve/${serving.id}/${name}/`);
  const until = `until ${new Date(serving.deadlineMs).toISOString()}`;
  return {
    isError: false,
    text: [verdict, `id ${serving.id}, ${until}`, ...addresses].join('\n'),
    ...(label === undefined ? {} : { label }),
  };
}
