import type { Result } from '@retainer/contract/std/result';
import type { ToolSpec } from '../request/model-request.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { CallFacts } from '../gate/verdict.ts';

/** The pure side of the tool registry: what the cycle asks before anything runs. */
export interface ToolCatalog {
  /** In the order of `names`; unknown names are left out. */
  specs(names: readonly string[]): readonly ToolSpec[];
  has(name: string): boolean;
  /** Of every tool that there is, those too that this Agent has not. */
  readonly known: KnownTools;
  /** Parses arguments as the model gave them; the error is a sentence for the model naming field and fix. */
  parse(name: string, input: unknown): Result<CallFacts, string>;
}
