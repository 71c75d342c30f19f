/** The program in this process, without colours: one of its own for each of many calls would take a minute. */
import { vi } from 'vitest';
import { main } from '../../cli/src/main.ts';

export interface Printed {
  readonly code: number;
  /** Results and errors, as they came. */
  readonly text: string;
}

export async function retainerHere(...args: readonly string[]): Promise<Printed> {
  const lines: string[] = [];
  const before = new Set(process.stdout.listeners('error'));
  const spies = (['log', 'error'] as const).map((stream) =>
    vi.spyOn(console, stream).mockImplementation((line: string) => void lines.push(`${line}\n`)),
  );
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('NO_COLOR', '1');
  try {
    const code = await main(['node', 'retainer', ...args]);
    return { code, text: lines.join('') };
  } finally {
    vi.unstubAllEnvs();
    for (const spy of [...spies, stderr]) spy.mockRestore();
    for (const listener of process.stdout.listeners('error') as (() => void)[])
      if (!before.has(listener)) process.stdout.off('error', listener);
  }
}
