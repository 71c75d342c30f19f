/** Leaves a person's word for the agent of a data directory, which need not run. */
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { readEnvironment } from './config.ts';

type Word = Exclude<Parameters<typeof leaveCommand>[1], { type: 'StartRun' }>;
/** As a person says it. */
export type PersonsWord = WithoutName<Word>;
type WithoutName<W> = W extends Word ? Omit<W, 'by' | 'knownBy'> : never;

/** @returns the command as it was left, for programs: under the name of whoever types, or called from another machine */
export async function leaveWord(directory: string, word: PersonsWord, originId?: string): Promise<object> {
  const { userName, caller } = readEnvironment();
  const command = { ...word, by: caller.user ?? userName } as Word;
  return { ...command, originId: await leaveCommand(directory, command, originId) };
}
