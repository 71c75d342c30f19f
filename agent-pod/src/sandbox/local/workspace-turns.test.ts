import { describe, expect, it } from 'vitest';
import { WorkspaceTurns } from './workspace-turns.ts';

/** Runs that record when they enter; `leave(name)` ends one and lets the queue settle. */
function observedTurns(): {
  enter: (name: string, workspace: string, protection: string) => void;
  leave: (name: string) => Promise<void>;
  entered: string[];
} {
  const turns = new WorkspaceTurns();
  const entered: string[] = [];
  const leavers = new Map<string, Promise<() => void>>();
  return {
    entered,
    enter: (name, workspace, protection) => {
      const turn = turns.enter(workspace, protection);
      leavers.set(name, turn);
      void turn.then(() => entered.push(name));
    },
    leave: async (name) => {
      (await leavers.get(name))?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('WorkspaceTurns', () => {
  it('lets equal protections share, and others wait in order of arrival', async () => {
    const { enter, leave, entered } = observedTurns();
    enter('a', '/w', 'data');
    enter('b', '/w', 'data');
    enter('c', '/w', 'none');
    enter('d', '/w', 'data');
    enter('e', '/w', 'data');
    await leave('a');
    expect(entered).toEqual(['a', 'b']);
    await leave('b');
    expect(entered).toEqual(['a', 'b', 'c']);
    await leave('c');
    expect(entered).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('keeps workspaces apart', async () => {
    const { enter, leave, entered } = observedTurns();
    enter('a', '/v', 'data');
    enter('b', '/w', 'none');
    await leave('b');
    expect(entered).toEqual(['a', 'b']);
  });

  it('starts afresh when the last has left', async () => {
    const { enter, leave, entered } = observedTurns();
    enter('a', '/w', 'data');
    await leave('a');
    enter('b', '/w', 'none');
    await leave('b');
    expect(entered).toEqual(['a', 'b']);
  });
});
