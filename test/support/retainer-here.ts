/** The program in this process, without colours: one of its own for each of many calls would take a minute. */
import { vi } from 'vitest';
import { main } from '../../cli/src/main.ts';
import { standard } from '../../cli/src/standard-stream.ts';

export interface Printed {
  readonly code: number;
  /** Results and errors, as they came. */
  readonly text: string;
}

export async function retainerHere(...args: readonly string[]): Promise<Printed> {
  const lines: string[] = [];
  const spies = (['out', 'err'] as const).map((stream) =>
    vi.spyOn(standard[stream], 'write').mockImplementation((text) => void lines.push(text)),
  );
  vi.stubEnv('NO_COLOR', '1');
  try {
    const code = await main(['node', 'retainer', ...args]);
    return { code, text: lines.join('') };
  } finally {
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
