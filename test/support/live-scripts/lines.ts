/** What a scripted model does for one live task: one call, and an answer. */
export interface Lines {
  /** A part of the task's words, which is a pattern as well. */
  readonly task: string;
  /** The one call, as YAML. */
  readonly call: string;
  /** A pattern of its output, for the gaps of the answer. */
  readonly output?: string;
  readonly answer: string;
  /** What the call writes, if it writes a file. */
  readonly writes?: { readonly path: string; readonly text: string };
}

/** @param inputs  files that the task does not name, as YAML */
export function bash(script: string, inputs?: string): string {
  return `{tool: bash, input: {script: ${JSON.stringify(script)}${inputs === undefined ? '' : `, inputs: [${inputs}]`}}}`;
}

export function writing(path: string, text: string): Pick<Lines, 'call' | 'writes'> {
  return {
    call: `{tool: write_file, input: {path: ${path}, content: ${JSON.stringify(text)}}}`,
    writes: { path, text },
  };
}
