/** One rule of the list that the harness takes out. */
export interface Change {
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly becomes: string;
}

export interface Rule {
  /** As in verdicts, where it gives some. */
  readonly name: string;
  readonly change: Change;
  /** How the names of attacks begin that get through without it. */
  readonly attacks: readonly string[];
  /** Rules of this list that hold the same attacks: they get through when this one and all of these are out, and not before. */
  readonly coveredBy?: readonly string[];
}

export const inFile =
  (file: string) =>
  (text: string, becomes: string): Change => ({ file, text, becomes });
