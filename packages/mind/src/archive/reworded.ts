/** A change with a model's words in place of code's. */
import type { Change, TendCommand } from '../memory/tend/change.ts';

export function reworded(change: Change, words: string): Change {
  return { ...change, commands: change.commands.map((it) => rewordedCommand(it, words)) };
}

function rewordedCommand(it: TendCommand, words: string): TendCommand {
  if (it.kind === 'ThreadNamed') return { ...it, payload: { ...it.payload, name: words, by: 'Model' } };
  if (it.kind !== 'MegramWritten') return it;
  return { ...it, payload: { ...it.payload, megram: { ...it.payload.megram, content: words } } };
}
