/** What most tools have in common: they stay on this machine, run no code, and tell people nothing. */
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import type { OfferedTool } from './tool.ts';

const plainFacts = {
  reachesOutside: false,
  runsCode: false,
  showsPeople: false,
  actsLater: false,
  writes: 'Nothing',
} as const satisfies Partial<DeclaredFacts>;

/** Of a tool whose output is words of this program. */
export const ownFacts = {
  ...plainFacts,
  output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
} as const satisfies Partial<DeclaredFacts>;

/** Of a tool that looks into the workspace: what it shows may be anybody's words. */
export const lookFacts = {
  ...plainFacts,
  effectClass: 0,
  output: { source: 'Workspace', trust: 'Untrusted', readers: 'Principal', name: 'path' },
} as const satisfies Partial<DeclaredFacts>;

export const touchesNothing = (): ReturnType<OfferedTool['touches']> => ({
  readPaths: [],
  writePaths: [],
  domains: [],
});

/** A tool that only reads may read again after a crash. */
export function reading<Input>(run: OfferedTool<Input>['run']): Pick<OfferedTool<Input>, 'run' | 'lookup'> {
  return { run, lookup: run };
}
