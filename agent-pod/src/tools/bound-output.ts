/**
 * Makes the outcome of a call from the output of its tool: bounded and hashed. If the model may not see the whole output, an
 * artifact keeps it.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { SHOWN_CHARACTERS_MAX } from '@retainer/mind/gate/provenance/reading';
import { wellFormed } from './well-formed.ts';
import type { ArtifactsPort, NewArtifact } from '../ports/tool.ts';
import type { ToolOutput } from './tool.ts';
import type { ToolOutcome, ToolStatus } from '@retainer/mind/cycle/tool-outcome';

/** Characters of an output that a model sees. Source: artoo A.5 (4,000 for one result). */
const SHOWN_CHARACTERS = 4000;
/** Characters. The last limit, behind every tool's own: nothing beyond it is kept. */
export const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

export interface Bounds {
  readonly shownCharacters: number | undefined;
  /** The whole output remains where the tool read it. */
  readonly isPaged: boolean;
  readonly durationMs: number;
}

/** The call whose output it is. */
export type Caller = Pick<NewArtifact, 'tool' | 'runId' | 'cycleId' | 'url'>;

export async function boundOutput(
  output: ToolOutput,
  artifacts: ArtifactsPort,
  caller: Caller,
  bounds: Bounds,
): Promise<ToolOutcome> {
  const limit = bounds.shownCharacters ?? SHOWN_CHARACTERS;
  // The artifact is UTF-8: half a character would come back changed, and its hash would not match.
  const full = wellFormed(output.text.slice(0, MAX_KEPT_CHARACTERS));
  const outcome = {
    status: statusOf(output),
    outputBytes: Buffer.byteLength(full),
    outputSha256: sha256Hex(full),
    files: output.files ?? [],
    ...toldOf(output),
    durationMs: bounds.durationMs,
  };
  const isShown = full.length <= Math.min(limit, bounds.isPaged ? limit : SHOWN_CHARACTERS_MAX);
  if (isShown) return { ...outcome, text: full };
  const artifactId = await artifacts.put({
    ...caller,
    text: full,
    truncated: output.text.length > MAX_KEPT_CHARACTERS,
    ...(output.label === undefined ? {} : { label: output.label }),
  });
  if (full.length <= limit) return { ...outcome, text: full, artifactId };
  const middle = (leftOut: number): string =>
    `[… ${leftOut} characters left out; read_file with path "artifact:${artifactId}" shows the whole output in pages …]`;
  return { ...outcome, text: headAndTail(full, limit, middle), artifactId };
}

const TOLD = [
  'exitCode',
  'sandboxFailed',
  'gone',
  'links',
  'label',
  'othersAt',
] as const satisfies readonly (keyof ToolOutput)[];

/** What only some tools say of their outcome. */
function toldOf(output: ToolOutput): Partial<Pick<ToolOutcome, (typeof TOLD)[number]>> {
  return Object.fromEntries(TOLD.flatMap((key) => (output[key] === undefined ? [] : [[key, output[key]]])));
}

function statusOf(output: ToolOutput): ToolStatus {
  if (output.timedOut === true) return 'TimedOut';
  return output.isError ? 'Error' : 'Ok';
}
