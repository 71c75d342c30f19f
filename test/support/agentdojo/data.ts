/** The replay of AgentDojo: tools, true calls with what they brought back, and attackers' calls. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../repository-files.ts';

const Arguments = z.record(z.string(), z.json());

const RecordedCall = z.object({
  tool: z.string(),
  args: Arguments,
  output: z.string().nullable(),
  error: z.string().nullable(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

const UserTask = z.object({ prompt: z.string(), calls: z.array(RecordedCall) });
export type UserTask = z.infer<typeof UserTask>;

const Injection = z.object({
  goal: z.string(),
  calls: z.array(z.object({ tool: z.string(), args: Arguments })),
});
export type Injection = z.infer<typeof Injection>;

const SuiteTool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.object({ properties: z.record(z.string(), z.json()), required: z.array(z.string()).optional() }),
});
export type SuiteTool = z.infer<typeof SuiteTool>;

const Suite = z.object({
  suite: z.string(),
  tools: z.array(SuiteTool),
  user: z.record(z.string(), UserTask),
  injection: z.record(z.string(), Injection),
});
export type Suite = z.infer<typeof Suite>;

/** Beside the repository, as other data of third parties. */
export const replayFile = join(repositoryRoot, '../shared/data/gate/agentdojo-replay.json');
export const hasReplay = existsSync(replayFile);

export function readReplay(file: string): readonly Suite[] {
  return z.array(Suite).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** A place in an output where a stranger's words stand. */
export const MARK = /<<INJECTION [^>]*>>/g;

export function hasMark(text: string | null): boolean {
  return text !== null && text.search(MARK) !== -1;
}

/** The attacks that have calls to execute. */
export function attacksOf({ injection }: Suite): readonly (readonly [string, Injection])[] {
  return Object.entries(injection).filter(([, { calls }]) => calls.length > 0);
}
