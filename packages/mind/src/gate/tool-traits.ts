/** What the gate must know of tools by name, because a rule that is compiled has no call to look at yet. */
import type { EffectClass } from './verdict.ts';

/** Tools that run code: their effects on files are limited by the sandbox's mounts, not by their arguments. */
export const CODE_TOOLS: ReadonlySet<string> = new Set(['bash', 'run_code', 'serve_code']);

/** A script has no network and the workspace only: local and reversible. Source: artoo C10. */
export const CODE_EFFECT_CLASS: EffectClass = 1;

/** Tools that write no file, whatever their arguments: a rule about written paths cannot apply to them. */
export const PATHLESS_TOOLS: ReadonlySet<string> = new Set([
  'list_files',
  'read_file',
  'search_files',
  'memory_read',
  'memory_write',
  'fetch_url',
  'request_approval',
  'stop_serving',
]);
