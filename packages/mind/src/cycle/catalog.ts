import type { Result } from '@retainer/contract/std/result';
import type { ToolSpec } from '../request/model-request.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { CallFacts } from '../gate/verdict.ts';

/** The pure side of the tool registry: what the cycle needs before anything runs. */
export interface ToolCatalog {
  /** In the order of `names`; unknown names are left out. */
  specs(names: readonly string[]): readonly ToolSpec[];
  has(name: string): boolean;
  /** Of every tool, including those that this Agent lacks. */
  readonly known: KnownTools;
  /** Parses arguments as the model gave them. The error is a sentence for the model that names field and fix. */
  parse(name: string, input: unknown): Result<CallFacts, string>;
}
