/** What `strace -f -y` wrote, as calls with the programs that made them. */
export interface TracedCall {
  /** Name of its file; `thread` for one of a process that started before. */
  readonly program: string;
  readonly name: string;
  /** `socket`, `pipe`, or a path: of the first argument, if that is a descriptor. */
  readonly descriptor: string;
  /** One line, or the second half of one where other processes came between. */
  readonly line: string;
}

export function tracedCalls(trace: string): readonly TracedCall[] {
  const programs = new Map<string, string>();
  const begun = new Map<string, string>();
  return trace.split('\n').map((line) => {
    const pid = found(/^(\d+) /, line);
    const said = line.slice(pid.length).trimStart();
    const isSecondHalf = said.startsWith('<... ');
    if (!isSecondHalf) begun.set(pid, said);
    const whole = isSecondHalf ? (begun.get(pid) ?? '') : said;
    const name = found(/^(\w+)\(/, whole);
    // A program is looked for at several places: the last one is where it is.
    if (name === 'execve') programs.set(pid, found(/^execve\("[^"]*?([^"/]+)"/, whole));
    const descriptor = found(/^\w+\(\d+<(?:\w+-)?([^>:]*)/, whole);
    return { program: programs.get(pid) ?? 'thread', name, descriptor, line };
  });
}

/** The first group; empty if there is none. */
function found(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[1] ?? '';
}
